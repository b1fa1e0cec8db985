export { createCrawlPlace, noCrawl } from './crawl-place.ts'
export { discoverSource, mountDataset, probeSource } from './dispatch.ts'
export { createCopies } from './files/copies.ts'
export { describeQuery } from './query/mount.ts'
