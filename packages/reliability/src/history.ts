import type { Threshold } from '@assay/contracts'
import { holds } from './comparison.ts'
import { addExact, compareExact, divideExact, type Exact, exactOf, exactZero, multiplyExact } from './exact.ts'
import type { Comparing, Verdict } from './threshold.ts'

/** What an earlier run measured. */
export interface Past {
  value: Exact
  /** When its run began, epoch milliseconds. */
  at: number
}

/** The verdict by comparison with earlier runs, or a note why there is none; without one the data is not at fault. */
export type Compared = { verdict: Verdict } | { note: string }

type LookBackType = 'RUNS' | 'DAYS' | 'HOURS' | 'MINUTES'
const unitMs = { DAYS: 86_400_000, HOURS: 3_600_000, MINUTES: 60_000 } as const

/** Earlier runs within a window before `now`, newest first. */
export function within(past: readonly Past[], window: number, type: LookBackType, now: number): Past[] {
  const newestFirst = past.filter(({ at }) => at < now).sort((a, b) => b.at - a.at)
  return type === 'RUNS'
    ? newestFirst.slice(0, window)
    : newestFirst.filter(({ at }) => at >= now - window * unitMs[type])
}

const minus = (a: Exact, b: Exact): Exact => addExact(a, { numerator: -b.numerator, denominator: b.denominator })
const absolute = (a: Exact): Exact => (a.numerator < 0n ? { ...a, numerator: -a.numerator } : a)
const hundred = exactOf(100)

const meanOf = (values: readonly Exact[]): Exact =>
  divideExact(values.reduce(addExact, exactZero), exactOf(values.length))

/**
 * RELATIVE: how far the value is from the mean of the runs in the look-back window, in percent of that mean or in its own
 * unit. INCREASED_BY looks at rises and DECREASED_BY at falls only, CHANGES_BY at both (`isDirectional`: with their sign).
 * The change has to stand in `operator` to `success`, else to `warning`; LEGACY is LTE.
 */
export function judgeRelative(
  value: Exact,
  { config, operationalConfig }: Extract<Threshold, { type: 'RELATIVE' }>,
  past: readonly Past[],
  now: number,
): Compared {
  const { window, windowType } = operationalConfig.lookBack
  const before = within(past, window, windowType, now)
  if (before.length === 0) return { note: 'There is no earlier run to compare with yet.' }
  const mean = meanOf(before.map((one) => one.value))
  const difference = minus(value, mean)
  const isZero = compareExact(mean, exactZero) === 0
  if (config.unit === 'PERCENTAGE' && isZero && compareExact(difference, exactZero) !== 0)
    return { verdict: compareToLimit('infinite', config.operator, config.success) ? 'SUCCESSFUL' : 'ERRORED' }
  const change =
    config.unit === 'ABSOLUTE' || isZero ? difference : divideExact(multiplyExact(difference, hundred), absolute(mean))
  const size = sizeOf(change, config.direction, config.isDirectional)
  if (compareToLimit(size, config.operator, config.success)) return { verdict: 'SUCCESSFUL' }
  const warns = config.warning !== undefined && compareToLimit(size, config.operator, config.warning)
  return { verdict: warns ? 'WARNING' : 'ERRORED' }
}

type Relative = Extract<Threshold, { type: 'RELATIVE' }>['config']

function sizeOf(change: Exact, direction: Relative['direction'], isDirectional: boolean): Exact {
  switch (direction) {
    case 'INCREASED_BY':
      return change.numerator > 0n ? change : exactZero
    case 'DECREASED_BY':
      return change.numerator < 0n ? absolute(change) : exactZero
    case 'CHANGES_BY':
      return isDirectional ? change : absolute(change)
    default:
      return direction satisfies never
  }
}

/** A change in percent of nothing is larger than any. */
function compareToLimit(size: Exact | 'infinite', operator: Relative['operator'], limit: number): boolean {
  const order = size === 'infinite' ? 1 : compareExact(size, exactOf(limit))
  return holds(order, operator === 'LEGACY' ? 'LTE' : operator)
}

/**
 * TIME_BASED: the value has to have been another one in the look-back window of success, else of warning: what stands still
 * for longer is stale. Without a run as old as the window nothing can be said.
 */
