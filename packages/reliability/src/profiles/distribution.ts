import {
  type ColumnState,
  isNumeric,
  isTemporal,
  maxBuckets,
  parseType,
  type Spread,
  spreadOf,
} from '@assay/data-engine'
import type { ProfileState } from './merge-columns.ts'
import { countsAt, sharesOf, spreadOfValues } from './merge-values.ts'

/**
 * The distribution of the values of one column. `numbers`: a sketch; dates and times are seconds since 1970, and NaN and
 * infinities count as nulls. `values`: row counts by the first byte of the hash of the value. `unmeasured`: the engine
 * could not read the values.
 */
export type ColumnDistribution = { name: string; dataType: string; nulls: number } & (
  | { kind: 'numbers'; spread: Spread }
  | { kind: 'values'; hashedBy: string; shares: number[] }
  | { kind: 'unmeasured' }
)

export type Distributions = { rows: number; columns: ColumnDistribution[] }

/** Maximum number of columns; later ones are left out. */
const maxColumns = 300
/** Maximum number of buckets of all columns, so that the distributions fit into one event (at most 31 bytes a bucket). */
const maxBucketsOfAll = 20_000

/** Whether the values of a type have positions on a number line. */
export const hasPositions = (dataType: string) => isNumeric(parseType(dataType)) || isTemporal(parseType(dataType))

/** The distribution of a column, with at most `most` buckets. Pure. */
export function distributionOf(column: ColumnState, most: number): ColumnDistribution {
  const { name, dataType, hashedBy, nulls, known } = column
  if (known === null) return { name, dataType, nulls, kind: 'unmeasured' }
  if (!hasPositions(dataType))
    return { name, dataType, nulls, kind: 'values', hashedBy, shares: sharesOf(known.values) }
  const whole = spreadOfValues(known.values) ?? { shift: 0, buckets: [] }
  const spread = spreadOf(whole.shift, countsAt(whole.shift, whole), most)
  const positioned = spread.buckets.reduce((all, [, count]) => all + count, 0)
  return { name, dataType, nulls: nulls + known.count - positioned, kind: 'numbers', spread }
}

/** The distribution of each column, one after the other: each may take a millisecond. Pure. */
export function* columnDistributions({ columns }: ProfileState): Generator<ColumnDistribution> {
  const taken = columns.slice(0, maxColumns)
  const sketched = taken.filter(({ dataType }) => hasPositions(dataType)).length
  const most = Math.min(maxBuckets, Math.floor(maxBucketsOfAll / Math.max(1, sketched)))
  for (const column of taken) yield distributionOf(column, most)
}
