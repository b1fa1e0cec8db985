/**
 * The middle of the densest part of a circle: finds the window of `width` that has the most values, and returns the
 * median of these. `values` are from 0 up to `circle`. Pure.
 */
export function densestPhase(values: readonly number[], circle: number, width: number): number {
  const sorted = [...values].sort((a, b) => a - b)
  const twice = [...sorted, ...sorted.map((value) => value + circle)]
  let best = { from: 0, to: 0, spread: Number.POSITIVE_INFINITY }
  let from = 0
  for (let to = 0; to < twice.length; to += 1) {
    const end = twice[to] ?? 0
    while (end - (twice[from] ?? 0) > width) from += 1
    const spread = end - (twice[from] ?? 0)
    const isMore = to - from > best.to - best.from || (to - from === best.to - best.from && spread < best.spread)
    if (isMore && to - from < sorted.length) best = { from, to, spread }
  }
  const middle = (best.from + best.to) / 2
  const median = ((twice[Math.floor(middle)] ?? 0) + (twice[Math.ceil(middle)] ?? 0)) / 2
  return median % circle
}

/** A number modulo a positive one, never negative. Pure. */
export const modulo = (value: number, by: number) => ((value % by) + by) % by

/** The nearest-rank quantile of ascending numbers. Pure. */
export function quantileOf(ascending: readonly number[], share: number): number {
  return ascending[Math.max(0, Math.ceil(share * ascending.length) - 1)] ?? 0
}

/** The median of numbers in any order. Pure. */
export const medianOf = (numbers: readonly number[]) =>
  quantileOf(
    [...numbers].sort((a, b) => a - b),
    0.5,
  )
