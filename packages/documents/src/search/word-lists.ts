import { type Crossings, createCrossings } from './crossings.ts'
import { createNameOrder } from './name-order.ts'
import { listAt, pushOnce, type SlotList } from './slot-lists.ts'
import type { NameForms } from './words.ts'

/** Maximum length of a list of names that contain a text of one or two characters. */
const shortLimit = 2_000
export const runLength = 3

/**
 * A word, and the slots of the names that have it, in ascending order. `first`: the names that begin with the word.
 * `later`: all others.
 */
export interface Word {
  readonly id: number
  readonly text: string
  readonly first: SlotList
  readonly later: SlotList
}

interface GrowingWord extends Word {
  first: number[]
  later: number[]
  /** Whether the word follows another word in any name. */
  followsAnother: boolean
}

/**
 * An inverted index of names by their words. Slots ascend within a list, so arrays indexed by slot are read in memory
 * order.
 */
export interface WordLists {
  /** Adds the name of the next slot. */
  add(forms: NameForms): void
  word(text: string): Word | undefined
  /** Words that begin with the text. */
  beginningWith(text: string): Word[]
  /** Words that contain a text of three characters or more. */
  containingText(text: string): Word[]
  /** Ids of the words of a name, in the order of the name. */
  idsOf(slot: number): Int32Array
  hasAny(slot: number, ids: ReadonlySet<number>): boolean
  /** Names in which these one or two characters begin at the start of a word. */
  atWordStart(text: string): SlotList
  /** Names that contain one or two characters anywhere. Each list has only its first 2,000 names. */
  anywhere(text: string): SlotList
  /**
   * Whether a name may have the boundary of two words at `from` of the text: some second word begins like the rest of
   * the text, or is the beginning of that rest.
   */
  continuesAfter(text: string, from: number): boolean
  /** Whether any word ends with the last three characters of the text; true for shorter texts. */
  endsWord(text: string): boolean
  /** Names by the runs of characters across word boundaries. */
  readonly crossings: Pick<Crossings, 'atWord' | 'withinWord' | 'around'>
  /** Renumbers the slots. `order` has the old slots in their new order. */
  renumber(order: Int32Array): void
}

/** The distinct runs of three characters in a text. */
function runsIn(text: string): Set<string> {
  const runs = new Set<string>()
  for (let at = 0; at + runLength <= text.length; at += 1) runs.add(text.slice(at, at + runLength))
  return runs
}

/** The intersection of two ascending lists. Reading two lists is cheaper than checking many words that do not match. */
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
  /** Words that follow another word in any name, by their first one, first two and first three characters. */
  const followersByHead = new Map<string, GrowingWord[]>()
  let longestFollower = 0
  /** The last three characters of words. */
  const endings = new Set<string>()
  /** Ids of the words of all names, in one array. `ends`: for each slot, the end of its ids. */
  let wordIds = new Int32Array(1024)
  let ends = new Int32Array(256)
  let size = 0
  const heads = new Map<string, number[]>()
  const inner = new Map<string, number[]>()
  const crossings = createCrossings()

  const startOf = (slot: number) => (slot === 0 ? 0 : (ends[slot - 1] ?? 0))

  function setFollowsAnother(word: GrowingWord): void {
    if (word.followsAnother) return
    word.followsAnother = true
    longestFollower = Math.max(longestFollower, word.text.length)
    for (let length = 1; length <= Math.min(runLength, word.text.length); length += 1)
      listAt(followersByHead, word.text.slice(0, length)).push(word)
  }

  function wordOf(text: string): GrowingWord {
    const known = words.get(text)
    if (known !== undefined) return known
    const made = { id: byId.length, text, first: [], later: [], followsAnother: false }
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
    // A name without letters and digits is its own word.
    const all = own.length === 0 ? [text] : own
    for (const each of all) {
      const word = wordOf(each)
      ids.push(word.id)
      if (at > 0) setFollowsAnother(word)
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
    beginningWith(asked) {
      wordOrder.sort()
      return wordsOf(wordOrder.beginningWith(asked), () => true)
    },
    containingText(asked) {
      const found: (readonly number[])[] = []
      for (const run of runsIn(asked)) {
        const list = wordRuns.get(run)
        if (list === undefined) return []
        found.push(list)
      }
      const [rarest = [], next] = found.sort((one, other) => one.length - other.length)
      return wordsOf(next === undefined ? rarest : common(rarest, next), (text) => text.includes(asked))
    },
    endsWord: (text) => text.length < runLength || endings.has(text.slice(-runLength)),
    idsOf: (slot) => wordIds.subarray(startOf(slot), ends[slot] ?? 0),
    hasAny(slot, ids) {
      const end = ends[slot] ?? 0
      for (let at = startOf(slot); at < end; at += 1) if (ids.has(wordIds[at] ?? -1)) return true
      return false
    },
    atWordStart: (text) => heads.get(text) ?? none,
    anywhere: (text) => inner.get(text) ?? none,
    continuesAfter(text, from) {
      const longest = Math.min(longestFollower, text.length - from - 1)
      for (let length = 1; length <= longest; length += 1)
        if (words.get(text.slice(from, from + length))?.followsAnother === true) return true
      const followers = followersByHead.get(text.slice(from, from + runLength)) ?? []
      return followers.some((word) => word.text.startsWith(text.slice(from)))
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
