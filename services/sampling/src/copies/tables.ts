import { columnRangeFields, tableWithColumn, type ViewState, viewState } from '@assay/catalog-copies'
import { type TableMessage, tableMessage } from '@assay/contracts'
import { currentDataset, type DatasetLocator } from '@assay/data-engine'
import { type DocumentPut, type Documents, defineCollection, documentPut } from '@assay/documents'
import { z } from 'zod'
import type { SampleTarget } from '../asset-samples/asset-samples.ts'

const tableCopy = z.object({ table: tableMessage })
/** A table, from the catalog's latest message about it. */
export type TableCopy = z.infer<typeof tableCopy>

/** Ids of columns and of the fields inside them. */
const columnIds = ({ table: { columns, leaves = [] } }: TableCopy) => [...columns, ...leaves].map(({ id }) => id)

export const samplingTables = defineCollection<TableCopy>({
  name: 'sampling_tables',
  version: 5,
  idType: 'integer',
  schema: tableCopy,
  fields: columnRangeFields<TableCopy>(columnIds),
})

/** The document that a message puts. `position`: the position of that state in the catalog's log. Pure. */
export function tableCopyPut(tenant: string, table: TableMessage, position: string): DocumentPut {
  return documentPut(samplingTables, tenant, table.assetId, { table }, { revision: table.revision, position })
}

/** The local copy of a table. */
export function copyOf(documents: Pick<Documents, 'get'>, tenant: string) {
  return async (id: number) => (await documents.get(samplingTables, tenant, id))?.document.table
}

/** The current state of a view; empty for other tables. */
export function currentViewState(
  documents: Pick<Documents, 'get'>,
  tenant: string,
  table: TableMessage,
): Promise<ViewState> {
  return viewState(copyOf(documents, tenant), table)
}

/** The rows of a table; `undefined` if another version wrote its locator. */
export function datasetOf(
  documents: Pick<Documents, 'get'>,
  tenant: string,
  table: TableMessage,
): Promise<DatasetLocator | undefined> {
  return currentDataset(copyOf(documents, tenant), table)
}

/** The table, column or nested field with this id, if its source still has it; otherwise `undefined`. */
export async function findTarget(
  documents: Documents,
  tenant: string,
  assetId: number,
): Promise<SampleTarget | undefined> {
  const targetOf = async (table: TableMessage, of: Pick<SampleTarget, 'column' | 'leaf'>) => {
    return { assetId, ...of, tableId: table.assetId, ...(await currentViewState(documents, tenant, table)) }
  }
  const own = await copyOf(documents, tenant)(assetId)
  if (own) return own.isDeleted ? undefined : targetOf(own, { column: null })
  const found = await tableWithColumn(documents, samplingTables, tenant, assetId, columnIds)
  if (found === undefined || found.table.isDeleted) return undefined
  const column = found.table.columns.find(({ id }) => id === assetId)
  if (column !== undefined) return targetOf(found.table, { column: column.name })
  const leaf = found.table.leaves?.find(({ id }) => id === assetId)
  const [name, ...path] = leaf?.path ?? []
  if (leaf === undefined || name === undefined) return undefined
  return targetOf(found.table, { column: name, leaf: { path, dataType: leaf.dataType } })
}
