export { discoverSource, mountDataset, probeSource } from './dispatch.ts'
