/** Counts as shares of their sum; all 0 if there are none. */
export function inShares(counts: readonly number[]): number[] {
  const total = counts.reduce((sum, count) => sum + count, 0)
  return counts.map((count) => (total === 0 ? 0 : count / total))
}

/**
 * The Jensen-Shannon distance of two lists of shares, in base 2 (Lin 1991; its square root is a metric, Endres and
 * Schindelin 2003): 0 for equal lists, 1 for disjoint ones. The shares of a list sum up to 1.
 */
export function jensenShannonDistance(one: readonly number[], other: readonly number[]): number {
  let divergence = 0
  for (const [index, p] of one.entries()) {
    const q = other[index] ?? 0
    const middle = (p + q) / 2
    if (p > 0) divergence += (p * Math.log2(p / middle)) / 2
    if (q > 0) divergence += (q * Math.log2(q / middle)) / 2
  }
  return Math.sqrt(Math.min(1, Math.max(0, divergence)))
}

/** Smaller shares count as this one, because the logarithm of 0 is infinite. The other shares are not rescaled. */
const leastShare = 1e-4

/** The population stability index of two lists of shares, with the natural logarithm: 0 for equal lists, else above 0. */
export function populationStabilityIndex(reference: readonly number[], current: readonly number[]): number {
  return reference.reduce((sum, share, index) => {
    const [then, now] = [Math.max(share, leastShare), Math.max(current[index] ?? 0, leastShare)]
    return sum + (now - then) * Math.log(now / then)
  }, 0)
}

/** The largest difference of two shares (L-infinity), 0 to 1. */
export function largestDifference(one: readonly number[], other: readonly number[]): number {
  return one.reduce((largest, share, index) => Math.max(largest, Math.abs(share - (other[index] ?? 0))), 0)
}
