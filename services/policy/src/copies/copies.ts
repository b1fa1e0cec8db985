import type { Copies } from '@assay/catalog-copies'
import { assemblyCopyPut, policyAssemblies } from './assemblies.ts'
import { executedVersionPut, executedVersions } from './executed-versions.ts'
import { policyTables, tableCopyPut } from './tables.ts'
import { policyTemplates, templateCopyPut } from './templates.ts'

/** Local read models of the catalog and of runs. */
export const policyCopies = {
  tables: { collections: [policyTables], putOf: tableCopyPut },
  versions: { collections: [executedVersions], putOf: executedVersionPut },
  assemblies: { collections: [policyAssemblies], putOf: assemblyCopyPut },
  udfTemplates: { collections: [policyTemplates], putOf: templateCopyPut },
} satisfies Copies
