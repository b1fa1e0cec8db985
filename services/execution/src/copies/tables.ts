import { type TableMessage, tableMessage } from '@assay/contracts'
import { type DocumentPut, defineCollection, documentPut } from '@assay/documents'
import { z } from 'zod'

const tableCopy = z.object({
  table: tableMessage,
  /** Position of the catalog's log that this copy stands for. */
  position: z.string(),
})
/** A table as the catalog told of it last. */
export type TableCopy = z.infer<typeof tableCopy>

/** The ids of a table's columns lie mostly side by side: its least and greatest find the table of a column. */
export const executionTables = defineCollection<TableCopy>({
  name: 'execution_tables',
  version: 2,
  idType: 'integer',
  schema: tableCopy,
  fields: {
    position: { type: 'text', of: ({ position }) => position },
    assemblyId: { type: 'integer', of: ({ table }) => table.assemblyId },
    name: { type: 'text', of: ({ table }) => table.name },
    unnumbered: { type: 'text', of: ({ table }) => unnumbered(table.uid) },
    leastColumn: { type: 'integer', of: ({ table }) => extreme(table, Math.min) },
    greatestColumn: { type: 'integer', of: ({ table }) => extreme(table, Math.max) },
  },
})

/** A UID without the number that the catalog puts behind one that is taken; the UIDs of a table's columns lack it. */
export function unnumbered(uid: string): string {
  return uid.replace(/~\d+$/, '')
}

function extreme({ columns }: TableMessage, pick: (a: number, b: number) => number): number | null {
  return columns.reduce<number | null>((found, { id }) => (found === null ? id : pick(found, id)), null)
}

/** The copy that a message makes. `position`: of the state that it tells of. Pure. */
export function tableCopyPut(tenant: string, table: TableMessage, position: string): DocumentPut {
  return documentPut(
    executionTables,
    tenant,
    table.assetId,
    { table, position },
    { revision: table.revision, position },
  )
}
