import { columnRangeFields, tableWithColumn, viewKey } from '@assay/catalog-copies'
import { type TableMessage, tableMessage } from '@assay/contracts'
import { type DocumentPut, type Documents, defineCollection, documentPut } from '@assay/documents'
import { z } from 'zod'
import type { SampleTarget } from '../asset-samples/asset-samples.ts'

const tableCopy = z.object({ table: tableMessage, position: z.string() })
/** A table, from the catalog's latest message about it; `position`: in the catalog's log. */
export type TableCopy = z.infer<typeof tableCopy>

/** Ids of columns and of the fields inside of them. */
const columnIds = ({ table: { columns, leaves = [] } }: TableCopy) => [...columns, ...leaves].map(({ id }) => id)

export const samplingTables = defineCollection<TableCopy>({
  name: 'sampling_tables',
  version: 4,
  idType: 'integer',
  schema: tableCopy,
  fields: {
    ...columnRangeFields<TableCopy>(columnIds),
    position: { type: 'text', of: ({ position }) => position },
  },
})

/** The document that a message puts. `position`: of that state in the catalog's log. Pure. */
export function tableCopyPut(tenant: string, table: TableMessage, position: string): DocumentPut {
  return documentPut(samplingTables, tenant, table.assetId, { table, position }, { revision: table.revision, position })
}

function targetOf(table: TableMessage, of: Pick<SampleTarget, 'assetId' | 'column' | 'leaf'>) {
  const { assetId: tableId, sourceIds } = table
  const view = viewKey(table)
  return { ...of, tableId, ...(sourceIds === undefined ? {} : { sourceIds }), ...(view === undefined ? {} : { view }) }
}

/** The table, column or nested field with this id, if its source still has it; otherwise `undefined`. */
export async function findTarget(
  documents: Documents,
  tenant: string,
  assetId: number,
): Promise<SampleTarget | undefined> {
  const own = await documents.get(samplingTables, tenant, assetId)
  if (own) return own.document.table.isDeleted ? undefined : targetOf(own.document.table, { assetId, column: null })
  const found = await tableWithColumn(documents, samplingTables, tenant, assetId, columnIds)
  if (found === undefined || found.table.isDeleted) return undefined
  const column = found.table.columns.find(({ id }) => id === assetId)
  if (column !== undefined) return targetOf(found.table, { assetId, column: column.name })
  const leaf = found.table.leaves?.find(({ id }) => id === assetId)
  const [name, ...path] = leaf?.path ?? []
  if (leaf === undefined || name === undefined) return undefined
  return targetOf(found.table, { assetId, column: name, leaf: { path, dataType: leaf.dataType } })
}
