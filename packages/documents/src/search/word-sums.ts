import type { GroupCounts } from './group-counts.ts'
import type { NameIndex } from './name-index.ts'
import type { Matches } from './name-matching.ts'
import type { Word } from './word-lists.ts'

/** Maximum number of words, and of short texts, with cached sums; the least recently used are dropped. */
const mostKept = 2_000

/**
 * The number of matching documents by group. The sums of searched words and of short texts are cached, and are updated
 * when counts change.
 */
export interface WordSums {
  /** Like `GroupCounts.set`. */
  set(slot: number, pairs: readonly number[]): void
  /** The number of documents of all matching names, by group, in the groups that `allowed` marks with 1. */
  of(matches: Matches, allowed: Uint8Array): Float64Array
}

/** Moves `sums` to the end, because the map is in the order of last use. */
function keep<K>(all: Map<K, Map<number, number>>, key: K, sums: Map<number, number>): Map<number, number> {
  all.delete(key)
  all.set(key, sums)
  for (const other of all.keys()) {
    if (all.size <= mostKept) break
    all.delete(other)
  }
  return sums
}

const namesOf = ({ first, later }: Word) => first.length + later.length

/** Sums of words that fewer than `fewNames` names have are not cached. */
export function createWordSums(index: NameIndex, counts: GroupCounts, fewNames = 64): WordSums {
  const kept = new Map<number, Map<number, number>>()
  const keptShorts = new Map<string, Map<number, number>>()

  function addTo(sums: Map<number, number>, pairs: ArrayLike<number>, sign: 1 | -1): void {
    for (let at = 0; at < pairs.length; at += 2) {
      const group = pairs[at] ?? 0
      sums.set(group, (sums.get(group) ?? 0) + sign * (pairs[at + 1] ?? 0))
    }
  }

  function sumsOf({ id, first, later }: Word): Map<number, number> {
    const known = kept.get(id)
    const sums = known ?? new Map<number, number>()
    if (known === undefined)
      for (const names of [first, later]) for (const slot of names) addTo(sums, counts.pairs(slot), 1)
    return keep(kept, id, sums)
  }

  function sumsOfShort(text: string, slots: ArrayLike<number>): Map<number, number> {
    const known = keptShorts.get(text)
    const sums = known ?? new Map<number, number>()
    if (known === undefined) for (let at = 0; at < slots.length; at += 1) addTo(sums, counts.pairs(slots[at] ?? 0), 1)
    return keep(keptShorts, text, sums)
  }

  /** The cached sums that include a name. */
  function sumsWith(slot: number): Map<number, number>[] {
    const ids = kept.size === 0 ? [] : new Set(index.wordsOf(slot))
    const texts = keptShorts.size === 0 ? [] : index.shortTextsOf(slot)
    return [
      ...[...ids].flatMap((id) => kept.get(id) ?? []),
      ...[...texts].flatMap((text) => {
        const sums = keptShorts.get(text)
        return sums !== undefined && index.matchesShort(slot, text) ? sums : []
      }),
    ]
  }

  return {
    set(slot, pairs) {
      const sums = sumsWith(slot)
      const before = sums.length === 0 ? [] : counts.pairs(slot)
      for (const each of sums) {
        addTo(each, before, -1)
        addTo(each, pairs, 1)
      }
      counts.set(slot, pairs)
    },
    of({ slots, words, singles, repeats, short }, allowed) {
      const sums = new Float64Array(allowed.length)
      if (short !== undefined) {
        for (const [group, n] of sumsOfShort(short, slots)) if (allowed[group] === 1) sums[group] = n
        return sums
      }
      const seen = words.reduce((sum, word) => sum + Math.min(namesOf(word), fewNames), 0)
      if (seen + singles.length + repeats.length >= slots.length) {
        for (let at = 0; at < slots.length; at += 1) counts.addTo(sums, slots[at] ?? 0, allowed)
        return sums
      }
      for (const word of words) {
        if (namesOf(word) < fewNames) {
          for (const names of [word.first, word.later]) for (const slot of names) counts.addTo(sums, slot, allowed)
        } else for (const [group, n] of sumsOf(word)) if (allowed[group] === 1) sums[group] = (sums[group] ?? 0) + n
      }
      for (let at = 0; at < singles.length; at += 1) counts.addTo(sums, singles[at] ?? 0, allowed)
      for (let at = 0; at < repeats.length; at += 1) counts.addTo(sums, repeats[at] ?? 0, allowed, -1)
      return sums
    },
  }
}
