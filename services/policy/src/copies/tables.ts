import { type TableMessage, tableMessage } from '@assay/contracts'
import { type DocumentPut, defineCollection, documentPut } from '@assay/documents'
import { z } from 'zod'

const tableCopy = z.object({ table: tableMessage, position: z.string() })
/** A table as the catalog told of it last; `position` is that of the catalog's log. */
export type TableCopy = z.infer<typeof tableCopy>

export const policyTables = defineCollection<TableCopy>({
  name: 'policy_tables',
  version: 1,
  idType: 'integer',
  schema: tableCopy,
  fields: {
    uid: { type: 'text', of: ({ table }) => table.uid },
    position: { type: 'text', of: ({ position }) => position },
  },
})

/** The copy that a message makes. `position`: of the state that it tells of. Pure. */
export function tableCopyPut(tenant: string, table: TableMessage, position: string): DocumentPut {
  return documentPut(policyTables, tenant, table.assetId, { table, position }, { revision: table.revision, position })
}
