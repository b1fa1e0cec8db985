/** Indexes of a longest increasing subsequence of different numbers. Pure. */
function longestIncreasing(numbers: readonly number[]): Set<number> {
  /** By length of increasing subsequence: the index of the smallest number that ends one of this length. */
  const ends: number[] = []
  const before: number[] = []
  numbers.forEach((value, index) => {
    let [low, high] = [0, ends.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if ((numbers[ends[middle] ?? 0] ?? 0) < value) low = middle + 1
      else high = middle
    }
    before[index] = low === 0 ? -1 : (ends[low - 1] ?? -1)
    ends[low] = index
  })
  const chosen = new Set<number>()
  for (let at = ends.at(-1) ?? -1; at >= 0; at = before[at] ?? -1) chosen.add(at)
  return chosen
}

/**
 * The names that moved: as few as possible, so that all others keep their order. `before` and `after` have the same
 * names. Pure.
 */
export function movedNames(before: readonly string[], after: readonly string[]): string[] {
  const places = new Map(before.map((name, index) => [name, index]))
  const kept = longestIncreasing(after.map((name) => places.get(name) ?? 0))
  return after.filter((_, index) => !kept.has(index))
}
