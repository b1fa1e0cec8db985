import { bestFit, type Fit } from './fit.ts'
import { timesOf } from './level.ts'
import { valueAt } from './medians.ts'
import type { Scale } from './scale.ts'
import { limits } from './sensitivity.ts'
import { leastSpread, spreadOf } from './spread.ts'

/** Minimum number of earlier values (decision 101). */
export const minReadings = 7
/** With more values than these, two or three odd ones are too few to count as usual. */
const maxShort = 29
/** Deviations that come and go this often are usual. */
const usualEpisodes = 3

/** The values of a series on its scale, ascending by time. */
export interface Series {
  scale: Scale
  values: Float64Array
  at: Float64Array
  /** Whether feedback confirmed a value as normal. */
  isConfirmed(index: number): boolean
}

export interface Prediction extends Fit {
  /** The robust standard deviation of values from their predictions. */
  spread: number
}

/** The prediction of a series for the time `now`. Pure. */
export function predict(series: Series, now: number): Prediction {
  return predictWithout(series, now, () => oddValues(series))
}

function predictWithout({ scale, values, at }: Series, now: number, odd: () => Uint8Array): Prediction {
  const fit = bestFit(values, timesOf(at), now)
  const least = leastSpread(scale, fit.expected, values, fit.residuals)
  return { ...fit, spread: spreadOf(fit.residuals, fit.phases, least, odd) }
}

/**
 * Marks the values of a short series that fired when they were measured, at LOW, and those of the first seven that
 * would have. Otherwise two faults among ten values would count as usual, and hide all smaller faults. Values that lasted
 * are one episode; from the third episode on, all of them are usual. Feedback confirms a value immediately.
 */
function oddValues(series: Series): Uint8Array {
  const { values, at, isConfirmed } = series
  const odd = new Uint8Array(values.length)
  if (values.length > maxShort) return odd
  const mark = (index: number, distance: number, spread: number) => {
    if (Math.abs(distance) > limits.LOW * spread && !isConfirmed(index)) odd[index] = 1
  }
  for (let index = minReadings; index < values.length; index += 1) {
    const before = { ...series, values: values.subarray(0, index), at: at.subarray(0, index) }
    const { expected, residuals, spread } = predictWithout(before, valueAt(at, index), () => odd)
    if (index === minReadings) for (const [first, residual] of residuals.entries()) mark(first, residual, spread)
    mark(index, valueAt(values, index) - expected, spread)
  }
  const episodes = odd.filter((isOdd, index) => isOdd === 1 && odd[index - 1] !== 1).length
  return episodes < usualEpisodes ? odd : new Uint8Array(values.length)
}
