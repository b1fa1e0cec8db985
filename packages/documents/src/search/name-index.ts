import { createMatching, type Matching } from './name-matching.ts'
import { createNameOrder } from './name-order.ts'
import { createNameTexts } from './name-texts.ts'
import { createShortTexts, shortTextsIn } from './short-texts.ts'
import { createWordLists } from './word-lists.ts'
import { formsOf } from './words.ts'

/**
 * The names of one tenant in memory; each has a slot. The time of a search depends on the number of matches and hardly
 * on the number of names. The reason is that a text lies either within one word (there are fewer words than names) or
 * across the boundary of two words. All lengths are in UTF-16 units.
 */
export interface NameIndex {
  readonly size: number
  /** Adds a name under its key, in the next slot. Keys must be added in ascending order. */
  add(key: number, name: string): void
  key(slot: number): number
  /** The slot of a key; `undefined` if the key was never added. */
  slotOf(key: number): number | undefined
  folded(slot: number): string
  /** Ids of the words of a name, in its order, with repetitions. */
  wordsOf(slot: number): Int32Array
  /** The texts of one and two characters in a name. */
  shortTextsOf(slot: number): Set<string>
  matchesShort(slot: number, text: string): boolean
  /** Matches of a text, valid until the next call. `closeWords` returns the words that are one typo away. */
  match: Matching
  /**
   * Renumbers the slots in the order of folded names, if many names were added since the last time. Names that match
   * the same text are then close to each other in memory. Returns the old slots in their new order, so that callers can
   * reorder their own data.
   */
  renumber(): Int32Array | undefined
}

/**
 * `mostLoose`: slots are renumbered once more names than this, and more names than were numbered, have been added
 * since. `longList`: lists of at least this length are merged instead of being sorted.
 */
export function createNameIndex(mostLoose = 10_000, longList = 128): NameIndex {
  let keys: number[] = []
  const folded: string[] = []
  const texts = createNameTexts()
  /** Names with their accents, by slot. */
  let spelled = new Map<number, string>()
  const lists = createWordLists()
  const order = createNameOrder(folded)
  const shorts = createShortTexts(lists, order, { texts, folded })
  /** Slots by key. */
  let byKey = new Int32Array(0)

  const keyAt = (at: number) => keys[at < byKey.length ? (byKey[at] ?? 0) : at] ?? 0

  return {
    get size() {
      return keys.length
    },
    add(key, name) {
      const forms = formsOf(name)
      if (forms.spelled !== forms.folded) spelled.set(keys.length, forms.spelled)
      keys.push(key)
      folded.push(forms.folded)
      texts.add(forms)
      lists.add(forms)
    },
    key: (slot) => keys[slot] ?? 0,
    slotOf(key) {
      let low = 0
      let high = keys.length
      while (low < high) {
        const middle = (low + high) >>> 1
        if (keyAt(middle) < key) low = middle + 1
        else high = middle
      }
      if (keyAt(low) !== key) return undefined
      return low < byKey.length ? byKey[low] : low
    },
    folded: (slot) => folded[slot] ?? '',
    wordsOf: (slot) => lists.idsOf(slot),
    shortTextsOf: (slot) => shortTextsIn(texts.text(slot)),
    matchesShort: (slot, text) => shorts.rank(slot, text) !== undefined,
    match: createMatching({
      lists,
      order,
      shorts,
      texts,
      spelling: (slot) => spelled.get(slot) ?? folded[slot] ?? '',
      longList,
    }),
    renumber() {
      if (keys.length - order.numbered() < Math.max(mostLoose, order.numbered())) return undefined
      order.sort()
      const old = order.slots()
      const before = { keys, folded: [...folded], spelled }
      keys = []
      spelled = new Map()
      for (const [slot, from] of old.entries()) {
        keys.push(before.keys[from] ?? 0)
        folded[slot] = before.folded[from] ?? ''
        const spelling = before.spelled.get(from)
        if (spelling !== undefined) spelled.set(slot, spelling)
      }
      texts.renumber(old)
      lists.renumber(old)
      order.renumbered()
      shorts.forget()
      byKey = Int32Array.from(keys, (_, slot) => slot).sort((one, other) => (keys[one] ?? 0) - (keys[other] ?? 0))
      return old
    },
  }
}
