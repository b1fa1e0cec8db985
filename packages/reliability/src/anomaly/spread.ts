import { medianOfSorted, valueAt } from './medians.ts'
import type { Scale } from './scale.ts'

/** In a normal distribution, the standard deviation divided by the median absolute deviation. */
export const normalMad = 1.4826
/** Deviations beyond this many are cut, so that outliers of the past do not widen the band. */
const cut = 2.5
/**
 * Residuals vary more than the values, because the level (a median of fourteen values) varies too. They are divided by
 * this.
 */
const levelNoise = 1.03
/**
 * For series in which more than half of the values are equal. The deviation that `share` of the values reach or exceed
 * counts as `deviations` standard deviations, if at least `min` values deviate.
 */
const others = { share: 0.05, min: 4, deviations: 2.5 }
/** Values this close together are equal. */
const rounding = 1e-9
/**
 * A deviation that at least `share` of the values reach is usual, so it must not exceed `deviations` standard
 * deviations.
 */
const usual = { share: 0.1, min: 1, deviations: 3.5 }

/**
 * The robust standard deviation of residuals. Residuals beyond 2.5 times the median absolute deviation (scaled to a
 * normal distribution) are cut first. The result is at least `least`. `learned`: number of parameters that were
 * estimated from the same residuals. Few residuals make what is estimated larger, because later residuals may lie
 * farther apart; `least` is no estimate, so equal values have a narrow band from the start. `odd`: marks residuals that
 * must not widen it; asked only if some are so large that they were cut, or that they decide.
 */
export function spreadOf(residuals: Float64Array, learned: number, least: number, odd: () => Uint8Array): number {
  const count = residuals.length
  const sizes = new Float64Array(count)
  for (let index = 0; index < count; index += 1) sizes[index] = Math.abs(valueAt(residuals, index))
  const sorted = sizes.toSorted()
  const middle = medianOfSorted(sorted)
  const limit = cut * Math.max(normalMad * middle, least)
  const estimatesOf = (some: Float64Array) => ({
    ofAll: Math.sqrt(sumOfSquares(some, limit) / some.length) / levelNoise,
    ofLarge: Math.max(usualSize(some) / usual.deviations, middle > rounding ? 0 : spreadOfOthers(some, least)),
  })
  let estimates = estimatesOf(sorted)
  if (estimates.ofLarge > estimates.ofAll || valueAt(sorted, count - 1) > limit) {
    const marks = odd()
    estimates = estimatesOf(sizes.filter((_, index) => marks[index] !== 1).sort())
  }
  return Math.max(Math.max(estimates.ofAll, estimates.ofLarge) * caution(count, learned), least)
}

function sumOfSquares(sizes: Float64Array, limit: number): number {
  let sum = 0
  for (const size of sizes) sum += Math.min(size, limit) ** 2
  return sum
}

/** The size that a tenth of the residuals, and at least two, reach. */
function usualSize(sorted: Float64Array): number {
  return valueAt(sorted, sorted.length - 1 - Math.max(usual.min, Math.floor(sorted.length * usual.share)))
}

/**
 * The deviation of a series with mostly equal values, such as rain on mostly dry days. It follows from the largest
 * deviations.
 */
function spreadOfOthers(sorted: Float64Array, least: number): number {
  const count = sorted.filter((size) => size > least).length
  if (count < Math.max(others.min, sorted.length * others.share)) return 0
  return valueAt(sorted, sorted.length - 1 - Math.floor(sorted.length * others.share)) / others.deviations
}

/**
 * Factor that makes false alarms as rare with few values as with many. Calibrated on generated series
 * (`docs/detection.md`).
 */
function caution(count: number, learned: number): number {
  const free = Math.max(count - learned, 1)
  return (1 + (7 / free) ** 2) * (1 + ((2.4 * learned) / count) ** 4)
}

/**
 * Weight of the Poisson assumption, in values. Some counts vary less than Poisson counts, such as the rows of a fixed
 * list.
 */
const assumed = 7
const farthest = 3

/**
 * The least deviation around `place`. Counts vary like Poisson counts, or less if their residuals say so. The factor is
 * the standard deviation of the residuals in units of Poisson deviations, with seven more residuals of one unit.
 */
export function leastSpread(scale: Scale, place: number, places: Float64Array, residuals: Float64Array): number {
  const { poisson } = scale
  if (poisson === undefined) return scale.least(place)
  let sum = assumed
  for (let index = 0; index < places.length; index += 1) {
    const residual = valueAt(residuals, index)
    sum += Math.min(Math.abs(residual) / poisson(valueAt(places, index) - residual), farthest) ** 2
  }
  const share = Math.sqrt(sum / (assumed + places.length))
  return Math.max(scale.least(place), Math.min(1, share) * poisson(place))
}
