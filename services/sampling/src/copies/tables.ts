import { type TableMessage, tableMessage } from '@assay/contracts'
import { type DocumentPut, type Documents, defineCollection, documentPut } from '@assay/documents'
import { z } from 'zod'
import type { SampleTarget } from '../asset-samples/asset-samples.ts'

const tableCopy = z.object({ table: tableMessage, position: z.string() })
/** A table as the catalog told of it last; `position` is that of the catalog's log. */
export type TableCopy = z.infer<typeof tableCopy>

const columnIds = ({ table }: TableCopy) => table.columns.map(({ id }) => id)

/** The ids of a table's columns lie mostly side by side: its least and greatest find the table of a column. */
export const samplingTables = defineCollection<TableCopy>({
  name: 'sampling_tables',
  version: 2,
  idType: 'integer',
  schema: tableCopy,
  fields: {
    leastColumn: { type: 'integer', of: (copy) => columnIds(copy).reduce<number | null>(lesser, null) },
    greatestColumn: { type: 'integer', of: (copy) => columnIds(copy).reduce<number | null>(greater, null) },
    position: { type: 'text', of: ({ position }) => position },
  },
})

function lesser(found: number | null, id: number): number {
  return found === null ? id : Math.min(found, id)
}
function greater(found: number | null, id: number): number {
  return found === null ? id : Math.max(found, id)
}

/** The copy that a message makes. `position`: of the state that it tells of. Pure. */
export function tableCopyPut(tenant: string, table: TableMessage, position: string): DocumentPut {
  return documentPut(samplingTables, tenant, table.assetId, { table, position }, { revision: table.revision, position })
}

function targetOf({ assetId: tableId, sourceIds }: TableMessage, of: Pick<SampleTarget, 'assetId' | 'column'>) {
  return { ...of, tableId, ...(sourceIds === undefined ? {} : { sourceIds }) }
}

const candidatesAtOnce = 50

/** The table or column with this id that its source still has; `undefined` for anything else. */
export async function findTarget(
  documents: Documents,
  tenant: string,
  assetId: number,
): Promise<SampleTarget | undefined> {
  const own = await documents.get(samplingTables, tenant, assetId)
  if (own) return own.document.table.isDeleted ? undefined : targetOf(own.document.table, { assetId, column: null })
  const where = [
    { field: 'leastColumn', to: assetId },
    { field: 'greatestColumn', from: assetId },
  ]
  const sort = [{ field: 'leastColumn', direction: 'desc' as const }]
  for (let page = 0; ; page += 1) {
    const found = await documents.find(samplingTables, tenant, { where, sort, page, size: candidatesAtOnce })
    for (const { table } of found.documents) {
      const column = table.columns.find(({ id }) => id === assetId)
      if (column) return table.isDeleted ? undefined : targetOf(table, { assetId, column: column.name })
    }
    if (found.documents.length < candidatesAtOnce) return undefined
  }
}
