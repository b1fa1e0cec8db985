import { mergedSlots, type Segment } from './merged-slots.ts'
import type { NameOrder } from './name-order.ts'
import type { NameTexts } from './name-texts.ts'
import { isTypoOf } from './rank.ts'
import { type RankedSlots, rankedSlots } from './ranked-slots.ts'
import type { ShortTexts } from './short-texts.ts'
import type { SlotList } from './slot-lists.ts'
import { runLength, type Word, type WordLists } from './word-lists.ts'
import { formsOf, type NameForms } from './words.ts'

/**
 * The matching names. `slots` has each of them once, in no order. `words`, `singles` and `repeats` describe the same
 * set in such a way that cached sums per word can be used: a name counts once for each of its words in `words`, and
 * once if it is in `singles`. Each time it is in `repeats`, one is subtracted.
 */
export interface Matches {
  slots: ArrayLike<number>
  words: readonly Word[]
  singles: SlotList
  repeats: SlotList
  /** The searched text, if it has one or two characters. Sums of short texts are cached as well. */
  short?: string
  /** The rank, 0 to 4; `undefined` for a slot that does not match. */
  rank(slot: number): number | undefined
  /** The slots best first: by rank, then by folded name. */
  ordered(): RankedSlots
}

/**
 * Finds the matches of a text. The answer is valid until the next call. `closeWords` returns the words that are one
 * typo away.
 */
export type Matching = (text: string, closeWords: (word: string) => readonly string[]) => Matches

/** Maximum number of lists that are merged. Slots of further lists are sorted. */
const mostMerged = 16

/**
 * `texts`: names by slot, which may grow between calls. `spelling`: the name of a slot with its accents. `longList`:
 * lists of at least this length are merged when the matches are put in order.
 */
