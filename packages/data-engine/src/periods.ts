import type { DatasetLocator, LineWarnings } from './dataset.ts'
import type { Metric, MetricResult, SqlText, Window } from './plan.ts'
import type { Measured } from './port.ts'

/** Maximum number of periods of one plan: the hours of four weeks. */
export const maxPeriods = 672

/** In `PeriodPlan.time`: the date in the name of a row's file, for sets of files that have dates in their names. */
export const fileDateColumn = '__assay_file_date'

/**
 * Measures metrics of several periods. Possible metrics: `rows` (except duplicates), `distinct`, `aggregate` and
 * `aggregate-expression`. Others get errors.
 */
export interface PeriodPlan {
  dataset: DatasetLocator
  filter?: SqlText
  /** The columns that hold the time of a row, as in a window of `dates`. Rows without a time belong to no period. */
  time: Extract<Window, { kind: 'dates' }>['parts']
  /**
   * ISO 8601 without zone, ascending. Each period begins at one of these times (inclusive) and ends at the next one.
   * Times with a zone are compared in UTC, others as they are written.
   */
  bounds: readonly string[]
  /** The zone for dates: texts of ten characters, if no format is given. Default: UTC. */
  timeZone?: string
  metrics: readonly Metric[]
  /** Whether to find out if the table has rows before the first period. */
  asksOlder?: boolean
}

export interface MeasuredPeriods {
  /** The periods in order, including those without rows, whose metrics are empty. */
  periods: { rows: number; metrics: MetricResult[] }[]
  /** Whether rows are older than the first period. Absent if the plan does not ask, or these rows cannot be read. */
  hasOlder?: boolean
  warnings: LineWarnings
  touched: Measured['touched']
  /** Milliseconds in the engine. */
  elapsedMs: number
}
