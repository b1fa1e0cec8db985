import { instantOf, localOf } from '../../zone-time.ts'
import { bestFit, type Fit, fitOf } from './fit.ts'
import { dayMs, type Pattern, periodOf, slotsBetween, weekMs } from './pattern.ts'
import { medianOf, quantileOf } from './phases.ts'

/** When data usually arrives. */
export interface Clock {
  /** `null` if no pattern explains the arrivals. Then only the gaps between them are known. */
  pattern: Pattern | null
  timeZone: string
  /**
   * The share of the arrivals that the pattern explains or, without a pattern, the share of the gaps up to `graceMs`.
   */
  explainedShare: number
  /** How early an arrival may be, milliseconds. */
  toleranceMs: number
  /**
   * How late an arrival may be, in milliseconds. Counted from its expected time or, without a pattern, from the arrival
   * before.
   */
  graceMs: number
  /** The median gap between two arrivals, milliseconds. */
  usualGapMs: number
  /** Days of the year, as `MM-DD`, on which nothing arrived a year ago although it was expected. */
  holidays: ReadonlySet<string>
}

/** Minimum number of arrivals for a clock (decision 101). */
export const neededArrivals = 14
const latest = 10
/**
 * If a clock of all arrivals no longer explains the latest ones, the clock is inferred from only this many of the
 * latest arrivals.
 */
const suffixes = [60, 28, neededArrivals]
const leastGraceMs = 60_000

/**
 * Infers when data arrives. `arrivals`: epoch milliseconds, ascending, each once. `undefined` if there are too few.
 * Pure.
 */
export function inferClock(arrivals: readonly number[], timeZone: string): Clock | undefined {
  const separate = withoutBursts(arrivals)
  if (separate.length < neededArrivals) return undefined
  const local = separate.map((at) => localOf(at, timeZone))
  const fit = currentFit(local)
  const gaps = separate.slice(1).map((at, index) => at - (separate[index] ?? at))
  const ascending = gaps.sort((a, b) => a - b)
  const usualGapMs = quantileOf(ascending, 0.5)
  if (fit === undefined) {
    const graceMs = quantileOf(ascending, 0.99)
    const within = ascending.filter((gap) => gap <= graceMs).length / ascending.length
    return { pattern: null, timeZone, explainedShare: within, toleranceMs: 0, graceMs, usualGapMs, holidays: new Set() }
  }
  const { pattern, tolerance: toleranceMs, explained: explainedShare } = fit
  const holidays = holidaysOf(fit, local)
  return { pattern, timeZone, explainedShare, toleranceMs, graceMs: graceOf(fit), usualGapMs, holidays }
}

/** The fit of all arrivals, or of the latest ones if the clock has changed. */
function currentFit(local: readonly number[]): Fit | undefined {
  for (const count of [local.length, ...suffixes.filter((one) => one < local.length)]) {
    const fit = bestFit(local.slice(-count))
    if (fit === undefined) continue
    if (fitOf(fit.pattern, fit.tolerance, local.slice(-latest)).explained >= 0.6) return fit
  }
  return undefined
}

/** Removes arrivals right after another one, such as further files of one load. Pure. */
export function withoutBursts(arrivals: readonly number[]): number[] {
  const gaps = arrivals.slice(1).map((at, index) => at - (arrivals[index] ?? at))
  const burst =
    quantileOf(
      [...gaps].sort((a, b) => a - b),
      0.9,
    ) / 20
  const kept: number[] = []
  let before = Number.NEGATIVE_INFINITY
  for (const at of arrivals) {
    if (at - before > burst) kept.push(at)
    before = at
  }
  return kept
}

/**
 * How late data may be: more than the 99th percentile of the delays, and at least five robust deviations, but at most
 * twice the tolerance.
 */
function graceOf({ delays, pattern, tolerance }: Fit): number {
  const ascending = [...delays].sort((a, b) => a - b)
  const median = medianOf(delays)
  const robust = median + 5 * 1.4826 * medianOf(delays.map((delay) => Math.abs(delay - median)))
  const enough = Math.max(quantileOf(ascending, 0.99) * 1.2, robust, periodOf(pattern) * 0.02, leastGraceMs)
  return Math.min(enough, Math.max(tolerance * 2, leastGraceMs))
}

const dayOfYear = (local: number) => new Date(local).toISOString().slice(5, 10)

/**
 * A day without data counts as a holiday only if it was nearly a year ago, because it then recurs soon. Weekly and
 * monthly data has no holidays, because it is expected on different dates each year.
 */
function holidaysOf({ missed, pattern }: Fit, local: readonly number[]): ReadonlySet<string> {
  const last = local.at(-1) ?? 0
  if (pattern.kind !== 'DAYS' || pattern.weekdays.length === 1) return new Set()
  return new Set(missed.filter((slot) => last - slot > 300 * dayMs).map(dayOfYear))
}

/** What a clock expects at an instant. Times are epoch milliseconds. */
export interface Expectation {
  /** When the next data is expected. */
  nextAt: number
  /** When it is late. */
  deadlineAt: number
  /** The last expected time whose deadline passed without data. */
  missed: number | null
}

/** What a clock expects at `now`, after data arrived at `last`. Pure. */
export function expectationOf(clock: Clock, last: number, now: number): Expectation {
  const { pattern, toleranceMs, graceMs, usualGapMs } = clock
  if (pattern === null) {
    const deadlineAt = last + graceMs
    return { nextAt: last + usualGapMs, deadlineAt, missed: deadlineAt < now ? last + usualGapMs : null }
  }
  const isArrived = (slot: number) => last >= slot - toleranceMs
  const slots = slotsNear(clock, pattern, now)
  const late = slots.filter((slot) => slot + graceMs < now).at(-1)
  const next = slots.find((slot) => slot + graceMs >= now && !isArrived(slot)) ?? now + periodOf(pattern)
  return { nextAt: next, deadlineAt: next + graceMs, missed: late === undefined || isArrived(late) ? null : late }
}

/**
 * The expected times around an instant, without holidays. There are at least three, and at least one of them is past
 * its deadline.
 */
function slotsNear({ timeZone, graceMs, holidays }: Clock, pattern: Pattern, now: number): number[] {
  const reach = longestGap(pattern) * 3
  return slotsBetween(pattern, localOf(now - graceMs - reach, timeZone), localOf(now + reach, timeZone))
    .filter((slot) => !holidays.has(dayOfYear(slot)))
    .map((slot) => instantOf(slot, timeZone))
}

function longestGap(pattern: Pattern): number {
  if (pattern.kind === 'INTERVAL') return pattern.period
  return pattern.kind === 'DAYS' ? weekMs : 31 * dayMs
}
