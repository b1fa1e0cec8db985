import { type TableMessage, tableMessage } from '@assay/contracts'
import { type DocumentPut, defineCollection, documentPut } from '@assay/documents'
import { z } from 'zod'

const tableCopy = z.object({ table: tableMessage })
/** A table, from the catalog's latest message about it. */
export type TableCopy = z.infer<typeof tableCopy>

export const policyTables = defineCollection<TableCopy>({
  name: 'policy_tables',
  version: 3,
  idType: 'integer',
  schema: tableCopy,
  fields: {
    uid: { type: 'text', of: ({ table }) => table.uid },
    assemblyId: { type: 'integer', of: ({ table }) => table.assemblyId },
  },
})

/** The document that a message puts. `position`: the position of that state in the catalog's log. Pure. */
export function tableCopyPut(tenant: string, table: TableMessage, position: string): DocumentPut {
  return documentPut(policyTables, tenant, table.assetId, { table }, { revision: table.revision, position })
}
