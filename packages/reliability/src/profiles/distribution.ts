import { type ColumnState, isNumeric, isTemporal, maxBuckets, parseType, spread, spreadOf } from '@assay/data-engine'
import { z } from 'zod'
import type { ProfileState } from './merge-columns.ts'
import { countsAt, sharesOf, spreadOfValues } from './merge-values.ts'

const ofColumn = { name: z.string(), dataType: z.string(), nulls: z.int() }

/**
 * The distribution of the values of one column. `numbers`: a sketch; dates and times are seconds since 1970, and NaN and
 * infinities count as nulls. `values`: row counts by the first byte of the hash of the value. `unmeasured`: the engine
 * could not read the values.
 */
const columnDistribution = z.discriminatedUnion('kind', [
  z.object({ ...ofColumn, kind: z.literal('numbers'), spread }),
  z.object({ ...ofColumn, kind: z.literal('values'), hashedBy: z.string(), shares: z.array(z.number()) }),
  z.object({ ...ofColumn, kind: z.literal('unmeasured') }),
])
export type ColumnDistribution = z.infer<typeof columnDistribution>

export const distributions = z.object({ rows: z.int(), columns: z.array(columnDistribution) })
export type Distributions = z.infer<typeof distributions>

/** Maximum number of columns; later ones are left out. */
const maxColumns = 300
/** Maximum number of buckets of all columns, so that the distributions fit into 1 MiB (at most 31 bytes a bucket). */
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

/** The distribution of each column. Lazy, because each may take a millisecond. Pure. */
export function* columnDistributions({ columns }: ProfileState): Generator<ColumnDistribution> {
  const taken = columns.slice(0, maxColumns)
  const sketched = taken.filter(({ dataType }) => hasPositions(dataType)).length
  const most = Math.min(maxBuckets, Math.floor(maxBucketsOfAll / Math.max(1, sketched)))
  for (const column of taken) yield distributionOf(column, most)
}
