import type { History } from '../series/look-back.ts'
import { dayMs } from '../series/series-day.ts'
import type { Sensitivity } from './sensitivity.ts'

const monthDays = 30

/** For a series with one value a day: no lower than the rates of `docs/detection.md`. */
const perMonth: Readonly<Record<Sensitivity, number>> = { HIGH: 0.4, MEDIUM: 0.011, LOW: 0.007 }

/** The highest number of false alarms to expect in a month from series with one value a day each. Pure. */
export function expectedFalseAlarms(...sensitivities: Sensitivity[]): number {
  return Number(sensitivities.reduce((sum, one) => sum + perMonth[one], 0).toPrecision(3))
}

/**
 * The highest number of false alarms to expect in a month from these series, if they are measured as often as in the
 * last month. Pure.
 */
export function expectedOf(sensitivity: Sensitivity, histories: readonly History[]): number {
  const expected =
    histories.reduce((sum, history) => sum + recentValues(history) / monthDays, 0) * perMonth[sensitivity]
  return Number(expected.toPrecision(3))
}

/** The number of values in the last month, including the one that is judged now. */
function recentValues({ now, days }: History): number {
  const recent = days.filter(({ summary }) => summary.lastAt >= now - monthDays * dayMs)
  return 1 + recent.reduce((sum, { summary }) => sum + summary.count, 0)
}