export function judgeTimeBased(
  value: Exact,
  { config }: Extract<Threshold, { type: 'TIME_BASED' }>,
  past: readonly Past[],
  now: number,
): Compared {
  const { lookBackWindowType: type, successLookBackWindow, warningLookBackWindow } = config
  const changedWithin = (window: number) =>
    within(past, window, type, now).some((one) => compareExact(one.value, value) !== 0)
  if (changedWithin(successLookBackWindow)) return { verdict: 'SUCCESSFUL' }
  if (!reaches(past, successLookBackWindow, type, now))
    return { note: 'Earlier runs do not reach as far back as the look-back window yet.' }
  if (warningLookBackWindow === undefined) return { verdict: 'ERRORED' }
  if (changedWithin(warningLookBackWindow)) return { verdict: 'WARNING' }
  return { verdict: reaches(past, warningLookBackWindow, type, now) ? 'ERRORED' : 'WARNING' }
}

/** Whether the runs known are as many, or as old, as the window asks for. */
function reaches(past: readonly Past[], window: number, type: LookBackType, now: number): boolean {
  if (type === 'RUNS') return within(past, window, 'RUNS', now).length >= window
  return past.some(({ at }) => at <= now - window * unitMs[type])
}

/** The verdict on a value by what earlier runs measured. `now`: when the run began, epoch milliseconds. */
export function judgeByHistory(value: Exact, threshold: Comparing, past: readonly Past[], now: number): Compared {
  switch (threshold.type) {
    case 'RELATIVE':
      return judgeRelative(value, threshold, past, now)
    case 'TIME_BASED':
      return judgeTimeBased(value, threshold, past, now)
    case 'ANOMALY': {
      const numbers = past.map((one) => ({ value: numberOf(one.value), at: one.at }))
      return judgeAnomaly(numberOf(value), threshold, numbers, now)
    }
    default:
      return threshold satisfies never
  }
}

/** The nearest double; exact ones of any length have one. */
function numberOf({ numerator, denominator }: Exact): number {
  const [n, d] = [Number(numerator), Number(denominator)]
  return Number.isFinite(n) && Number.isFinite(d) ? n / d : Number(numerator / denominator)
}

/** How many runs back a threshold looks at most; time windows and what is usual look at the last 100. */
export const longestHistory = 100

/** Runs that a judgement of what is usual needs. */
export const fewestRuns = 7

/** How many robust deviations from the middle each level lets pass. */
const bands = { HIGH: 3, MEDIUM: 5, LOW: 8 } as const
/** Of a normal distribution, the deviation is so many times the median of absolute differences. */
const normalMad = 1.4826

/**
 * ANOMALY: how far the value lies from the median of earlier runs, in medians of absolute deviation, against the band of
 * the sensitivity (HIGH 3, MEDIUM 5, LOW 8). Robust: single outliers of the past do not widen the band, and the judged
 * value is never part of what it is judged by. Where there is a run of the same weekday in each of three weeks, only those
 * runs count. Where all are positive, factors are compared. Values that never moved have a floor of 0.1 %.
 */
export function judgeAnomaly(
  value: number,
  { config }: Extract<Threshold, { type: 'ANOMALY' }>,
  past: readonly { value: number; at: number }[],
  now: number,
): Compared {
  const before = past.filter(({ at, value: one }) => at < now && Number.isFinite(one))
  if (before.length < fewestRuns) {
    return { note: `What is usual is known after ${fewestRuns} runs; there are ${before.length} yet.` }
  }
  const compared = sameWeekday(before, now).map((one) => one.value)
  // What is always positive moves by factors: a half is as far as a double.
  const byFactor = value > 0 && compared.every((one) => one > 0)
  const scaled = (one: number) => (byFactor ? Math.log(one) : one)
  const usual = compared.map(scaled)
  const middle = median(usual)
  const least = byFactor ? 0.001 : Math.max(Math.abs(middle) * 0.001, Number.EPSILON)
  const deviation = Math.max(median(usual.map((one) => Math.abs(one - middle))) * normalMad, least)
  const distance = Math.abs(scaled(value) - middle) / deviation
  if (distance <= bands[config.successSensitivityLevel]) return { verdict: 'SUCCESSFUL' }
  const { warningSensitivityLevel } = config
  const warns = warningSensitivityLevel !== undefined && distance <= bands[warningSensitivityLevel]
  return { verdict: warns ? 'WARNING' : 'ERRORED' }
}

const weekMs = 7 * unitMs.DAYS
const fewestWeeks = 3

function sameWeekday<T extends { at: number }>(past: readonly T[], now: number): readonly T[] {
  const same = past.filter(({ at }) => new Date(at).getUTCDay() === new Date(now).getUTCDay())
  const weeks = new Set(same.map(({ at }) => Math.floor(at / weekMs)))
  return weeks.size >= fewestWeeks && same.length >= fewestRuns ? same : past
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  const half = sorted.length >> 1
  const [low = 0, high = 0] = sorted.length % 2 === 1 ? [sorted[half], sorted[half]] : [sorted[half - 1], sorted[half]]
  return low + (high - low) / 2
}
