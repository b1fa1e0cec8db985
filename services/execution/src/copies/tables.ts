import { columnRangeFields } from '@assay/catalog-copies'
import { type TableMessage, tableMessage, unnumbered } from '@assay/contracts'
import { type DocumentPut, defineCollection, documentPut } from '@assay/documents'
import { z } from 'zod'
import { hierarchyPathOf } from './hierarchy-path.ts'

const tableCopy = z.object({ table: tableMessage })
/** A table, from the catalog's last message about it. */
export type TableCopy = z.infer<typeof tableCopy>

/** Ids of its columns. */
export function columnIds({ table }: TableCopy): number[] {
  return table.columns.map(({ id }) => id)
}

export const executionTables = defineCollection<TableCopy>({
  name: 'execution_tables',
  version: 6,
  idType: 'integer',
  schema: tableCopy,
  fields: {
    assemblyId: { type: 'integer', of: ({ table }) => table.assemblyId },
    name: { type: 'text', of: ({ table }) => table.name },
    schemaChangedAt: { type: 'text', of: ({ table }) => table.schemaChangedAt ?? null },
    /** The path of a live table. */
    hierarchyPath: {
      type: 'text',
      of: ({ table }) => (table.isDeleted || !table.path ? null : hierarchyPathOf(table.path)),
    },
    unnumbered: { type: 'text', of: ({ table }) => unnumbered(table.uid) },
    ...columnRangeFields<TableCopy>(columnIds),
  },
})

/** Stores a table from its message. `position`: the position of this state in the catalog's log. Pure. */
export function tableCopyPut(tenant: string, table: TableMessage, position: string): DocumentPut {
  return documentPut(executionTables, tenant, table.assetId, { table }, { revision: table.revision, position })
}
