import {
  type ColumnState,
  isNumeric,
  type KnownColumn,
  type LogicalType,
  nearestRank,
  type ProfileValue,
  parseType,
  positionOf,
  profiledFractions,
  profiledTop,
  registerBits,
} from '@assay/data-engine'
import { momentsOf } from './exact-sums.ts'
import { type MoreFigures, moreFigures, noMoreFigures } from './more-figures.ts'
import { compareValues } from './value-order.ts'

type Quantiles = { fraction: number; value: ProfileValue }[]

/**
 * The statistics of one column. `distinct`, `quantiles` and `mostFrequent` are EXACT, or ESTIMATED if a merge of
 * sketches alone gave more than `maxValues` different values; then `mostFrequent` is empty. NaN and infinities count only in `notFinite`,
 * `distinct` and `mostFrequent`. Only numbers have `quantiles`: at least `fraction` of the values are at most `value`.
 */
export interface ColumnFigures extends MoreFigures {
  name: string
  dataType: string
  nulls: number
  distinct: number | null
  distinctMethod: 'EXACT' | 'ESTIMATED'
  min: ProfileValue
  max: ProfileValue
  mean: number | null
  /** Standard deviation of a sample (n - 1); null below two values. */
  standardDeviation: number | null
  minLength: number | null
  maxLength: number | null
  notFinite: number | null
  quantiles: Quantiles
  mostFrequent: { value: ProfileValue; count: number }[]
  error: string | null
}

/**
 * HyperLogLog's estimate; linear counting if the estimate is small and some registers are empty. At most `count`, the
 * number of values.
 */
export function estimateDistinct(registers: string, count: number): number {
  const ranks = Buffer.from(registers, 'base64')
  const size = 2 ** registerBits
  const sum = ranks.reduce((all, rank) => all + 2 ** -rank, 0)
  const estimate = ((0.7213 / (1 + 1.079 / size)) * size * size) / sum
  const empty = ranks.filter((rank) => rank === 0).length
  return Math.min(count, Math.round(estimate <= 2.5 * size && empty > 0 ? size * Math.log(size / empty) : estimate))
}

function nearestRanks<T extends { count: number }>(sorted: readonly T[]): (T | undefined)[] {
  const total = sorted.reduce((all, { count }) => all + count, 0)
  return profiledFractions.map((fraction) => {
    let reached = 0
    return sorted.find(({ count }) => {
      reached += count
      return reached >= nearestRank(fraction, total)
    })
  })
}

type ValueFigures = Pick<ColumnFigures, 'distinct' | 'distinctMethod' | 'quantiles' | 'mostFrequent'>

function ofEach(values: Extract<KnownColumn['values'], { kind: 'each' }>['values'], type: LogicalType): ValueFigures {
  const sorted = values.toSorted(compareValues(type))
  const finite = isNumeric(type) ? sorted.filter(({ position }) => position !== null) : []
  const quantiles = nearestRanks(finite).flatMap((found, index) =>
    found === undefined ? [] : [{ fraction: profiledFractions[index] ?? 0, value: found.value }],
  )
  const mostFrequent = sorted
    .toSorted((one, other) => other.count - one.count)
    .slice(0, profiledTop)
    .map(({ value, count }) => ({ value, count }))
  return { distinct: values.length, distinctMethod: 'EXACT', quantiles, mostFrequent }
}

/** The middle of a bucket, limited to the extremes of the column; a whole number for integer types. */
function middle([low, high]: readonly [number, number], least: number, greatest: number, isWhole: boolean): number {
  const value = Math.min(greatest, Math.max(least, low / 2 + high / 2))
  return isWhole ? Math.round(value) : value
}

function ofMany(
  values: Extract<KnownColumn['values'], { kind: 'many' }>,
  { count, least, greatest }: Pick<KnownColumn, 'count' | 'least' | 'greatest'>,
  type: LogicalType,
): ValueFigures {
  const { registers, spread, exact } = values
  if (exact !== null) {
    const { distinct, quantiles, mostFrequent } = exact
    return { distinct, distinctMethod: 'EXACT', quantiles, mostFrequent }
  }
  const buckets =
    isNumeric(type) && spread !== null ? spread.buckets.map(([key, count]) => ({ key: BigInt(key), count })) : []
  const quantiles = nearestRanks(buckets).flatMap((bucket, index) => {
    if (bucket === undefined || spread === null) return []
    const shift = BigInt(spread.shift)
    const edges = [positionOf(bucket.key << shift), positionOf(((bucket.key + 1n) << shift) - 1n)] as const
    const value = middle(edges, least?.position ?? edges[0], greatest?.position ?? edges[1], type.kind === 'integer')
    return [{ fraction: profiledFractions[index] ?? 0, value }]
  })
  return { distinct: estimateDistinct(registers, count), distinctMethod: 'ESTIMATED', quantiles, mostFrequent: [] }
}

const finiteOrNull = (value: number | null) => (value !== null && Number.isFinite(value) ? value : null)

/** The statistics of a state. Pure. They do not depend on the order in which parts of the state were merged. */
export function figuresOf({ name, dataType, nulls, known, error }: ColumnState): ColumnFigures {
  const type = parseType(dataType)
  const finite = known === null ? 0 : known.count - (known.notFinite ?? 0)
  const moments = known?.number && finite > 0 ? momentsOf(known.number.sums, finite) : null
  const ofValues: ValueFigures =
    known === null
      ? { distinct: null, distinctMethod: 'EXACT', quantiles: [], mostFrequent: [] }
      : known.values.kind === 'each'
        ? ofEach(known.values.values, type)
        : ofMany(known.values, known, type)
  const variance = finiteOrNull(moments?.variance ?? null)
  const at = (wanted: number) => ofValues.quantiles.find(({ fraction }) => fraction === wanted)?.value
  return {
    name,
    dataType,
    nulls,
    min: known?.least?.value ?? null,
    max: known?.greatest?.value ?? null,
    mean: finiteOrNull(moments?.mean ?? null),
    standardDeviation: finiteOrNull(moments?.standardDeviation ?? null),
    minLength: known?.text?.minLength ?? null,
    maxLength: known?.text?.maxLength ?? null,
    notFinite: known?.notFinite ?? null,
    ...ofValues,
    ...(known === null
      ? noMoreFigures
      : moreFigures(
          { nulls, known, type },
          { distinct: ofValues.distinct, variance, quartiles: [at(0.25), at(0.75)] },
        )),
    error,
  }
}
