import { type TableMessage, tableMessage } from '@assay/contracts'
import { type DocumentPut, defineCollection, documentPut } from '@assay/documents'
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

/** The copy that a message makes. `position`: of the state that it tells of. Pure. */
export function tableCopyPut(tenant: string, table: TableMessage, position: string): DocumentPut {
  return documentPut(executionTables, tenant, table.assetId, { table }, { revision: table.revision, position })
}
