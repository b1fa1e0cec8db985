import type { RankedSlots } from './ranked-slots.ts'

/** Places `start` to `end` of the slots that fit: slots of one list, rising, all found with one rank. */
export interface Segment {
  start: number
  end: number
  /** Their rank and 1. A slot whose mark became another one since then stands among the others, too. */
  mark: number
}

/** Ranks are 0 to 4, marks one more. */
const lastMark = 5

/**
 * Slots by rank, then by place, as far as they are asked for: long lists lie in that order already, so they are merged with
 * what else there is, instead of sorted. `slots`: each slot once; `others`: those that stand in no segment, or not with the
 * rank that they have, some of them perhaps twice. `marks`, `places`: as of `rankedSlots`; places rise in a segment.
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
  /** Where the segments of the rank that is at hand are read on. */
  let open: { at: number; end: number }[] = []

  const slotAt = (at: number) => slots[at] ?? 0

  /** Moves on to the next slot of a segment that has the rank at hand. */
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
