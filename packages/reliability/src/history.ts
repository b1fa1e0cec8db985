import type { Threshold } from '@assay/contracts'
import type { Reading } from './anomaly/detect.ts'
import { judgeAnomaly } from './anomaly/judge-anomaly.ts'
import { holds } from './comparison.ts'
import {
  addExact,
  compareExact,
  divideExact,
  type Exact,
  exactOf,
  exactZero,
  multiplyExact,
  numberOf,
} from './exact.ts'
import { exactOfFigure, figureOf } from './series/figure.ts'
import type { Figure } from './series/item-figures.ts'
import { anyValue, finiteRange, type Range } from './series/judged-point.ts'
import { type History, lookBack, reaches, usualPoints, type Window, windowsOf } from './series/look-back.ts'
import type { Comparing, Verdict } from './threshold.ts'
import { localOf } from './zone-time.ts'

/**
 * The verdict by comparison with earlier runs. The note says which runs it rests on, or why the value passes without a
 * comparison.
 */
export interface Compared {
  verdict: Verdict
  note?: string
  range: Range
}
const notCompared = (note: string): Compared => ({ verdict: 'SUCCESSFUL', note, range: anyValue })

const minus = (a: Exact, b: Exact): Exact => addExact(a, { numerator: -b.numerator, denominator: b.denominator })
const absolute = (a: Exact): Exact => (a.numerator < 0n ? { ...a, numerator: -a.numerator } : a)
const hundred = exactOf(100)

/**
 * RELATIVE: the difference between the value and the mean of the runs in the look-back window, in percent of that mean
 * or in its own unit. INCREASED_BY judges only rises, DECREASED_BY only falls, CHANGES_BY both. With `isDirectional`,
 * CHANGES_BY keeps the sign of the difference. The difference must satisfy `operator` with `success`, else with
 * `warning`. LEGACY means LTE.
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
  const range = relativeRange(numberOf(mean), config)
  if (config.unit === 'PERCENTAGE' && isZero && compareExact(difference, exactZero) !== 0)
    return { verdict: compareToLimit('infinite', config.operator, config.success) ? 'SUCCESSFUL' : 'ERRORED', range }
  const change =
    config.unit === 'ABSOLUTE' || isZero ? difference : divideExact(multiplyExact(difference, hundred), absolute(mean))
  const size = sizeOf(change, config.direction, config.isDirectional)
  if (compareToLimit(size, config.operator, config.success)) return { verdict: 'SUCCESSFUL', range }
  const warns = config.warning !== undefined && compareToLimit(size, config.operator, config.warning)
  return { verdict: warns ? 'WARNING' : 'ERRORED', range }
}

type Relative = Extract<Threshold, { type: 'RELATIVE' }>['config']

/** Only a limit on the size of a change corresponds to a range of values. */
function relativeRange(mean: number, { operator, unit, success, direction, isDirectional }: Relative): Range {
  if ((operator !== 'LTE' && operator !== 'LT' && operator !== 'LEGACY') || isDirectional) return anyValue
  const width = unit === 'ABSOLUTE' ? success : (Math.abs(mean) * success) / 100
  return finiteRange(
    direction === 'INCREASED_BY' ? null : mean - width,
    direction === 'DECREASED_BY' ? null : mean + width,
  )
}

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

/** In percent of zero, every change is infinite. */
function compareToLimit(size: Exact | 'infinite', operator: Relative['operator'], limit: number): boolean {
  const order = size === 'infinite' ? 1 : compareExact(size, exactOf(limit))
  return holds(order, operator === 'LEGACY' ? 'LTE' : operator)
}

/**
 * TIME_BASED: the value must have changed within the look-back window of `success`, else within that of `warning`;
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
  const range = anyValue
  if (changedWithin(success)) return { verdict: 'SUCCESSFUL', range }
  if (!reaches(history, success))
    return notCompared('Earlier runs do not reach as far back as the look-back window yet.')
  if (warning === undefined) return { verdict: 'ERRORED', range }
  if (changedWithin(warning)) return { verdict: 'WARNING', range }
  return { verdict: reaches(history, warning) ? 'ERRORED' : 'WARNING', range }
}

/** The verdict on a value by comparison with earlier runs. `judged`: whether the value is a percentage or a number. */
export function judgeByHistory(value: Exact, threshold: Comparing, history: History, judged: Figure): Compared {
  // In its stored form, so that an unchanged value equals the earlier one.
  const figure = exactOfFigure(figureOf(value))
  switch (threshold.type) {
    case 'RELATIVE':
      return judgeRelative(figure, threshold, history)
    case 'TIME_BASED':
      return judgeTimeBased(figure, threshold, history)
    case 'ANOMALY':
      return judgeAnomaly(testedReading(history, numberOf(figure)), threshold, {
        readings: readingsOf(history),
        figure: judged,
      })
    default:
      return threshold satisfies never
  }
}

/** The earlier values as doubles, ascending by the wall clock of the history's zone. Seasons follow this clock. */
export function readingsOf(history: History): Reading[] {
  const { timeZone = 'UTC' } = history
  return usualPoints(history)
    .map(({ value, at, ...point }) => ({
      ...point,
      at: localOf(at, timeZone),
      value: numberOf(exactOfFigure(value)),
    }))
    .filter(({ value }) => Number.isFinite(value))
    .sort((a, b) => a.at - b.at)
}

/** The judged value. Its time is shifted to the wall clock, as in `readingsOf`. */
export function testedReading({ now, timeZone = 'UTC', isNowConfirmed = false }: History, value: number): Reading {
  return { at: localOf(now, timeZone), value, ...(isNowConfirmed ? { isConfirmed: true } : {}) }
}
