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
 * What fits: each name once in `slots`, in no order, and the same told by words, of which sums can be kept. A name counts
 * once for each of the `words` it has and for standing in `singles`, and once less for each time it stands in `repeats`.
 */
export interface Fitting {
  slots: ArrayLike<number>
  words: readonly Word[]
  singles: SlotList
  repeats: SlotList
  /** Of a text of one or two characters: the text, of which sums can be kept, too. */
  short?: string
  /** 0 to 4; `undefined` for a slot that does not fit. */
  rank(slot: number): number | undefined
  /** The slots best first: by rank, then by folded name. */
  ordered(): RankedSlots
}

/** Finds what fits a text. What it answered holds until the next call. `closeWords`: what may be meant by a word. */
export type Matching = (text: string, closeWords: (word: string) => readonly string[]) => Fitting

/** So many lists are merged at most; what else there is, is sorted. */
const mostMerged = 16

/**
 * `texts`: names by slot, to which more may be added between calls. `spelling`: of a slot, the name with its accents.
 * `longList`: of so many slots or more lists are merged when what fits is put in order.
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
  /** Rank of each slot and 1; 0 for those that do not fit. */
  let marks = new Uint8Array(256)
  let slots: number[] = []
  let words = new Map<number, Word>()
  let singles: number[] = []
  let repeats: number[] = []
  /** Long lists within `slots`, and the slots whose rank rose above that of the list by which they were found. */
  let segments: Segment[] = []
  let risen: number[] = []

  function clear(): void {
    for (const slot of slots) marks[slot] = 0
    slots = []
    words = new Map()
    singles = []
    repeats = []
    segments = []
    risen = []
    if (marks.length < texts.size) marks = new Uint8Array(texts.size * 2)
  }

  function markSingle(slot: number, rank: number): void {
    if (marks[slot] !== 0) return
    marks[slot] = rank + 1
    slots.push(slot)
    singles.push(slot)
  }

  function markList(list: SlotList, mark: number): void {
    const start = slots.length
    for (let at = 0; at < list.length; at += 1) {
      const slot = list[at] ?? 0
      const known = marks[slot] ?? 0
      if (known === 0) {
        marks[slot] = mark
        slots.push(slot)
      } else {
        repeats.push(slot)
        if (mark >= known) continue
        marks[slot] = mark
        risen.push(slot)
      }
    }
    if (slots.length - start >= longList) segments.push({ start, end: slots.length, mark })
  }

  function ordered(): RankedSlots {
    const places = order.places()
    const numbered = order.numbered()
    const others = [...risen]
    const merged: Segment[] = []
    let from = 0
    const take = (until: number) => {
      for (; from < until; from += 1) others.push(slots[from] ?? 0)
    }
    for (const { start, end, mark } of segments.slice(0, mostMerged)) {
      take(start)
      // Those that are not numbered yet stand at the end of a list wherever their names do.
      let last = end
      while (last > start && (slots[last - 1] ?? 0) >= numbered) last -= 1
      merged.push({ start, end: last, mark })
      from = last
    }
    take(slots.length)
    return mergedSlots({
      slots,
      segments: merged,
      others: rankedSlots(others, marks, places, order.slots()),
      marks,
      places,
    })
  }

  /** Marks all names that have a word, once. `first`: the rank of those that begin with it. */
  function markWord(word: Word, rank: number, first: number): void {
    if (words.has(word.id)) return
    words.set(word.id, word)
    markList(word.first, first + 1)
    markList(word.later, rank + 1)
  }

  function markWithin(list: SlotList, asked: string): void {
    for (let at = 0; at < list.length; at += 1) {
      const slot = list[at] ?? 0
      if (marks[slot] !== 0) continue
      const rank = texts.rank(slot, asked)
      if (rank !== undefined) markSingle(slot, rank)
    }
  }

  /**
   * Names that hold the text from one word into the next. The first such place in the text can only be where a word ends as
   * it begins and another goes on as it does; of the runs that lie there fewest names have the rarest.
   */
  function markCrossing(asked: string): void {
    const { crossings } = lists
    if (asked.length === runLength) {
      markWithin(crossings.atWord(asked), asked)
      // Where a word begins with it, too, the rank is changed by that.
      for (const slot of crossings.withinWord(asked)) markSingle(slot, 3)
      return
    }
    const rarest = new Set<SlotList>()
    for (let next = 1; next < asked.length; next += 1)
      if (lists.goesOn(asked, next) && lists.endsSo(asked.slice(0, next))) rarest.add(crossings.around(asked, next))
    for (const list of rarest) markWithin(list, asked)
  }

  /** Names in which a word begins so, seen from numbers alone. What holds it over two words has its rank already. */
  function markBegun(asked: string): void {
    for (const word of lists.begun(asked)) markWord(word, 2, 1)
  }

  /** Names that have, for each word that is asked for, that word or one that is close to it. */
  function markTypos(asked: NameForms, closeWords: (word: string) => readonly string[]): void {
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
      if (others.length === 0) markWord(word, 4, 4)
      else
        for (const names of [word.first, word.later])
          for (const slot of names)
            if (marks[slot] === 0 && others.every(({ ids }) => lists.hasOne(slot, ids))) markSingle(slot, 4)
    }
  }

  /** Of one word: what fits several goes by the words. */
  function shortFitting({ folded, spelled, squashed: text }: NameForms): Fitting {
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
      return shortFitting(asked)
    if (asked.squashed !== '') {
      for (const slot of order.exact(asked.folded)) if (spelling(slot) === asked.spelled) markSingle(slot, 0)
      if (asked.squashed.length < runLength) {
        const short = lists.headed(asked.squashed)
        // Words of one character, which a text of two can begin with.
        if (asked.squashed.length > 1 && lists.word(asked.squashed.slice(0, 1)) !== undefined)
          markWithin(short, asked.squashed)
        markBegun(asked.squashed)
        markWithin(short, asked.squashed)
        markWithin(lists.within(asked.squashed), asked.squashed)
      } else {
        markCrossing(asked.squashed)
        markBegun(asked.squashed)
        for (const word of lists.holding(asked.squashed)) markWord(word, 3, 3)
      }
      markTypos(asked, closeWords)
    }
    return {
      slots,
      words: [...words.values()],
      singles,
      repeats,
      ordered,
      rank: (slot) => (marks[slot] === 0 || marks[slot] === undefined ? undefined : marks[slot] - 1),
    }
  }
}
