import type { Steps } from '../kinds/steps.ts'
import type { Origin, PastRun } from './past-run.ts'

/**
 * A run with those of its values that have the same time: values of the run, or of a period. `at`: epoch milliseconds.
 */
export interface Moment {
  run: PastRun
  at: number
  of: Origin
}

/**
 * The times at which runs judged values, ascending. If several runs judged a value of the same period, only the latest
 * judgement counts. `runs`: ascending by time. Pauses after each run. Pure.
 */
export function* momentsOf(runs: readonly PastRun[]): Steps<Moment[]> {
  const seen = new Set<string>()
  const moments: Moment[] = []
  for (const run of runs.toReversed()) {
    yield
    const { executionId, startedAt, judged: all } = run
    const own = { at: Date.parse(startedAt), of: { executionId } }
    if (all.every(({ periodEnd }) => periodEnd === undefined)) {
      moments.push({ run, ...own })
      continue
    }
    const latest = all.filter(({ itemId, metric, columnName, key, periodEnd }) => {
      if (periodEnd === undefined) return true
      const name = JSON.stringify([itemId, metric, columnName, key, periodEnd])
      return !seen.has(name) && seen.add(name)
    })
    for (const [periodEnd, judged] of Map.groupBy(latest, (point) => point.periodEnd)) {
      const time = periodEnd === undefined ? own : { at: periodEnd, of: { periodEnd } }
      moments.push({ run: { ...run, judged }, ...time })
    }
  }
  return moments.reverse().sort((one, other) => one.at - other.at)
}
