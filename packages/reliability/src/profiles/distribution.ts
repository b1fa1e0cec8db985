import { type ColumnState, isMoment, isNumeric, parseType, placeOf, type ValuesState } from '@assay/data-engine'
import type { ProfileState } from './merge-columns.ts'
import { sharesOf } from './merge-values.ts'

/**
 * The distribution of the values of one column. `numbers`: `edges` ascending, e0..en; `counts` has the values below e0,
 * those up to e1 (including e0, or only e0 if it is the only edge), ..., those up to en and those above en; dates and
 * times are seconds since 1970. `values`: counts by the first byte of the hash of the value. In columns of numbers, NaN
 * and infinities count as nulls.
 */
export type ColumnDistribution = {
  name: string
  dataType: string
  hashedBy: string
  nulls: number
  kind: 'numbers' | 'values'
  edges: number[]
  counts: number[]
}

export type Distributions = { rows: number; columns: ColumnDistribution[] }

/** Maximum number of columns; later ones are left out. */
const mostColumns = 300
/** Every twentieth part of the values gets a bin. */
const parts = 20

/** Values with their row counts, ascending. A bucket of a sketch counts at its middle. */
function placesOf(values: ValuesState): { place: number; count: number }[] {
  if (values.kind === 'each')
    return values.values
      .flatMap(({ place, count }) => (place === null ? [] : [{ place, count }]))
      .sort((one, other) => one.place - other.place)
  const { shift = 0, buckets = [] } = values.spread ?? {}
  return buckets.map(([key, count]) => {
    const [from, to] = [BigInt(key), BigInt(key) + 1n].map((edge) => placeOf(edge << BigInt(shift)))
    return { place: shift === 0 ? (from ?? 0) : (from ?? 0) / 2 + (to ?? 0) / 2, count }
  })
}

function edgesOf(places: readonly { place: number; count: number }[]): number[] {
  const total = places.reduce((all, { count }) => all + count, 0)
  const edges = new Set<number>()
  let reached = 0
  let part = 0
  for (const { place, count } of places) {
    reached += count
    for (; part <= parts && reached >= Math.max(1, Math.ceil((part * total) / parts)); part++) edges.add(place)
  }
  return [...edges]
}

function countsIn(edges: readonly number[], places: readonly { place: number; count: number }[]): number[] {
  const counts = Array.from({ length: Math.max(edges.length, 2) + 1 }, () => 0)
  for (const { place, count } of places) {
    const upTo = edges.findIndex((edge) => place <= edge)
    const isBelow = place < (edges[0] ?? Number.NEGATIVE_INFINITY)
    const bin = isBelow ? 0 : upTo === -1 ? counts.length - 1 : Math.max(upTo, 1)
    counts[bin] = (counts[bin] ?? 0) + count
  }
  return counts
}

function ofColumn(column: ColumnState, rows: number, like: ColumnDistribution | undefined): ColumnDistribution[] {
  const { name, dataType, hashedBy, nulls, known } = column
  if (known === null) return []
  const about = { name, dataType, hashedBy }
  const type = parseType(dataType)
  if (!isNumeric(type) && !isMoment(type))
    return [{ ...about, nulls, kind: 'values', edges: [], counts: sharesOf(known.values) }]
  const places = placesOf(known.values)
  const edges = like?.kind === 'numbers' ? like.edges : edgesOf(places)
  const placed = places.reduce((all, { count }) => all + count, 0)
  return [{ ...about, nulls: rows - placed, kind: 'numbers', edges, counts: countsIn(edges, places) }]
}

/** The distribution of each column. With the bins of `like`, columns of the same name can be compared. Pure. */
export function distributionsOf({ rows, columns }: ProfileState, like?: Distributions): Distributions {
  const known = new Map(like?.columns.map((column) => [column.name, column]))
  return {
    rows,
    columns: columns.slice(0, mostColumns).flatMap((column) => ofColumn(column, rows, known.get(column.name))),
  }
}
