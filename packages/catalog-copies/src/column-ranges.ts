import type { Collection, Condition } from '@assay/documents'
import type { Reading } from './tags.ts'

/** So many ranges of each table are found by an index; tables whose columns came in more steps are looked through. */
const places = [0, 1, 2, 3] as const
/** Ids that may lie between two columns of one range: those of leaves inside of a column, which not every copy keeps. */
const widestGap = 100
const atOnce = 50
const more = 'moreColumns'
/** Columns are looked for together whose ids lie within so many: between them are the columns of few tables. */
const widestGroup = 200
const looksAtOnce = 10

/**
 * Columns that came together have ids side by side: the ranges of a table's ids, by the least of each. Ranges of different
 * tables hardly overlap, however late a column was added to one. Pure.
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

/** Fields of a collection of tables by which `tableWithColumn` finds the table of a column. */
export function columnRangeFields<T>(idsOf: (copy: T) => readonly number[]): Record<string, RangeField<T>> {
  const fields: Record<string, RangeField<T>> = {
    [more]: { type: 'boolean', of: (copy) => (columnRanges(idsOf(copy)).length > places.length ? true : null) },
  }
  for (const at of places) {
    fields[`columns${at}From`] = { type: 'integer', of: (copy) => columnRanges(idsOf(copy))[at]?.from ?? null }
    fields[`columns${at}To`] = { type: 'integer', of: (copy) => columnRanges(idsOf(copy))[at]?.to ?? null }
  }
  return fields
}

/** The table with this column; `undefined` where there is none: a handful of looks, however many tables there are. */
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
 * The tables with these columns, by the columns' ids. Columns whose ids lie close together, as those of one table do, are
 * looked for together: a handful of looks for each such group, at most `looksAtOnce` of them at a time.
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

  async function look(where: readonly Condition[], ids: readonly number[]): Promise<void> {
    for (let page = 0; missing(ids).length > 0; page += 1) {
      const found = await documents.find(collection, tenant, { where, page, size: atOnce })
      for (const table of found.documents)
        for (const id of idsOf(table)) if (wanted.has(id) && !tables.has(id)) tables.set(id, table)
      if (found.documents.length < atOnce) return
    }
  }

  for (const at of places) {
    const groups = closeTogether(missing([...wanted]))
    for (let from = 0; from < groups.length; from += looksAtOnce) {
      const some = groups.slice(from, from + looksAtOnce).map(({ least, most, ids }) =>
        look(
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
  await look([{ field: more, is: true }], [...wanted])
  return tables
}

/** Groups of ids, each from its least to `widestGroup` behind it. Pure. */
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
