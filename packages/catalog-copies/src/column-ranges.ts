import type { Collection, Condition } from '@assay/documents'
import type { Reading } from './tags.ts'

/** Up to four id ranges are indexed per table. A table whose columns form more ranges is found by a scan. */
const indexedRanges = [0, 1, 2, 3] as const
/**
 * Maximum gap between two columns of one range. Nested fields have ids in between, and some local read models lack
 * them.
 */
const widestGap = 100
const pageSize = 50
const more = 'moreColumns'
/** Columns whose ids lie within this span are queried together: few other tables have ids in it. */
const widestGroup = 200
const groupsAtOnce = 10

/**
 * Splits a table's column ids into ranges, in ascending order: columns that were added together have consecutive ids.
 * Ranges of different tables hardly overlap, even if a column was added late. Pure.
 */
export function columnRanges(ids: readonly number[]): { from: number; to: number }[] {
  const ranges: { from: number; to: number }[] = []
  for (const id of [...ids].sort((a, b) => a - b)) {
    const last = ranges.at(-1)
    if (last !== undefined && id - last.to <= widestGap) last.to = id
    else ranges.push({ from: id, to: id })
  }
  return ranges
}

type RangeField<T> =
  | { type: 'integer'; of: (copy: T) => number | null }
  | { type: 'boolean'; of: (copy: T) => true | null }

/** The indexed fields that a collection of tables needs for `tableWithColumn`. */
export function columnRangeFields<T>(idsOf: (copy: T) => readonly number[]): Record<string, RangeField<T>> {
  const fields: Record<string, RangeField<T>> = {
    [more]: { type: 'boolean', of: (copy) => (columnRanges(idsOf(copy)).length > indexedRanges.length ? true : null) },
  }
  for (const at of indexedRanges) {
    fields[`columns${at}From`] = { type: 'integer', of: (copy) => columnRanges(idsOf(copy))[at]?.from ?? null }
    fields[`columns${at}To`] = { type: 'integer', of: (copy) => columnRanges(idsOf(copy))[at]?.to ?? null }
  }
  return fields
}

/** The table of a column; `undefined` if there is none. Takes a few queries, however many tables there are. */
export async function tableWithColumn<T>(
  documents: Pick<Reading, 'find'>,
  collection: Collection<T>,
  tenant: string,
  columnId: number,
  idsOf: (copy: T) => readonly number[],
): Promise<T | undefined> {
  return (await tablesWithColumns(documents, collection, tenant, [columnId], idsOf)).get(columnId)
}

/**
 * The tables of these columns, by column id. Columns with close ids, such as the columns of one table, are looked up
 * together: a few queries per group, and at most `groupsAtOnce` groups concurrently.
 */
export async function tablesWithColumns<T>(
  documents: Pick<Reading, 'find'>,
  collection: Collection<T>,
  tenant: string,
  columnIds: readonly number[],
  idsOf: (copy: T) => readonly number[],
): Promise<ReadonlyMap<number, T>> {
  const wanted = new Set(columnIds)
  const tables = new Map<number, T>()
  const missing = (ids: readonly number[]) => ids.filter((id) => !tables.has(id))

  async function addTables(where: readonly Condition[], ids: readonly number[]): Promise<void> {
    for (let page = 0; missing(ids).length > 0; page += 1) {
      const found = await documents.find(collection, tenant, { where, page, size: pageSize })
      for (const table of found.documents)
        for (const id of idsOf(table)) if (wanted.has(id) && !tables.has(id)) tables.set(id, table)
      if (found.documents.length < pageSize) return
    }
  }

  for (const at of indexedRanges) {
    const groups = closeTogether(missing([...wanted]))
    for (let from = 0; from < groups.length; from += groupsAtOnce) {
      const some = groups.slice(from, from + groupsAtOnce).map(({ least, most, ids }) =>
        addTables(
          [
            { field: `columns${at}From`, to: most },
            { field: `columns${at}To`, from: least },
          ],
          ids,
        ),
      )
      await Promise.all(some)
    }
  }
  await addTables([{ field: more, is: true }], [...wanted])
  return tables
}

/** Groups ids so that each group spans at most `widestGroup`. Pure. */
function closeTogether(ids: readonly number[]): { least: number; most: number; ids: number[] }[] {
  const groups: { least: number; most: number; ids: number[] }[] = []
  for (const id of [...ids].sort((a, b) => a - b)) {
    const last = groups.at(-1)
    if (last === undefined || id - last.least > widestGroup) groups.push({ least: id, most: id, ids: [id] })
    else {
      last.most = id
      last.ids.push(id)
    }
  }
  return groups
}
