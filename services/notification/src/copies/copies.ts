import type { Copies } from '@assay/catalog-copies'
import { assetCopyPut, notificationAssets } from './assets.ts'
import { folderCopyPut, notificationFolders } from './folders.ts'

/** Local read models of the catalog. */
export const notificationCopies = {
  tables: { collections: [notificationAssets], putOf: assetCopyPut },
  containers: { collections: [notificationFolders], putOf: folderCopyPut },
} satisfies Copies
