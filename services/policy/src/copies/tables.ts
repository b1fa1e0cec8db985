import { tableMessage } from '@assay/contracts'
import { defineCollection } from '@assay/documents'
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
