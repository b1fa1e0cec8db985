import type { Threshold } from '@assay/contracts'
import { holds } from './comparison.ts'
import { addExact, compareExact, divideExact, type Exact, exactOf, exactZero, multiplyExact } from './exact.ts'
import { exactOfFigure, figureOf } from './series/figure.ts'
import { fewestRuns, type History, lookBack, reaches, usualPoints, type Window, windowsOf } from './series/look-back.ts'
import type { Comparing, Verdict } from './threshold.ts'

/** The verdict by comparison with earlier runs, or a note why there is none; without one the data is not at fault. */
export type Compared = { verdict: Verdict } | { note: string }

const minus = (a: Exact, b: Exact): Exact => addExact(a, { numerator: -b.numerator, denominator: b.denominator })
const absolute = (a: Exact): Exact => (a.numerator < 0n ? { ...a, numerator: -a.numerator } : a)
const hundred = exactOf(100)

/**
 * RELATIVE: how far the value is from the mean of the runs in the look-back window, in percent of that mean or in its own
 * unit. INCREASED_BY looks at rises and DECREASED_BY at falls only, CHANGES_BY at both (`isDirectional`: with their sign).
 * The change has to stand in `operator` to `success`, else to `warning`; LEGACY is LTE.
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

/** The verdict on a value by what earlier runs measured. */
export function judgeByHistory(value: Exact, threshold: Comparing, history: History): Compared {
  // As it will be kept: what is the same as before has to be found the same.
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

/** The nearest double; exact ones of any length have one. */
function numberOf({ numerator, denominator }: Exact): number {
  const [n, d] = [Number(numerator), Number(denominator)]
  return Number.isFinite(n) && Number.isFinite(d) ? n / d : Number(numerator / denominator)
}

/** How many robust deviations from the middle each level lets pass. */
const bands = { HIGH: 3, MEDIUM: 5, LOW: 8 } as const
/** Of a normal distribution, the deviation is so many times the median of absolute differences. */
const normalMad = 1.4826

/**
 * ANOMALY: how far the value lies from the median of earlier runs, in medians of absolute deviation, against the band of
 * the sensitivity (HIGH 3, MEDIUM 5, LOW 8). Robust: single outliers of the past do not widen the band, and the judged
 * value is never part of what it is judged by. Where there are runs of the same weekday in each of three weeks, only those
 * count. Where all are positive, factors are compared. Values that never moved have a floor of 0.1 %.
 */
export function judgeAnomaly(
  value: number,
  { config }: Extract<Threshold, { type: 'ANOMALY' }>,
  history: History,
): Compared {
  const compared = usualPoints(history)
    .map((point) => numberOf(exactOfFigure(point.value)))
    .filter(Number.isFinite)
  if (compared.length < fewestRuns) {
    return { note: `What is usual is known after ${fewestRuns} runs; there are ${compared.length} yet.` }
  }
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

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  const half = sorted.length >> 1
  const [low = 0, high = 0] = sorted.length % 2 === 1 ? [sorted[half], sorted[half]] : [sorted[half - 1], sorted[half]]
  return low + (high - low) / 2
}
