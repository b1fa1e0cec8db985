/** Approximate number of slots that are sorted at once. */
const sortedAtOnce = 128
/** Ranks are 0 to 4. */
const ranks = 5

/** A lazily sorted list of slots. */
export interface RankedSlots {
  readonly length: number
  /** The slot at `at` in the order; sorts no further than needed. */
  slot(at: number): number
}

/**
 * A lazy sort of slots by rank, then by place. One pass distributes the slots to ranges of places, as a counting sort
 * does; a range is sorted when it is reached. `marks` has the rank (0 to 4) plus 1 of each slot, `places` a unique
 * number of each slot, and `byPlace` the slot of each of these numbers.
 */
export function rankedSlots(
  slots: readonly number[],
  marks: Uint8Array,
  places: Int32Array,
  byPlace: Int32Array,
): RankedSlots {
  const { length } = slots
  // The length of a range is a power of two, so a shift gives the range of a place.
  const shift = Math.max(0, Math.ceil(Math.log2((byPlace.length * sortedAtOnce) / Math.max(1, length))))
  const parts = (byPlace.length >>> shift) + 1
  const ranges = new Int32Array(length)
  const ends = new Int32Array(ranks * parts)
  for (let at = 0; at < length; at += 1) {
    const slot = slots[at] ?? 0
    const range = ((marks[slot] ?? 1) - 1) * parts + ((places[slot] ?? 0) >>> shift)
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
    ordered[to] = places[slots[at] ?? 0] ?? 0
    // The start of the range advances until it is its end.
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
      return byPlace[ordered[at] ?? 0] ?? 0
    },
  }
}
