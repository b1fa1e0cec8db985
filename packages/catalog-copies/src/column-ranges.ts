import type { Collection } from '@assay/documents'
import type { Reading } from './tags.ts'

/** So many ranges of each table are found by an index; tables whose columns came in more steps are looked through. */
const places = [0, 1, 2, 3] as const
/** Ids that may lie between two columns of one range: those of leaves inside of a column, which not every copy keeps. */
const widestGap = 100
const atOnce = 50
const more = 'moreColumns'

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
  const looks = [
    ...places.map((at) => [
      { field: `columns${at}From`, to: columnId },
      { field: `columns${at}To`, from: columnId },
    ]),
    [{ field: more, is: true }],
  ]
  for (const where of looks) {
    for (let page = 0; ; page += 1) {
      const found = await documents.find(collection, tenant, { where, page, size: atOnce })
      const table = found.documents.find((copy) => idsOf(copy).includes(columnId))
      if (table !== undefined) return table
      if (found.documents.length < atOnce) break
    }
  }
  return undefined
}
