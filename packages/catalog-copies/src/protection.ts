import { type TableMessage, viewSources } from '@assay/contracts'
import { createTagReader, type Reading, type TagCollections } from './tags.ts'

/** A table whose values are to be shown, as it was when they were read where that is known. */
export interface ShownTable {
  assetId: number
  /** What the values were read from. Absent: the table itself, or what it is a view of now. */
  sourceIds?: readonly number[] | undefined
}

/**
 * The table and those of its columns whose values are protected now, whatever was when they were read: for `maskOfTable`. A
 * view hides all that it shows where anything of a table is protected that it reads (or read, for values of then): which
 * column of a SELECT is made of what cannot be told from its text. So does one that has not told what it reads.
 */
export async function protectedAssets(
  documents: Reading,
  tenant: string,
  copies: TagCollections & {
    /** The copy of a table; `undefined` where there is none. */
    tableOf: (assetId: number) => Promise<Pick<TableMessage, 'locator' | 'sourceIds'> | undefined>
  },
  { assetId, sourceIds = [] }: ShownTable,
): Promise<ReadonlySet<number>> {
  const reader = createTagReader(documents, tenant, copies)
  const own = await reader.protectedOf(assetId)
  const seen = new Set([assetId])
  const open: number[] = []

  /** Whether the catalog's message says what the table is made of. */
  async function follow(tableId: number): Promise<boolean> {
    const table = await copies.tableOf(tableId)
    const sources = table === undefined ? [] : viewSources(table)
    // One by one: a view of which it cannot be told reads all that its database has.
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
