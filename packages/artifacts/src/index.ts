export { checkedKey, checkedPrefix, stagingFolder } from './key.ts'
export type { Artifacts, Stage, StoredFile } from './port.ts'
