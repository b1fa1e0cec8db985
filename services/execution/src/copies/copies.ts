import { type Copies, databasePut } from '@assay/catalog-copies'
import {
  executionTagCopies,
  executionTemplates,
  executionVariables,
  tagCopyPut,
  templateCopyPut,
  variablesCopyPut,
} from '../references/copies.ts'
import { assetSettingsPut, executionAssetSettings } from './asset-settings.ts'
import { containerCopyPut, executionContainers } from './containers.ts'
import { executionDatabases } from './databases.ts'
import { executionPolicies, policyCopyPut } from './policies.ts'
import { executionTables, tableCopyPut } from './tables.ts'

/** Local read models of the policies and of the catalog. */
export const executionCopies = {
  policies: { collections: [executionPolicies], putOf: policyCopyPut },
  tables: { collections: [executionTables], putOf: tableCopyPut },
  containers: { collections: [executionContainers], putOf: containerCopyPut },
  tags: { collections: [executionTagCopies.tags, executionTagCopies.associations], putOf: tagCopyPut },
  udfVariables: { collections: [executionVariables], putOf: variablesCopyPut },
  udfTemplates: { collections: [executionTemplates], putOf: templateCopyPut },
  assetSettings: { collections: [executionAssetSettings], putOf: assetSettingsPut },
  assemblies: { collections: [executionDatabases], putOf: databasePut(executionDatabases) },
} satisfies Copies
