import type { DatasetLocator, LineWarnings } from './dataset.ts'
import type { Metric, MetricResult, SqlText, Window } from './plan.ts'
import type { Measured } from './port.ts'

/** Maximum number of periods of one plan. */
export const maxPeriods = 400

/**
 * Metrics of each of several periods. Possible metrics: `rows` (except duplicates), `distinct`, `aggregate` and
 * `aggregate-expression`; others have errors.
 */
export interface PeriodPlan {
  dataset: DatasetLocator
  filter?: SqlText
  /** The columns that hold the time of a row, as in a window of `dates`. Rows without a time belong to no period. */
  time: Extract<Window, { kind: 'dates' }>['parts']
  /**
   * ISO 8601 without zone, ascending: each period begins at one (inclusive) and ends at the next. Times with a zone are
   * compared in UTC, others as they are written.
   */
  bounds: readonly string[]
  /** The zone of a text of ten characters without a format, which is a date. Default: UTC. */
  timeZone?: string
  metrics: readonly Metric[]
}

export interface MeasuredPeriods {
  /** In order, also those without rows, whose metrics are empty. */
  periods: { rows: number; metrics: MetricResult[] }[]
  warnings: LineWarnings
  touched: Measured['touched']
  /** Milliseconds in the engine. */
  elapsedMs: number
}
