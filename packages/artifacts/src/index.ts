export { checkedKey, checkedPrefix, stagingFolder } from './key.ts'
export type { Artifacts, OpenedFile, Stage, StoredFile } from './port.ts'