export function createMatching(options: {
  lists: WordLists
  order: NameOrder
  shorts: ShortTexts
  texts: Pick<NameTexts, 'size' | 'rank'>
  spelling: (slot: number) => string
  longList: number
}): Matching {
  const { lists, order, shorts, texts, spelling, longList } = options
  /** The rank code (rank plus 1) of each slot; 0 for slots that do not match. */
  let rankCodes = new Uint8Array(256)
  let slots: number[] = []
  let words = new Map<number, Word>()
  let singles: number[] = []
  let repeats: number[] = []
  /** Long lists within `slots`, and the slots for which a later list gave a better rank. */
  let segments: Segment[] = []
  let improved: number[] = []

  function clear(): void {
    for (const slot of slots) rankCodes[slot] = 0
    slots = []
    words = new Map()
    singles = []
    repeats = []
    segments = []
    improved = []
    if (rankCodes.length < texts.size) rankCodes = new Uint8Array(texts.size * 2)
  }

  function addSingle(slot: number, rank: number): void {
    if (rankCodes[slot] !== 0) return
    rankCodes[slot] = rank + 1
    slots.push(slot)
    singles.push(slot)
  }

  function addList(list: SlotList, code: number): void {
    const start = slots.length
    for (let at = 0; at < list.length; at += 1) {
      const slot = list[at] ?? 0
      const known = rankCodes[slot] ?? 0
      if (known === 0) {
        rankCodes[slot] = code
        slots.push(slot)
      } else {
        repeats.push(slot)
        if (code >= known) continue
        rankCodes[slot] = code
        improved.push(slot)
      }
    }
    if (slots.length - start >= longList) segments.push({ start, end: slots.length, code })
  }

  function ordered(): RankedSlots {
    const positions = order.positions()
    const numbered = order.numbered()
    const others = [...improved]
    const merged: Segment[] = []
    let from = 0
    const take = (until: number) => {
      for (; from < until; from += 1) others.push(slots[from] ?? 0)
    }
    for (const { start, end, code } of segments.slice(0, mostMerged)) {
      take(start)
      // Slots that were added after the last renumbering are at the end of a list, and not in the order of their names.
      let last = end
      while (last > start && (slots[last - 1] ?? 0) >= numbered) last -= 1
      merged.push({ start, end: last, code })
      from = last
    }
    take(slots.length)
    return mergedSlots({
      slots,
      segments: merged,
      others: rankedSlots(others, rankCodes, positions, order.slots()),
      rankCodes,
      positions,
    })
  }

  /** Adds all names that have a word, once per word. `first` is the rank of names that begin with it. */
  function addWord(word: Word, rank: number, first: number): void {
    if (words.has(word.id)) return
    words.set(word.id, word)
    addList(word.first, first + 1)
    addList(word.later, rank + 1)
  }

  function addContaining(list: SlotList, asked: string): void {
    for (let at = 0; at < list.length; at += 1) {
      const slot = list[at] ?? 0
      if (rankCodes[slot] !== 0) continue
      const rank = texts.rank(slot, asked)
      if (rank !== undefined) addSingle(slot, rank)
    }
  }

  /**
   * Adds the names that contain the text across a boundary of two words. The first boundary within the text must be
   * after the end of a known word and before the beginning of another. For each possible boundary, only the shortest
   * list of candidates is read.
   */
  function addCrossing(asked: string): void {
    const { crossings } = lists
    if (asked.length === runLength) {
      addContaining(crossings.atWord(asked), asked)
      // Names in which the text is also the beginning of a word get a better rank from `addBeginning`.
      for (const slot of crossings.withinWord(asked)) addSingle(slot, 3)
      return
    }
    const rarest = new Set<SlotList>()
    for (let next = 1; next < asked.length; next += 1)
      if (lists.continuesAfter(asked, next) && lists.endsWord(asked.slice(0, next)))
        rarest.add(crossings.around(asked, next))
    for (const list of rarest) addContaining(list, asked)
  }

  /**
   * Adds names in which a word begins with the text. Runs after the names that contain it across a boundary were added.
   */
  function addBeginning(asked: string): void {
    for (const word of lists.beginningWith(asked)) addWord(word, 2, 1)
  }

  /** Adds names that have each searched word, or a word that is one typo away from it. */
  function addTypos(asked: NameForms, closeWords: (word: string) => readonly string[]): void {
    if (asked.words.length === 0) return
    const choices = asked.words.map((each) => {
      const near = new Set([each, ...closeWords(each)])
      const known = [...near].flatMap((text) => (isTypoOf(each, text) ? (lists.word(text) ?? []) : []))
      return {
        known,
        ids: new Set(known.map(({ id }) => id)),
        size: known.reduce((sum, { first, later }) => sum + first.length + later.length, 0),
      }
    })
    const [rarest, ...others] = choices.toSorted((one, other) => one.size - other.size)
    for (const word of rarest?.known ?? []) {
      if (others.length === 0) addWord(word, 4, 4)
      else
        for (const names of [word.first, word.later])
          for (const slot of names)
            if (rankCodes[slot] === 0 && others.every(({ ids }) => lists.hasAny(slot, ids))) addSingle(slot, 4)
    }
  }

  /** Matches of a single word of one or two characters. */
  function shortMatches({ folded, spelled, squashed: text }: NameForms): Matches {
    const isExact = (slot: number) => spelling(slot) === spelled
    return {
      slots: shorts.of(text),
      words: [],
      singles: [],
      repeats: [],
      short: text,
      ordered: () => shorts.ordered(text, { named: order.exact(folded), isExact }),
      rank: (slot) => (isExact(slot) ? 0 : shorts.rank(slot, text)),
    }
  }

  return (text, closeWords) => {
    clear()
    order.sort()
    const asked = formsOf(text)
    if (asked.squashed !== '' && asked.squashed.length < runLength && asked.words.length <= 1)
      return shortMatches(asked)
    if (asked.squashed !== '') {
      for (const slot of order.exact(asked.folded)) if (spelling(slot) === asked.spelled) addSingle(slot, 0)
      if (asked.squashed.length < runLength) {
        const short = lists.atWordStart(asked.squashed)
        // A text of two characters can begin with a word of one character.
        if (asked.squashed.length > 1 && lists.word(asked.squashed.slice(0, 1)) !== undefined)
          addContaining(short, asked.squashed)
        addBeginning(asked.squashed)
        addContaining(short, asked.squashed)
        addContaining(lists.anywhere(asked.squashed), asked.squashed)
      } else {
        addCrossing(asked.squashed)
        addBeginning(asked.squashed)
        for (const word of lists.containingText(asked.squashed)) addWord(word, 3, 3)
      }
      addTypos(asked, closeWords)
    }
    return {
      slots,
      words: [...words.values()],
      singles,
      repeats,
      ordered,
      rank: (slot) => (rankCodes[slot] === 0 || rankCodes[slot] === undefined ? undefined : rankCodes[slot] - 1),
    }
  }
}
