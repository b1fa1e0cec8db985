import {
  createTagReader,
  protectedAssets,
  type ShownTable,
  type TagReader,
  type ViewState,
  viewState,
} from '@assay/catalog-copies'
import type { TableMessage } from '@assay/contracts'
import { currentDataset, type DatasetLocator } from '@assay/data-engine'
import { executionTables } from '../copies/tables.ts'
import { type Copies, executionTagCopies } from './copies.ts'

/** Reads the local read models of tags. */
export function tagsOfTenant(documents: Copies, tenant: string): TagReader {
  return createTagReader(documents, tenant, executionTagCopies)
}

function copyOf(documents: Pick<Copies, 'get'>, tenant: string) {
  return async (id: number) => (await documents.get(executionTables, tenant, id))?.document.table
}

/** The current state of a view; empty for other tables. */
export function currentViewState(
  documents: Pick<Copies, 'get'>,
  tenant: string,
  table: Pick<TableMessage, 'locator' | 'sourceIds'>,
): Promise<ViewState> {
  return viewState(copyOf(documents, tenant), table)
}

/** The rows of a table; `undefined` if another version wrote its locator. */
export function datasetOf(
  documents: Pick<Copies, 'get'>,
  tenant: string,
  table: Pick<TableMessage, 'locator' | 'sourceIds'>,
): Promise<DatasetLocator | undefined> {
  return currentDataset(copyOf(documents, tenant), table)
}

/** The ids of the table and its columns, as far as they are protected now. */
export function protectedNow(documents: Copies, tenant: string, table: ShownTable): Promise<ReadonlySet<number>> {
  return protectedAssets(documents, tenant, { ...executionTagCopies, tableOf: copyOf(documents, tenant) }, table)
}

/** Whether the tenant has a tag that protects values. */
export async function isAnyProtected(documents: Pick<Copies, 'find'>, tenant: string): Promise<boolean> {
  const where = [{ field: 'protected', is: true }]
  return (await documents.find(executionTagCopies.tags, tenant, { where, size: 0 })).count > 0
}
