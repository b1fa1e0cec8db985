import type { Figure } from '../series/item-figures.ts'
import { median, valueAt } from './medians.ts'

/**
 * How the values of a series are compared. Differences on the scale are factors for numbers, and log odds for
 * percentages, so that 99 to 98 % is as far as 1 to 2 %.
 */
export interface Scale {
  to(value: number): number
  /** The value at a position on the scale. Minus infinity: the scale does not distinguish the values below. */
  from(position: number): number
  /** The minimum standard deviation around `position`, on the scale. A constant series has it, too. */
  least(position: number): number
  /** Only for counts: the standard deviation of Poisson counts around `position`. */
  poisson?(position: number): number
}

/** What the values of a series are. DISTANCE: how far one profile is from another, never negative and often near zero. */
export type Scaled = Figure | 'DISTANCE'

/** The deviation of a constant series: 0.1 %. */
const leastShare = 0.001
/**
 * Shares within this distance of 0 or 1 count as equal. The distance is between these two; it depends on how finely the
 * series is measured.
 */
const edges = { finest: 0.0001, coarsest: 0.001 }

/**
 * The scale of a series: log odds for percentages (0 to 100); square roots and logarithms for counts; logarithms for
 * positive values; a mixture of differences and logarithms for amounts that can be zero; the values themselves if some
 * are negative; square roots for distances.
 */
export function scaleOf(values: Float64Array, tested: number, figure: Scaled): Scale {
  if (figure === 'PERCENTAGE') return percentages(values)
  if (figure === 'DISTANCE') return distances
  const isWhole = (value: number) => Number.isInteger(value) && value >= 0
  if (isWhole(tested) && values.every(isWhole)) return counts
  if (values.every((value) => value > 0)) return factors(values)
  return tested >= 0 && values.every((value) => value >= 0) ? amounts(values) : differences(values)
}

/**
 * Counts are compared by square roots while their Poisson deviation is more than this share of the count, which means
 * below 25.
 */
const rootShare = 0.2
const counted = (position: number) => Math.sinh((rootShare * Math.max(position, 0)) / 2) ** 2

/**
 * A scale of square roots for small counts, where the deviation of Poisson counts is about one, and of logarithms for
 * large counts.
 */
const counts: Scale = {
  to: (count) => (2 / rootShare) * Math.asinh(rootShare * Math.sqrt(count + 3 / 8)),
  from: (position) => Math.max(0, counted(position) / rootShare ** 2 - 3 / 8),
  least: (position) => (leastShare / rootShare) * Math.sqrt(counted(position) / (1 + counted(position))),
  poisson: (position) => 1 / Math.sqrt(1 + counted(position)),
}

function factors(values: Float64Array): Scale {
  // Zero and negative numbers have no logarithm, so they count as a thousandth of the least value.
  const least = values.reduce((a, b) => Math.min(a, b)) / 1000
  return {
    to: (value) => Math.log(Math.max(value, least)),
    // If that thousandth passes, so does every number below it.
    from: (position) => (position <= Math.log(least) ? Number.NEGATIVE_INFINITY : Math.exp(position)),
    least: () => leastShare,
  }
}

/** Amounts that can be zero, such as rain: large ones are compared by factors, small ones by differences. */
function amounts(values: Float64Array): Scale {
  const typical = median(values.filter((value) => value > 0)) || 1
  return {
    to: (value) => Math.asinh(value / typical),
    from: (position) => Math.max(0, Math.sinh(position) * typical),
    least: () => leastShare,
  }
}

/**
 * Distances between samples of one distribution have a tail of values close to zero, which would make a deviation in
 * logarithms large. Their square roots are nearly symmetric.
 */
const distances: Scale = {
  to: (value) => Math.sqrt(Math.max(value, 0)),
  from: (position) => Math.max(position, 0) ** 2,
  least: (position) => Math.max(leastShare * position, Number.EPSILON),
}

function differences(values: Float64Array): Scale {
  const typical = median(values.map(Math.abs)) || Math.abs(valueAt(values, 0))
  const least = Math.max(typical * leastShare, Number.EPSILON)
  return { to: (value) => value, from: (position) => position, least: () => least }
}

function percentages(values: Float64Array): Scale {
  let edge = edges.coarsest
  for (const value of values) {
    const distance = Math.min(value, 100 - value) / 100
    if (distance > 0 && distance < edge) edge = Math.max(distance, edges.finest)
  }
  return {
    to(value) {
      const share = Math.min(Math.max(value / 100, edge), 1 - edge)
      return Math.log(share / (1 - share))
    },
    from(position) {
      const share = 1 / (1 + Math.exp(-position))
      // `to` moves 0 and 100 % inwards, to the edges.
      const atEdge = edge * (1 + 1e-9)
      if (share <= atEdge) return 0
      return share >= 1 - atEdge ? 100 : share * 100
    },
    least(position) {
      const share = 1 / (1 + Math.exp(-position))
      // A tenth of a percent in log odds, and at most 0.25 at the edges.
      return leastShare / (share * (1 - share) + 4 * leastShare)
    },
  }
}
