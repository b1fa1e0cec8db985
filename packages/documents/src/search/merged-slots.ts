import type { RankedSlots } from './ranked-slots.ts'

/** The range `start` to `end` of the matching slots: one list in ascending order, all found with the same rank. */
export interface Segment {
  start: number
  end: number
  /** The rank plus 1. A slot whose mark has changed since is also among `others`. */
  mark: number
}

/** Ranks are 0 to 4, so marks are 1 to 5. */
const lastMark = 5

/**
 * A lazy merge of slots by rank, then by place. Long lists are already in this order, so they are merged with the rest
 * instead of sorted. `slots` contains each slot once. `others` contains the slots that are in no segment or whose rank
 * differs from their segment's, possibly twice. `marks` and `places` are those of `rankedSlots`; places ascend within a
 * segment.
 */
export function mergedSlots(options: {
  slots: readonly number[]
  segments: readonly Segment[]
  others: RankedSlots
  marks: Uint8Array
  places: Int32Array
}): RankedSlots {
  const { slots, segments, others, marks, places } = options
  const found: number[] = []
  let otherAt = 0
  let mark = 0
  /** The read positions of the segments that have the current rank. */
  let open: { at: number; end: number }[] = []

  const slotAt = (at: number) => slots[at] ?? 0

  /** Advances to the segment's next slot that has the current rank; false at its end. */
  function settle(run: { at: number; end: number }): boolean {
    while (run.at < run.end && marks[slotAt(run.at)] !== mark) run.at += 1
    return run.at < run.end
  }

  function nextOfOthers(): number | undefined {
    const last = found.at(-1)
    while (otherAt < others.length && others.slot(otherAt) === last) otherAt += 1
    if (otherAt >= others.length) return undefined
    const slot = others.slot(otherAt)
    return marks[slot] === mark ? slot : undefined
  }

  function nextOfRank(): number | undefined {
    let best = nextOfOthers()
    let least = best === undefined ? Number.POSITIVE_INFINITY : (places[best] ?? 0)
    let from: { at: number; end: number } | undefined
    for (const run of open) {
      const slot = slotAt(run.at)
      const place = places[slot] ?? 0
      if (place >= least) continue
      least = place
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
      if (slot !== undefined || mark === lastMark) return slot
      mark += 1
      open = segments.filter((segment) => segment.mark === mark).map(({ start, end }) => ({ at: start, end }))
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
