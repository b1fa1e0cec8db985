import { nextRuns } from '@assay/contracts'
import type { DueRun } from '../policy-runs/policy-runs.ts'

/** How long after its time a run is still made up for. */
export const misfireMs = 3_600_000

/** What to do about a schedule that is due, at `now` (epoch milliseconds). */
export type DueDecision = { kind: 'run'; scheduled: DueRun } | { kind: 'skip'; scheduled: DueRun; reason: string }

/**
 * Of all times from `due` (ISO 8601) to `now` the last one is made up for when it is at most an hour ago; the earlier
 * ones are neither run nor noted. Pure.
 */
export function decideDue(
  schedule: { cronExpression: string; timeZone: string },
  due: string,
  now: number,
): DueDecision {
  const { cronExpression, timeZone } = schedule
  const [next] = nextRuns(cronExpression, timeZone, now, 1)
  const book = { due, next: next === undefined ? null : new Date(next).toISOString() }
  const last = lastUntil(cronExpression, timeZone, Math.max(Date.parse(due), now - misfireMs) - 1, now)
  const nominal = last ?? (Date.parse(due) >= now - misfireMs ? Date.parse(due) : undefined)
  if (nominal !== undefined) return { kind: 'run', scheduled: { ...book, nominal: new Date(nominal).toISOString() } }
  const reason = 'Nothing could start this run within an hour of its time.'
  return { kind: 'skip', scheduled: { ...book, nominal: due }, reason }
}

/**
 * The last time in (from, now]; `undefined` when there is none. By bisection: some 22 looks for an hour, however many times
 * lie in it.
 */
function lastUntil(cronExpression: string, timeZone: string, from: number, now: number): number | undefined {
  const firstAfter = (time: number) => nextRuns(cronExpression, timeZone, time, 1)[0] ?? Number.POSITIVE_INFINITY
  let last = firstAfter(from)
  if (last > now) return undefined
  // None lies in (none, now].
  for (let none = now; none > last; ) {
    const middle = Math.floor((last + none) / 2)
    const time = firstAfter(middle)
    if (time > now) none = middle
    else last = time
  }
  return last
}
