import { expectationOf, inferClock, neededArrivals, withoutBursts } from './clock/clock.ts'
import { clockRecord } from './clock/words.ts'
import { learningOf } from './findings.ts'
import { type Finding, passing } from './outcome.ts'

/** Whether data is late by the usual times of arrival. `times`: of earlier arrivals, ascending, ISO 8601. Pure. */
export function judgeByClock(times: readonly string[], timeZone: string, startedAt: string): Finding {
  const arrivals = times.map((time) => Date.parse(time))
  const now = Date.parse(startedAt)
  const clock = inferClock(arrivals, timeZone)
  if (clock === undefined) {
    const points = withoutBursts(arrivals).length
    const note = `The usual times are known after ${neededArrivals} arrivals; so far there are ${points}.`
    return { ...passing(true), note, detail: learningOf(points, neededArrivals) }
  }
  const expected = expectationOf(clock, arrivals.at(-1) ?? now, now)
  const record = clockRecord(clock, expected)
  const detail = { clock: record, deadlineAt: expected.deadlineAt >= now ? record.deadlineAt : null }
  if (expected.missed === null) return { ...passing(true), detail }
  const missedAt = new Date(Math.round(expected.missed)).toISOString()
  return { ...passing(false), note: `Expected ${missedAt}. Data usually arrives ${record.text}.`, detail }
}
