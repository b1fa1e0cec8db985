import type { Threshold } from '@assay/contracts'
import type { Reading } from './anomaly/detect.ts'
import { judgeAnomaly } from './anomaly/judge-anomaly.ts'
import { holds } from './comparison.ts'
import { addExact, compareExact, divideExact, type Exact, exactOf, exactZero, multiplyExact } from './exact.ts'
import { exactOfFigure, figureOf } from './series/figure.ts'
import type { Figure } from './series/item-figures.ts'
import { type History, lookBack, reaches, usualPoints, type Window, windowsOf } from './series/look-back.ts'
import type { Comparing, Verdict } from './threshold.ts'

/** The verdict by comparison with earlier runs. The note says what it rests on, or why it passes without comparison. */
export interface Compared {
  verdict: Verdict
  note?: string
}
const notCompared = (note: string): Compared => ({ verdict: 'SUCCESSFUL', note })

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
  if (before === undefined) return notCompared('There is no earlier run to compare with yet.')
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
  if (!reaches(history, success))
    return notCompared('Earlier runs do not reach as far back as the look-back window yet.')
  if (warning === undefined) return { verdict: 'ERRORED' }
  if (changedWithin(warning)) return { verdict: 'WARNING' }
  return { verdict: reaches(history, warning) ? 'ERRORED' : 'WARNING' }
}

/** The verdict on a value by comparison with earlier runs. `judged`: whether the value is a percentage or a number. */
export function judgeByHistory(value: Exact, threshold: Comparing, history: History, judged: Figure): Compared {
  // In the stored form, so that an unchanged value compares as equal.
  const figure = exactOfFigure(figureOf(value))
  switch (threshold.type) {
    case 'RELATIVE':
      return judgeRelative(figure, threshold, history)
    case 'TIME_BASED':
      return judgeTimeBased(figure, threshold, history)
    case 'ANOMALY':
      return judgeAnomaly({ at: history.now, value: numberOf(figure) }, threshold, {
        readings: readingsOf(history),
        figure: judged,
      })
    default:
      return threshold satisfies never
  }
}

/** The nearest double, for fractions of any length. */
function numberOf({ numerator, denominator }: Exact): number {
  const [n, d] = [Number(numerator), Number(denominator)]
  return Number.isFinite(n) && Number.isFinite(d) ? n / d : Number(numerator / denominator)
}

/** The earlier values as doubles, ascending by time. */
function readingsOf(history: History): Reading[] {
  return usualPoints(history)
    .map(({ value, ...point }) => ({ ...point, value: numberOf(exactOfFigure(value)) }))
    .filter(({ value }) => Number.isFinite(value))
    .sort((a, b) => a.at - b.at)
}
