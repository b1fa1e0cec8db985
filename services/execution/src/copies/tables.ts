import { tableMessage } from '@assay/contracts'
import { defineCollection } from '@assay/documents'
import { z } from 'zod'

const tableCopy = z.object({ table: tableMessage })
/** A table as the catalog told of it last. */
export type TableCopy = z.infer<typeof tableCopy>

export const executionTables = defineCollection<TableCopy>({
  name: 'execution_tables',
  version: 1,
  idType: 'integer',
  schema: tableCopy,
  fields: {},
})
