export { createFilesystemArtifacts } from './artifacts.ts'
export type { SharedWith } from './staging.ts'
