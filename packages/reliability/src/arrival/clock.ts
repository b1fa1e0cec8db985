import { nextRuns } from '@assay/contracts'
import { offsetAt } from '../marker-times.ts'
import { dailyPattern, type Pattern, shortPattern } from './patterns.ts'

/** When data usually arrives. Times in epoch milliseconds. */
export interface Clock {
  kind: Pattern['kind'] | 'NONE'
  /** `daily about 06:10 Europe/Berlin`. */
  text: string
  /** The expected times, in `timeZone`; null if no clock explains the arrivals. */
  cron: string | null
  timeZone: string
  /** 0 to 1: the share of arrivals at expected times, or of expected times with an arrival if that is less. */
  explainedShare: number
  nextExpectedAt: number
  deadlineAt: number
}

/** Minimum number of arrivals (decision 101). */
export const minArrivals = 14
const minExplained = 0.8
/** An arrival is late after this many robust deviations, each of at least a minute. */
const lateAfter = 5
const minuteMs = 60_000

/**
 * The clock of arrivals (ascending): every n minutes or hours, daily, on some weekdays, weekly or monthly, at a time of
 * the zone. If none explains 80 % of them, the deadline is the 99th percentile of the gaps. `undefined` if there are
 * fewer than fourteen. Pure.
 */
export function inferClock(arrivals: readonly number[], timeZone: string): Clock | undefined {
  const last = arrivals.at(-1)
  if (arrivals.length < minArrivals || last === undefined) return undefined
  const minutes = arrivals.map((at) => (at + offsetAt(at, timeZone)) / minuteMs)
  const gaps = arrivals.slice(1).map((at, index) => at - (arrivals[index] ?? at))
  gaps.sort((a, b) => a - b)
  const usualGap = gaps[gaps.length >> 1] ?? 0
  const pattern = usualGap < 18 * 60 * minuteMs ? shortPattern(minutes, usualGap / minuteMs) : dailyPattern(minutes)
  if (pattern === undefined || pattern.explainedShare < minExplained) {
    const longest = gaps[Math.ceil(gaps.length * 0.99) - 1] ?? usualGap
    const explainedShare = pattern?.explainedShare ?? 0
    const text = 'no regular time: late after the 99th percentile of the gaps'
    const until = { nextExpectedAt: last + usualGap, deadlineAt: last + longest }
    return { kind: 'NONE', text, cron: null, timeZone, explainedShare, ...until }
  }
  const { kind, cron, explainedShare, spread, slack } = pattern
  // An arrival just before its time must not expect that time once more.
  const nextExpectedAt = nextRuns(cron, timeZone, last + slack * minuteMs, 1)[0] ?? last + usualGap
  const deadlineAt = nextExpectedAt + lateAfter * Math.max(spread, 1) * minuteMs
  return { kind, text: `${pattern.text} ${timeZone}`, cron, timeZone, explainedShare, nextExpectedAt, deadlineAt }
}
