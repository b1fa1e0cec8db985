import { positionOf, type Spread } from '@assay/data-engine'
import { countsAt } from '../profiles/merge-values.ts'
import type { TestResult } from './chi-square.ts'

/** A position on the number line and the rows there. */
type Point = readonly [position: number, count: number]

/** Two samples on the number line, ascending. */
export interface Samples {
  reference: readonly Point[]
  current: readonly Point[]
  /** Whether positions are those of buckets, because there are too many different values. */
  approximate: boolean
}

/** The middle of a bucket in the order of doubles. If no bits were dropped, it is the value itself. */
function middleOf(key: bigint, shift: number): number {
  const bits = BigInt(shift)
  return shift === 0 ? positionOf(key) : positionOf((key << bits) + (1n << (bits - 1n)))
}

/** Both sketches at the coarser resolution of the two, so that equal values are at equal positions. */
export function samplesOf(reference: Spread, current: Spread): Samples {
  const shift = Math.max(reference.shift, current.shift)
  const pointsOf = (spread: Spread) => {
    const counts = new Map<bigint, number>()
    for (const [key, count] of countsAt(shift, spread)) counts.set(key, (counts.get(key) ?? 0) + count)
    return [...counts].map(([key, count]): Point => [middleOf(key, shift), count])
  }
  return { reference: pointsOf(reference), current: pointsOf(current), approximate: shift > 0 }
}

const rowsOf = (points: readonly Point[]) => points.reduce((sum, [, count]) => sum + count, 0)

/** Each position of both samples, with the shares of the rows at or below it. */
function* cumulated({ reference, current }: Samples): Generator<{ at: number; before: number; after: number }> {
  const [n, m] = [rowsOf(reference), rowsOf(current)]
  let [i, j, rowsBefore, rowsAfter] = [0, 0, 0, 0]
  while (i < reference.length || j < current.length) {
    const at = Math.min(reference[i]?.[0] ?? Number.POSITIVE_INFINITY, current[j]?.[0] ?? Number.POSITIVE_INFINITY)
    if (reference[i]?.[0] === at) rowsBefore += reference[i++]?.[1] ?? 0
    if (current[j]?.[0] === at) rowsAfter += current[j++]?.[1] ?? 0
    yield { at, before: rowsBefore / n, after: rowsAfter / m }
  }
}

/** The two-sample Kolmogorov-Smirnov statistic, 0 to 1. `undefined` if a sample is empty. */
export function kolmogorovSmirnov(samples: Samples): TestResult | undefined {
  const [n, m] = [rowsOf(samples.reference), rowsOf(samples.current)]
  if (n === 0 || m === 0) return undefined
  let value = 0
  for (const { before, after } of cumulated(samples)) value = Math.max(value, Math.abs(after - before))
  return { value, pValue: kolmogorovTail(value * Math.sqrt((n / (n + m)) * m)) }
}

/** The probability that Kolmogorov's distribution, the limit for large samples, exceeds `x`. */
function kolmogorovTail(x: number): number {
  // One series converges quickly for small `x`, another one for large `x`: each needs only a few terms there.
  if (x < 1.18) {
    if (x <= 0) return 1
    const terms = [1, 3, 5, 7].map((k) => Math.exp((-(k ** 2) * Math.PI ** 2) / (8 * x ** 2)))
    return 1 - (Math.sqrt(2 * Math.PI) / x) * terms.reduce((sum, term) => sum + term, 0)
  }
  const terms = [1, 2, 3, 4, 5].map((k) => (k % 2 === 1 ? 2 : -2) * Math.exp(-2 * k ** 2 * x ** 2))
  return Math.max(
    0,
    terms.reduce((sum, term) => sum + term, 0),
  )
}

/** Minimum standard deviation of a reference, for columns in which nearly all values are equal. */
const leastDeviation = 0.001

/**
 * The Wasserstein distance of two samples, divided by the standard deviation of the reference. It is the mean distance
 * by which rows must move to turn one sample into the other. `undefined` if a sample is empty or its values are too far
 * apart for a double.
 */
export function wasserstein(samples: Samples): number | undefined {
  const { reference, current } = samples
  if (reference.length === 0 || current.length === 0) return undefined
  let way = 0
  let last: { at: number; apart: number } | undefined
  for (const { at, before, after } of cumulated(samples)) {
    if (last !== undefined) way += last.apart * (at - last.at)
    last = { at, apart: Math.abs(after - before) }
  }
  const distance = way / Math.max(leastDeviation, deviationOf(reference))
  return Number.isFinite(distance) ? distance : undefined
}

/** The standard deviation of a sample (n - 1); 0 for fewer than two rows. */
function deviationOf(points: readonly Point[]): number {
  const n = rowsOf(points)
  if (n < 2) return 0
  const mean = points.reduce((sum, [at, count]) => sum + at * (count / n), 0)
  const squares = points.reduce((sum, [at, count]) => sum + (at - mean) ** 2 * count, 0)
  return Math.sqrt(squares / (n - 1))
}
