import { compareText } from './candidates.ts'
import type { NameOrder } from './name-order.ts'
import type { NameTexts } from './name-texts.ts'
import type { RankedSlots } from './ranked-slots.ts'
import { runLength, type WordLists } from './word-lists.ts'

/** Maximum number of cached lists; the least recently used are dropped. */
const mostTexts = 500
/** A list is rebuilt if more names than this were added since. */
const mostFresh = 1_000

type ShortRank = 1 | 2 | 3

/**
 * Cached matches of texts of one or two characters, each of which matches thousands of names. A list is sorted when it
 * is first requested. Names that are added later are merged into it.
 */
export interface ShortTexts {
  /** The matching slots, best first: by rank, then by folded name, then by slot. Valid until a name is added. */
  of(text: string): Int32Array
  /** The rank, 1 to 3; `undefined` for a name that does not match. */
  rank(slot: number, text: string): ShortRank | undefined
  /**
   * Like `of`, but the names for which `isExact` is true come first. `named`: the slots whose folded name equals the
   * text, ascending.
   */
  ordered(text: string, of: { named: readonly number[]; isExact(slot: number): boolean }): RankedSlots
  /** Drops all cached lists, because the slots were renumbered. */
  forget(): void
}

/** The distinct texts of one and two characters in a squashed name. */
export function shortTextsIn(squashed: string): Set<string> {
  const texts = new Set<string>()
  for (let at = 0; at < squashed.length; at += 1)
    for (let length = 1; length < runLength && at + length <= squashed.length; length += 1)
      texts.add(squashed.slice(at, at + length))
  return texts
}

function has(rising: readonly number[], slot: number): boolean {
  let low = 0
  let high = rising.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((rising[middle] ?? 0) < slot) low = middle + 1
    else high = middle
  }
  return rising[low] === slot
}

interface Kept {
  slots: Int32Array
  /** All slots below this number are in the list, if they match. */
  size: number
}

/** `texts` and `folded`: names by slot, which may grow between calls. */
export function createShortTexts(
  lists: WordLists,
  order: NameOrder,
  { texts, folded }: { texts: Pick<NameTexts, 'size' | 'rank'>; folded: readonly string[] },
): ShortTexts {
  const kept = new Map<string, Kept>()

  function rank(slot: number, text: string): ShortRank | undefined {
    const own = texts.rank(slot, text)
    return own === 3 && !has(lists.anywhere(text), slot) ? undefined : own
  }

  /** All matches, sorted by the positions of the names. */
  function made(text: string): Int32Array {
    const positions: number[][] = [[], [], []]
    const seen = new Set<number>()
    const positionOf = order.positions()
    for (const list of [lists.atWordStart(text), lists.anywhere(text)])
      for (const slot of list) {
        if (seen.has(slot)) continue
        seen.add(slot)
        positions[(rank(slot, text) ?? 3) - 1]?.push(positionOf[slot] ?? 0)
      }
    const byPosition = order.slots()
    return Int32Array.from(
      positions.flatMap((each) => [...Int32Array.from(each).sort()]),
      (position) => byPosition[position] ?? 0,
    )
  }

  /** The list, after the names added since were merged into it. */
  function grown({ slots, size }: Kept, text: string): Int32Array {
    const fresh: { slot: number; rank: ShortRank }[] = []
    for (let slot = size; slot < texts.size; slot += 1) {
      const own = rank(slot, text)
      if (own !== undefined) fresh.push({ slot, rank: own })
    }
    if (fresh.length === 0) return slots
    const compare = (one: { slot: number; rank: number }, other: { slot: number; rank: number }) =>
      one.rank - other.rank || compareText(folded[one.slot] ?? '', folded[other.slot] ?? '') || one.slot - other.slot
    const merged = new Int32Array(slots.length + fresh.length)
    let from = 0
    let end = 0
    for (const each of fresh.sort(compare)) {
      let high = slots.length
      let to = from
      while (to < high) {
        const middle = (to + high) >>> 1
        const slot = slots[middle] ?? 0
        if (compare({ slot, rank: rank(slot, text) ?? 3 }, each) < 0) to = middle + 1
        else high = middle
      }
      merged.set(slots.subarray(from, to), end)
      end += to - from
      merged[end] = each.slot
      end += 1
      from = to
    }
    merged.set(slots.subarray(from), end)
    return merged
  }

  function of(text: string): Int32Array {
    const known = kept.get(text)
    const { size } = texts
    if (known?.size === size) return known.slots
    const isOld = known === undefined || size - known.size > mostFresh
    const slots = isOld ? made(text) : grown(known, text)
    // Moves the list to the end, because the map is in the order of last use.
    kept.delete(text)
    kept.set(text, { slots, size })
    for (const other of kept.keys()) {
      if (kept.size <= mostTexts) break
      kept.delete(other)
    }
    return slots
  }

  return {
    of,
    rank,
    ordered(text, { named, isExact }) {
      const slots = of(text)
      const exact = named.filter(isExact)
      const others = named.filter((slot) => !isExact(slot))
      // These names have the same folded name, so they are adjacent in the list.
      const begin = named[0] === undefined ? 0 : slots.indexOf(named[0])
      return {
        length: slots.length,
        slot(at) {
          if (at < exact.length) return exact[at] ?? 0
          if (at < exact.length + begin) return slots[at - exact.length] ?? 0
          return (at < begin + named.length ? others[at - exact.length - begin] : slots[at]) ?? 0
        },
      }
    },
    forget: () => kept.clear(),
  }
}
