import type { Metric } from '@assay/data-engine'
import type { PeriodsRequest, RunGiven } from '../kinds/judging.ts'
import { boundVariables } from '../references.ts'
import { keptRecord } from './recorded.ts'
import { boundTexts, type RunPeriods } from './run-periods.ts'

/** One request for the metrics of all periods of a run. Pure. */
export function requestOf(
  periods: RunPeriods,
  { filter: sql, metrics }: { filter: string | null; metrics: readonly Metric[] },
  run: RunGiven,
): PeriodsRequest {
  const isFiltered = sql !== null && sql.trim() !== ''
  const filter = isFiltered ? { filter: { sql, variables: boundVariables(run.sides[0].references.variables) } } : {}
  return {
    ...{ kind: 'PERIODS', side: 'ONE', time: periods.column.time, bounds: boundTexts(periods), metrics },
    timeZone: periods.definition.timeZone,
    // Only the first run says that it leaves older periods out.
    ...(periods.limit !== undefined && keptRecord(run).periods === undefined ? { asksOlder: true } : {}),
    ...filter,
  }
}
