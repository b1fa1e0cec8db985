/** Approximate number of slots per sort. */
const sortedAtOnce = 128
/** Ranks are 0 to 4. */
const ranks = 5

/** A lazily sorted list of slots. */
export interface RankedSlots {
  readonly length: number
  /** The slot at `at` in the order. Sorts only as far as needed. */
  slot(at: number): number
}

/**
 * A lazy sort of slots by rank, then by position. One pass distributes the slots to ranges of positions, as a counting
 * sort does. A range is sorted when it is reached. `rankCodes`: for each slot, its rank (0 to 4) plus 1. `positions`:
 * for each slot, a unique number. `byPosition`: for each of these numbers, its slot.
 */
export function rankedSlots(
  slots: readonly number[],
  rankCodes: Uint8Array,
  positions: Int32Array,
  byPosition: Int32Array,
): RankedSlots {
  const { length } = slots
  // The length of a range is a power of two, so a shift gives the range of a position.
  const shift = Math.max(0, Math.ceil(Math.log2((byPosition.length * sortedAtOnce) / Math.max(1, length))))
  const parts = (byPosition.length >>> shift) + 1
  const ranges = new Int32Array(length)
  const ends = new Int32Array(ranks * parts)
  for (let at = 0; at < length; at += 1) {
    const slot = slots[at] ?? 0
    const range = ((rankCodes[slot] ?? 1) - 1) * parts + ((positions[slot] ?? 0) >>> shift)
    ranges[at] = range
    ends[range] = (ends[range] ?? 0) + 1
  }
  let sum = 0
  for (let range = 0; range < ends.length; range += 1) {
    const count = ends[range] ?? 0
    ends[range] = sum
    sum += count
  }
  const ordered = new Int32Array(length)
  for (let at = 0; at < length; at += 1) {
    const range = ranges[at] ?? 0
    const to = ends[range] ?? 0
    ordered[to] = positions[slots[at] ?? 0] ?? 0
    // Advances slot by slot from the start of the range to its end.
    ends[range] = to + 1
  }
  let sorted = 0
  let next = 0
  return {
    length,
    slot(at) {
      while (sorted <= at && next < ends.length) {
        const end = ends[next] ?? 0
        if (end - sorted > 1) ordered.subarray(sorted, end).sort()
        sorted = end
        next += 1
      }
      return byPosition[ordered[at] ?? 0] ?? 0
    },
  }
}
