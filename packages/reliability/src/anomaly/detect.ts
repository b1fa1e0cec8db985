import { valueAt } from './medians.ts'
import { minReadings, predict } from './predict.ts'
import { type Scaled, scaleOf } from './scale.ts'
import type { SeasonName } from './seasons.ts'
import { limits, type Sensitivity } from './sensitivity.ts'

/** A value of a series. `at`: epoch milliseconds, shifted to the wall clock whose hours and days are the seasons. */
export interface Reading {
  at: number
  value: number
  /** Feedback confirmed the value as normal. Later values that deviate at most as much do not fire. */
  isConfirmed?: boolean
}

/** The judgement of a value: how far it is from the prediction of its series. */
export interface Detection {
  expected: number
  season: SeasonName
  /** Robust standard deviations from the expected value, negative below it. */
  score: number
  /** The range of values that do not fire. `lower` is minus infinity where no small value fires. */
  band(sensitivity: Sensitivity): { lower: number; upper: number }
  /** Whether the latest values agree with each other and not with the earlier ones. */
  isNewLevel(sensitivity: Sensitivity): boolean
}

/** Number of latest values, including the judged one, that must agree to propose a new normal. */
const shiftLength = 5

/**
 * Judges a value by the earlier values of its series (ascending by time). Compares it with a robust seasonal median and
 * deviation, on a scale of factors, log odds or, for small counts, square roots. `undefined` if there are fewer than
 * seven earlier values. Pure.
 */
export function detect(readings: readonly Reading[], tested: Reading, figure: Scaled): Detection | undefined {
  if (readings.length < minReadings) return undefined
  const values = new Float64Array(readings.length)
  const times = new Float64Array(readings.length)
  for (const [index, { at, value }] of readings.entries()) {
    values[index] = value
    times[index] = at
  }
  const scale = scaleOf(values, tested.value, figure)
  const scaled = new Float64Array(values.length)
  for (let index = 0; index < values.length; index += 1) scaled[index] = scale.to(valueAt(values, index))
  const isConfirmed = (index: number) => readings[index]?.isConfirmed === true
  const fit = predict({ scale, values: scaled, at: times, isConfirmed }, tested.at)
  const { spread } = fit
  const distance = scale.to(tested.value) - fit.expected
  const confirmed = confirmedRange(readings, fit.residuals, spread)
  const own = tested.isConfirmed === true ? distance : 0
  const normal = { lowest: Math.min(confirmed.lowest, own), highest: Math.max(confirmed.highest, own) }
  const score = distance >= normal.lowest && distance <= normal.highest ? 0 : distance / spread
  return {
    expected: scale.from(fit.expected),
    season: fit.season,
    score,
    band(sensitivity) {
      const width = limits[sensitivity] * spread
      return {
        lower: scale.from(fit.expected + Math.min(-width, normal.lowest)),
        upper: scale.from(fit.expected + Math.max(width, normal.highest)),
      }
    },
    isNewLevel(sensitivity) {
      const limit = limits[sensitivity]
      if (Math.abs(score) <= limit) return false
      const latest = [...fit.residuals.slice(1 - shiftLength), distance].map((one) => (one / spread) * Math.sign(score))
      const [least, most] = [Math.min(...latest), Math.max(...latest)]
      return least > limit && most - least < (most + least) / 4
    },
  }
}

/** The distances from the prediction that feedback confirmed as normal, widened by one deviation. */
function confirmedRange(readings: readonly Reading[], residuals: Float64Array, spread: number) {
  let [lowest, highest] = [0, 0]
  for (const [index, { isConfirmed }] of readings.entries()) {
    if (!isConfirmed) continue
    const residual = valueAt(residuals, index)
    lowest = Math.min(lowest, residual - spread)
    highest = Math.max(highest, residual + spread)
  }
  return { lowest, highest }
}
