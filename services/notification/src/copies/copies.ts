import type { Copies } from '@assay/catalog-copies'
import { assetLabelsCopyPut, notificationAssetLabels } from './asset-labels.ts'
import { assetSettingsCopyPut, notificationAssetSettings } from './asset-settings.ts'
import { assetCopyPut, notificationAssets } from './assets.ts'
import { folderCopyPut, notificationFolders } from './folders.ts'
import { keyCopyPut, notificationKeys } from './keys.ts'
import {
  assemblyCopyPut,
  notificationAssemblies,
  notificationPolicies,
  notificationTags,
  policyCopyPut,
  tagCopyPut,
} from './targets.ts'

/** Local read models of the catalog and of policies. */
export const notificationCopies = {
  tables: { collections: [notificationAssets], putOf: assetCopyPut },
  containers: { collections: [notificationFolders], putOf: folderCopyPut },
  policies: { collections: [notificationPolicies], putOf: policyCopyPut },
  assemblies: { collections: [notificationAssemblies], putOf: assemblyCopyPut },
  tags: { collections: [notificationTags.tags, notificationTags.associations], putOf: tagCopyPut },
  assetSettings: { collections: [notificationAssetSettings], putOf: assetSettingsCopyPut },
  assetLabels: { collections: [notificationAssetLabels], putOf: assetLabelsCopyPut },
  keys: { collections: [notificationKeys], putOf: keyCopyPut },
} satisfies Copies
