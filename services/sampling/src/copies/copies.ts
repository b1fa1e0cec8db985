import { type Copies, databasePut } from '@assay/catalog-copies'
import { samplingDatabases } from './databases.ts'
import { samplingTables, tableCopyPut } from './tables.ts'
import { samplingTagCopies, tagCopyPut } from './tags.ts'
import { samplingTemplates, templateCopyPut } from './templates.ts'

/** Local read models of the catalog. */
export const samplingCopies = {
  tables: { collections: [samplingTables], putOf: tableCopyPut },
  tags: { collections: [samplingTagCopies.tags, samplingTagCopies.associations], putOf: tagCopyPut },
  udfTemplates: { collections: [samplingTemplates], putOf: templateCopyPut },
  assemblies: { collections: [samplingDatabases], putOf: databasePut(samplingDatabases) },
} satisfies Copies
