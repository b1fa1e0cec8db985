import type { RankedSlots } from './ranked-slots.ts'

/**
 * A range of the matching slots, from `start` to `end`. It is one list in ascending order whose slots were all found
 * with the same rank.
 */
export interface Segment {
  start: number
  end: number
  /** The rank code of the list. Slots whose code has changed since are also in `others`. */
  code: number
}

/** Ranks are 0 to 4; a rank code is the rank plus 1. */
const lastCode = 5

/**
 * A lazy merge of slots by rank, then by position. Long lists are already in this order, so they are merged with the
 * other slots instead of being sorted. `slots` contains each slot once. `others` contains the slots that are in no
 * segment, or whose rank differs from their segment's; it may contain a slot twice. `rankCodes` and `positions` are as
 * in `rankedSlots`. Positions ascend within a segment.
 */
export function mergedSlots(options: {
  slots: readonly number[]
  segments: readonly Segment[]
  others: RankedSlots
  rankCodes: Uint8Array
  positions: Int32Array
}): RankedSlots {
  const { slots, segments, others, rankCodes, positions } = options
  const found: number[] = []
  let otherAt = 0
  let code = 0
  /** The read positions in the segments that have the current rank. */
  let open: { at: number; end: number }[] = []

  const slotAt = (at: number) => slots[at] ?? 0

  /** Advances to the segment's next slot that has the current rank; false at its end. */
  function settle(run: { at: number; end: number }): boolean {
    while (run.at < run.end && rankCodes[slotAt(run.at)] !== code) run.at += 1
    return run.at < run.end
  }

  function nextOfOthers(): number | undefined {
    const last = found.at(-1)
    while (otherAt < others.length && others.slot(otherAt) === last) otherAt += 1
    if (otherAt >= others.length) return undefined
    const slot = others.slot(otherAt)
    return rankCodes[slot] === code ? slot : undefined
  }

  function nextOfRank(): number | undefined {
    let best = nextOfOthers()
    let least = best === undefined ? Number.POSITIVE_INFINITY : (positions[best] ?? 0)
    let from: { at: number; end: number } | undefined
    for (const run of open) {
      const slot = slotAt(run.at)
      const position = positions[slot] ?? 0
      if (position >= least) continue
      least = position
      best = slot
      from = run
    }
    if (from === undefined) {
      if (best !== undefined) otherAt += 1
      return best
    }
    from.at += 1
    if (!settle(from)) open = open.filter((run) => run !== from)
    return best
  }

  function next(): number | undefined {
    for (;;) {
      const slot = nextOfRank()
      if (slot !== undefined || code === lastCode) return slot
      code += 1
      open = segments.filter((segment) => segment.code === code).map(({ start, end }) => ({ at: start, end }))
      open = open.filter(settle)
    }
  }

  return {
    length: slots.length,
    slot(at) {
      while (found.length <= at) {
        const slot = next()
        if (slot === undefined) return 0
        found.push(slot)
      }
      return found[at] ?? 0
    },
  }
}
