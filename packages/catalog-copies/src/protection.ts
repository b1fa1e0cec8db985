import { type TableMessage, viewSources } from '@assay/contracts'
import { createTagReader, type Reading, type TagCollections } from './tags.ts'

/** A table whose values are to be shown. */
export interface ShownTable {
  assetId: number
  /**
   * The tables from which the values were read. Default: the table itself or, for a view, the tables that it reads now.
   */
  sourceIds?: readonly number[] | undefined
}

/**
 * The ids, among the table and its columns, of the assets whose values are protected now; for `maskOfTable`. A whole
 * view is protected if any table behind it has a protected asset, because the text of a SELECT does not show which
 * column depends on which. The tables behind a view are those that it reads now and those that it read when the values
 * were measured. A view whose tables are unknown is protected as well.
 */
export async function protectedAssets(
  documents: Reading,
  tenant: string,
  copies: TagCollections & {
    /** The local read model of a table; `undefined` if there is none. */
    tableOf: (assetId: number) => Promise<Pick<TableMessage, 'locator' | 'sourceIds'> | undefined>
  },
  { assetId, sourceIds = [] }: ShownTable,
): Promise<ReadonlySet<number>> {
  const reader = createTagReader(documents, tenant, copies)
  const own = await reader.protectedOf(assetId)
  const seen = new Set([assetId])
  const open: number[] = []

  /** Whether the catalog's message says which tables the table reads. */
  async function follow(tableId: number): Promise<boolean> {
    const table = await copies.tableOf(tableId)
    const sources = table === undefined ? [] : viewSources(table)
    // One by one, because a view whose tables are unknown has all tables of its database as sources.
    for (const id of sources ?? []) open.push(id)
    return sources !== undefined
  }

  open.push(...sourceIds)
  if (!(await follow(assetId))) return own.add(assetId)
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    if (seen.has(id)) continue
    seen.add(id)
    const isOpen = (await reader.protectedOf(id)).size === 0
    if (!isOpen || !(await follow(id))) return own.add(assetId)
  }
  return own
}
