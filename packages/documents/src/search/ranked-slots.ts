/** Slots of about this many names are sorted at once. */
const sortedAtOnce = 128
/** Ranks are 0 to 4. */
const ranks = 5

/** Slots in an order that is made as far as it is looked at. */
export interface RankedSlots {
  readonly length: number
  /** The slot at a place of the order; the places before it are put in order, too. */
  slot(at: number): number
}

/**
 * Orders slots by rank, then by place, as far as they are asked for: all are dealt out to ranges of places (one pass, as
 * a counting sort), and a range is sorted when it is reached. `marks`: the rank (0 to 4) and 1 of each slot; `places`: of
 * each slot a number of its own; `byPlace`: the slot of each of these numbers, from 0 up.
 */
export function rankedSlots(
  slots: readonly number[],
  marks: Uint8Array,
  places: Int32Array,
  byPlace: Int32Array,
): RankedSlots {
  const { length } = slots
  // Ranges are a power of two long, so that a shift tells them.
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
    // Where the range begins moves on to where it ends.
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
