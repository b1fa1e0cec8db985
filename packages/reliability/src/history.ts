import type { Threshold } from '@assay/contracts'
import { holds } from './comparison.ts'
import { addExact, compareExact, divideExact, type Exact, exactOf, exactZero, multiplyExact } from './exact.ts'
import { exactOfFigure, figureOf } from './series/figure.ts'
import { type History, lookBack, minRuns, reaches, usualPoints, type Window, windowsOf } from './series/look-back.ts'
import type { Comparing, Verdict } from './threshold.ts'

/** The verdict by comparison with earlier runs, or a note why there is none, which counts as passed. */
export type Compared = { verdict: Verdict } | { note: string }

const minus = (a: Exact, b: Exact): Exact => addExact(a, { numerator: -b.numerator, denominator: b.denominator })
const absolute = (a: Exact): Exact => (a.numerator < 0n ? { ...a, numerator: -a.numerator } : a)
const hundred = exactOf(100)

/**
 * RELATIVE: the difference between the value and the mean of the runs in the look-back window, in percent of that mean
 * or in its own unit. INCREASED_BY judges only rises, DECREASED_BY only falls, CHANGES_BY both (`isDirectional`: with
 * their sign). The change must satisfy `operator` with `success`, else with `warning`; LEGACY is LTE.
 */
export function judgeRelative(
  value: Exact,
  threshold: Extract<Threshold, { type: 'RELATIVE' }>,
  history: History,
): Compared {
  const { config } = threshold
  const before = lookBack(history, windowsOf(threshold).success)
  if (before === undefined) return { note: 'There is no earlier run to compare with yet.' }
  const mean = divideExact(exactOfFigure(before.sum), exactOf(before.count))
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

/** A change in percent of zero is infinite. */
function compareToLimit(size: Exact | 'infinite', operator: Relative['operator'], limit: number): boolean {
  const order = size === 'infinite' ? 1 : compareExact(size, exactOf(limit))
  return holds(order, operator === 'LEGACY' ? 'LTE' : operator)
}

/**
 * TIME_BASED: the value must have changed within the look-back window of success, else within that of warning;
 * otherwise it is stale. Gives no verdict unless earlier runs reach as far back as the window.
 */
export function judgeTimeBased(
  value: Exact,
  threshold: Extract<Threshold, { type: 'TIME_BASED' }>,
  history: History,
): Compared {
  const { success, warning } = windowsOf(threshold)
  const isOther = (figure: string) => compareExact(exactOfFigure(figure), value) !== 0
  const changedWithin = (window: Window) => {
    const before = lookBack(history, window)
    return before !== undefined && (isOther(before.least) || isOther(before.most))
  }
  if (changedWithin(success)) return { verdict: 'SUCCESSFUL' }
  if (!reaches(history, success)) return { note: 'Earlier runs do not reach as far back as the look-back window yet.' }
  if (warning === undefined) return { verdict: 'ERRORED' }
  if (changedWithin(warning)) return { verdict: 'WARNING' }
  return { verdict: reaches(history, warning) ? 'ERRORED' : 'WARNING' }
}

/** The verdict on a value by comparison with earlier runs. */
export function judgeByHistory(value: Exact, threshold: Comparing, history: History): Compared {
  // In the stored form, so that an unchanged value compares as equal.
  const figure = exactOfFigure(figureOf(value))
  switch (threshold.type) {
    case 'RELATIVE':
      return judgeRelative(figure, threshold, history)
    case 'TIME_BASED':
      return judgeTimeBased(figure, threshold, history)
    case 'ANOMALY':
      return judgeAnomaly(numberOf(figure), threshold, history)
    default:
      return threshold satisfies never
  }
}

/** The nearest double, for fractions of any length. */
function numberOf({ numerator, denominator }: Exact): number {
  const [n, d] = [Number(numerator), Number(denominator)]
  return Number.isFinite(n) && Number.isFinite(d) ? n / d : Number(numerator / denominator)
}

/** Maximum number of robust deviations from the median, by sensitivity. */
const bands = { HIGH: 3, MEDIUM: 5, LOW: 8 } as const
/** In a normal distribution, the standard deviation divided by the median absolute deviation. */
const normalMad = 1.4826

/**
 * ANOMALY: the distance of the value from the median of earlier runs, in median absolute deviations, against the limit
 * of the sensitivity (HIGH 3, MEDIUM 5, LOW 8). Single outliers of the past do not widen the band, and the judged value
 * is never part of the history. If there are runs on the same weekday in each of three weeks, only those count. If all
 * values are positive, factors are compared. For values that never changed, the band is at least 0.1 %.
 */
export function judgeAnomaly(
  value: number,
  { config }: Extract<Threshold, { type: 'ANOMALY' }>,
  history: History,
): Compared {
  const compared = usualPoints(history)
    .map((point) => numberOf(exactOfFigure(point.value)))
    .filter(Number.isFinite)
  if (compared.length < minRuns) {
    return { note: `The usual values are known after ${minRuns} runs; so far there are ${compared.length}.` }
  }
  // Positive values change by factors: half is as far as double.
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

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  const half = sorted.length >> 1
  const [low = 0, high = 0] = sorted.length % 2 === 1 ? [sorted[half], sorted[half]] : [sorted[half - 1], sorted[half]]
  return low + (high - low) / 2
}
