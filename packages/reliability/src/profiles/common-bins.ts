import { positionOf, type Spread } from '@assay/data-engine'
import type { ColumnDistribution } from './distribution.ts'
import { countsAt } from './merge-values.ts'

type Counts = readonly (readonly [bigint, number])[]

/** Number of bins. Each has about a twentieth of the values. A key with at least as many values has its own bin. */
const parts = 20

/** The greatest key of each bin. The first bin is below all values. */
function edgesOf(counts: Counts): bigint[] {
  const total = counts.reduce((all, [, count]) => all + count, 0)
  const edges = new Set<bigint>()
  let reached = 0
  let part = 1
  for (const [key, count] of counts) {
    if (reached === 0 || count >= total / parts) edges.add(key - 1n)
    reached += count
    for (; part <= parts && reached >= Math.ceil((part * total) / parts); part++) edges.add(key)
  }
  return [...edges]
}

/** The row counts up to each edge, followed by the count above the last edge. */
function countsIn(edges: readonly bigint[], counts: Counts): number[] {
  const bins = Array.from({ length: edges.length + 1 }, () => 0)
  for (const [key, count] of counts) {
    const upTo = edges.findIndex((edge) => key <= edge)
    const bin = upTo === -1 ? edges.length : upTo
    bins[bin] = (bins[bin] ?? 0) + count
  }
  return bins
}

/**
 * Bins both sketches at the coarser of their two resolutions. There, equal values have equal keys, so a frequent value
 * is in the same bin on both sides.
 */
export function inNumberBins(reference: Spread, current: Spread): NumberBins {
  const shift = Math.max(reference.shift, current.shift)
  const [before, now] = [countsAt(shift, reference), countsAt(shift, current)]
  const keys = edgesOf(before)
  const edges = keys.map((key, index) => ({
    upTo: positionOf(((key + 1n) << BigInt(shift)) - 1n),
    isBeforeValue: keys[index + 1] === key + 1n,
  }))
  return { edges, reference: countsIn(keys, before), current: countsIn(keys, now), approximate: shift > 0 }
}

/** The counts of two sketches in the same bins. The last bin is above all edges. */
export interface NumberBins {
  /** `upTo`: the greatest position of the bin. `isBeforeValue`: the next bin is a single frequent value. */
  edges: { upTo: number; isBeforeValue: boolean }[]
  reference: number[]
  current: number[]
  /** Whether the edges are those of buckets, because there are too many values. */
  approximate: boolean
}

function countsOfBoth(
  reference: ColumnDistribution,
  current: ColumnDistribution,
): { reference: number[]; current: number[] } | undefined {
  if (reference.kind === 'numbers' && current.kind === 'numbers') return inNumberBins(reference.spread, current.spread)
  if (reference.kind === 'values' && current.kind === 'values' && reference.hashedBy === current.hashedBy)
    return { reference: reference.shares, current: current.shares }
  return undefined
}

/**
 * Row counts of a column and its reference in the same bins; the last bin has the NULLs. Numbers have these bins: one
 * below the reference, its 20 quantiles with frequent values apart, and one above it. `undefined` if only one has
 * numbers, the hash functions differ, or one could not be measured. Pure.
 */
export function inCommonBins(
  reference: ColumnDistribution,
  current: ColumnDistribution,
): { reference: number[]; current: number[] } | undefined {
  const counts = countsOfBoth(reference, current)
  if (counts === undefined) return undefined
  return { reference: [...counts.reference, reference.nulls], current: [...counts.current, current.nulls] }
}
