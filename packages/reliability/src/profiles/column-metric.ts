import type { DriftMetric, ProfileMetric } from '@assay/contracts'
import type { ColumnState } from '@assay/data-engine'
import { kindOfType } from '../column-types.ts'
import { momentsOf, nearestDouble } from './exact-sums.ts'
import { estimateDistinct, figuresOf } from './figures.ts'

/** The state of a column that could be read. */
export type ReadColumn = ColumnState & { known: NonNullable<ColumnState['known']> }

/** A metric of a column that is a number. */
export type ColumnMetric = Exclude<DriftMetric | ProfileMetric, 'DATA_TYPE' | 'CASE_COUNTS' | 'ROW_COUNT'>

/** A metric by the state of a column; null if it has no values to compute it from. Pure. */
export function metricOf(metric: ColumnMetric, column: ReadColumn): number | null {
  const { nulls, known } = column
  const { count, text, number, values } = known
  const finite = count - (known.notFinite ?? 0)
  switch (metric) {
    case 'COMPLETENESS':
      return count + nulls === 0 ? null : (100 * count) / (count + nulls)
    case 'APPROXIMATE_DISTINCT_VALUES':
      return values.kind === 'each'
        ? values.values.length
        : (values.exact?.distinct ?? estimateDistinct(values.registers, count))
    case 'MINIMUM':
      return known.least?.position ?? null
    case 'MAXIMUM':
      return known.greatest?.position ?? null
    case 'MEAN':
      return number === null || finite === 0 ? null : momentsOf(number.sums, finite).mean
    case 'STANDARD_DEVIATION':
      return number === null || finite === 0 ? null : momentsOf(number.sums, finite).standardDeviation
    case 'SUM': {
      if (number === null || finite === 0) return null
      const { sum, base, exponent } = number.sums
      return nearestDouble({ numerator: BigInt(sum), denominator: BigInt(base) ** BigInt(-exponent) })
    }
    case 'MEDIAN':
      return medianOf(column)
    case 'LENGTH':
      return text === null || count === 0 ? null : text.lengths / count
    default:
      return metric satisfies never
  }
}

function medianOf(column: ReadColumn): number | null {
  const median = figuresOf(column).quantiles.find(({ fraction }) => fraction === 0.5)
  return median === undefined ? null : Number(median.value)
}

/** Whether columns of a type have a metric. Pure. */
export function hasMetric(dataType: string, metric: Exclude<ProfileMetric, 'ROW_COUNT'>): boolean {
  switch (metric) {
    case 'COMPLETENESS':
    case 'APPROXIMATE_DISTINCT_VALUES':
    case 'DATA_TYPE':
      return true
    case 'LENGTH':
      return kindOfType(dataType) === 'text'
    case 'MEAN':
    case 'MINIMUM':
    case 'MAXIMUM':
    case 'SUM':
    case 'STANDARD_DEVIATION':
    case 'MEDIAN':
      return kindOfType(dataType) === 'number'
    default:
      return metric satisfies never
  }
}
