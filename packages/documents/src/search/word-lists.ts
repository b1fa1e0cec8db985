import { type Crossings, createCrossings } from './crossings.ts'
import { createNameOrder } from './name-order.ts'
import { listAt, pushOnce, type SlotList } from './slot-lists.ts'
import type { NameForms } from './words.ts'

/** Of texts of one or two characters in the middle of names. */
const shortLimit = 2_000
export const runLength = 3

/** A word of names, and the slots of the names that have it, rising: those that begin with it, and the others. */
export interface Word {
  readonly id: number
  readonly text: string
  readonly first: SlotList
  readonly later: SlotList
}

interface GrowingWord extends Word {
  first: number[]
  later: number[]
  /** Whether it stands behind another word in any name, also in one that begins with it. */
  isBehind: boolean
}

/**
 * The words of names, and the lists of slots by which names are found. Slots rise within a list, so that what is kept by
 * slot is read in the order in which it lies in memory.
 */
export interface WordLists {
  /** Adds the name of the next slot. */
  add(forms: NameForms): void
  word(text: string): Word | undefined
  /** Words that begin so. */
  begun(text: string): Word[]
  /** Words that hold a text of three characters or more. */
  holding(text: string): Word[]
  /** Ids of the words of a name, in its order. */
  idsOf(slot: number): Int32Array
  hasOne(slot: number, ids: ReadonlySet<number>): boolean
  /** Names by the first one and two characters of what follows the beginning of a word. */
  headed(text: string): SlotList
  /** Names by one or two characters within them: of each the first 2,000 that came. */
  within(text: string): SlotList
  /** Whether any word behind another goes on as the text does from `from` on, or ends within it: where not, no name does. */
  goesOn(text: string, from: number): boolean
  /** Whether any word ends as the text does, by its last three characters; shorter texts are not looked for. */
  endsSo(text: string): boolean
  /** Names by what reaches from one word into the next. */
  readonly crossings: Pick<Crossings, 'atWord' | 'withinWord' | 'around'>
  /** Numbers the slots anew: `order` holds the old slots in their new order. */
  renumber(order: Int32Array): void
}

/** The runs of three characters in a text, each once. */
function runsIn(text: string): Set<string> {
  const runs = new Set<string>()
  for (let at = 0; at + runLength <= text.length; at += 1) runs.add(text.slice(at, at + runLength))
  return runs
}

/** What two rising lists have in common: to read two lists costs less than to look at many words that are not held. */
function common(one: readonly number[], other: readonly number[]): number[] {
  const both: number[] = []
  let at = 0
  for (const each of one) {
    while (at < other.length && (other[at] ?? 0) < each) at += 1
    if (other[at] === each) both.push(each)
  }
  return both
}

const none: SlotList = []

