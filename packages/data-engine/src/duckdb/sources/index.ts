export { discoverSource, mountDataset, probeSource } from './dispatch.ts'
export { describeQuery } from './query/mount.ts'