export function createWordLists(): WordLists {
  const words = new Map<string, GrowingWord>()
  const byId: GrowingWord[] = []
  const texts: string[] = []
  const wordOrder = createNameOrder(texts)
  /** Words by their runs of three. */
  const wordRuns = new Map<string, number[]>()
  /** Words that stand behind another in any name, by their first one, two and three characters. */
  const behindHeads = new Map<string, GrowingWord[]>()
  let longestBehind = 0
  /** The last three characters of words. */
  const endings = new Set<string>()
  /** Ids of the words of all names, one behind the other; `ends` is where those of a slot end. */
  let wordIds = new Int32Array(1024)
  let ends = new Int32Array(256)
  let size = 0
  const heads = new Map<string, number[]>()
  const inner = new Map<string, number[]>()
  const crossings = createCrossings()

  const startOf = (slot: number) => (slot === 0 ? 0 : (ends[slot - 1] ?? 0))

  function markBehind(word: GrowingWord): void {
    if (word.isBehind) return
    word.isBehind = true
    longestBehind = Math.max(longestBehind, word.text.length)
    for (let length = 1; length <= Math.min(runLength, word.text.length); length += 1)
      listAt(behindHeads, word.text.slice(0, length)).push(word)
  }

  function wordOf(text: string): GrowingWord {
    const known = words.get(text)
    if (known !== undefined) return known
    const made = { id: byId.length, text, first: [], later: [], isBehind: false }
    words.set(text, made)
    byId.push(made)
    texts.push(text)
    for (const run of runsIn(text)) listAt(wordRuns, run).push(made.id)
    endings.add(text.slice(-runLength))
    return made
  }

  const doubled = (array: Int32Array, needed: number) => {
    const made = new Int32Array(Math.max(needed, array.length * 2))
    made.set(array)
    return made
  }

  function keepWords(slot: number, ids: readonly number[]): void {
    const start = startOf(slot)
    if (slot >= ends.length) ends = doubled(ends, slot + 1)
    if (start + ids.length > wordIds.length) wordIds = doubled(wordIds, start + ids.length)
    wordIds.set(ids, start)
    ends[slot] = start + ids.length
  }

  function addWords(slot: number, { squashed: text, words: own }: NameForms): void {
    const ids: number[] = []
    let at = 0
    // A name of signs alone is its own word.
    const all = own.length === 0 ? [text] : own
    for (const each of all) {
      const word = wordOf(each)
      ids.push(word.id)
      if (at > 0) markBehind(word)
      if (at === 0) word.first.push(slot)
      else if (word.first.at(-1) !== slot) pushOnce(word.later, slot)
      for (let length = 1; length < runLength && at + length <= text.length; length += 1)
        pushOnce(listAt(heads, text.slice(at, at + length)), slot)
      at += each.length
    }
    crossings.add(slot, text, all)
    keepWords(slot, ids)
  }

  function addInner(slot: number, text: string): void {
    for (let at = 0; at < text.length; at += 1)
      for (let length = 1; length < runLength && at + length <= text.length; length += 1) {
        const list = listAt(inner, text.slice(at, at + length))
        if (list.length < shortLimit) pushOnce(list, slot)
      }
  }

  const wordsOf = (ids: SlotList | undefined, fits: (text: string) => boolean): Word[] =>
    (ids ?? none).flatMap((id) => {
      const word = byId[id]
      return word !== undefined && fits(word.text) ? [word] : []
    })

  return {
    add(forms) {
      addWords(size, forms)
      addInner(size, forms.squashed)
      size += 1
    },
    word: (text) => words.get(text),
    begun(asked) {
      wordOrder.sort()
      return wordsOf(wordOrder.begun(asked), () => true)
    },
    holding(asked) {
      const found: (readonly number[])[] = []
      for (const run of runsIn(asked)) {
        const list = wordRuns.get(run)
        if (list === undefined) return []
        found.push(list)
      }
      const [rarest = [], next] = found.sort((one, other) => one.length - other.length)
      return wordsOf(next === undefined ? rarest : common(rarest, next), (text) => text.includes(asked))
    },
    endsSo: (text) => text.length < runLength || endings.has(text.slice(-runLength)),
    idsOf: (slot) => wordIds.subarray(startOf(slot), ends[slot] ?? 0),
    hasOne(slot, ids) {
      const end = ends[slot] ?? 0
      for (let at = startOf(slot); at < end; at += 1) if (ids.has(wordIds[at] ?? -1)) return true
      return false
    },
    headed: (text) => heads.get(text) ?? none,
    within: (text) => inner.get(text) ?? none,
    goesOn(text, from) {
      const longest = Math.min(longestBehind, text.length - from - 1)
      for (let length = 1; length <= longest; length += 1)
        if (words.get(text.slice(from, from + length))?.isBehind === true) return true
      const begun = behindHeads.get(text.slice(from, from + runLength)) ?? []
      return begun.some((word) => word.text.startsWith(text.slice(from)))
    },
    crossings,
    renumber(order) {
      const fresh = new Int32Array(order.length)
      for (const [slot, old] of order.entries()) fresh[old] = slot
      const moved = (list: number[]) => {
        const slots = Int32Array.from(list, (old) => fresh[old] ?? 0).sort()
        for (const [at, slot] of slots.entries()) list[at] = slot
      }
      for (const { first, later } of byId) {
        moved(first)
        moved(later)
      }
      for (const lists of [heads, inner, ...crossings.lists]) for (const list of lists.values()) moved(list)
      const [ids, last] = [wordIds, ends]
      wordIds = new Int32Array(ids.length)
      ends = new Int32Array(last.length)
      for (const [slot, old] of order.entries()) {
        const start = startOf(slot)
        const own = ids.subarray(old === 0 ? 0 : last[old - 1], last[old])
        wordIds.set(own, start)
        ends[slot] = start + own.length
      }
    },
  }
}
