import { compareText } from './candidates.ts'
import { isTypoOf } from './rank.ts'
import { formsOf, type NameForms } from './words.ts'

/** Of texts of one or two characters in the middle of names. */
const shortLimit = 2_000
const runLength = 3
/** `rank * rankStep + place` is a whole number of 31 bits. */
const rankStep = 2 ** 28

/**
 * The names of one tenant in memory, each in a slot (in the order in which they came), so that what fits a text is found
 * in time that goes with what fits and hardly with what is there: a text lies within one word of a name, of which there are
 * fewer than names, or reaches from one into the next. All lengths are of UTF-16 units.
 */
export interface NameIndex {
  readonly size: number
  /** Adds a name under its key; keys must rise. */
  add(key: number, name: string): void
  key(slot: number): number
  /** The slot of a key; `undefined` for one that was never added. */
  slotOf(key: number): number | undefined
  folded(slot: number): string
  /** Slots that fit, in no order, each with its rank, until the next call. `closeWords`: what may be meant by a word. */
  match(text: string, closeWords: (word: string) => readonly string[]): Matches
}

interface Matches {
  slots: Int32Array
  /** The rank of a slot; `undefined` for one that does not fit. */
  rank(slot: number): number | undefined
  /** Those of the slots best first: by rank, then by folded name. */
  sorted(some: Int32Array): Int32Array
}

type SlotList = number[]

interface Word {
  id: number
  text: string
  names: SlotList
}

/** The runs of three characters in a text, each once. */
function runsIn(text: string): Set<string> {
  const runs = new Set<string>()
  for (let at = 0; at + runLength <= text.length; at += 1) runs.add(text.slice(at, at + runLength))
  return runs
}

/** The list at `at`, made where there is none. */
function listAt<K>(lists: Map<K, SlotList>, at: K): SlotList {
  const known = lists.get(at)
  if (known !== undefined) return known
  const made: SlotList = []
  lists.set(at, made)
  return made
}

export function createNameIndex(): NameIndex {
  const keys: number[] = []
  const folded: string[] = []
  const squashed: string[] = []
  const words = new Map<string, Word>()
  const wordTexts: Word[] = []
  /** Words by their first one, two and three characters. */
  const wordHeads = new Map<string, number[]>()
  /** Words by their runs of three characters. */
  const wordRuns = new Map<string, number[]>()
  /** Ids of the words of all names, one behind the other; `firstWord` is where those of a slot begin. */
  const wordIds: number[] = []
  const firstWord: number[] = []
  /** Names by the first one and two characters of what follows the beginning of a word. */
  const heads = new Map<string, SlotList>()
  /** Names by characters within them, one and two: not more of each than are looked at. */
  const inner = new Map<string, SlotList>()
  /** Names by those runs of three characters that reach from one word into the next. */
  const crossings = new Map<string, SlotList>()
  /** Slots by folded name, as far as they are sorted, and the place of each. */
  let byFolded = new Int32Array(0)
  let places = new Int32Array(0)
  /** Rank of each slot and 1; 0 for those that do not fit. */
  let marks = new Uint8Array(256)
  let marked: SlotList = []

  function wordOf(text: string): Word {
    const known = words.get(text)
    if (known !== undefined) return known
    const made: Word = { id: wordTexts.length, text, names: [] }
    words.set(text, made)
    wordTexts.push(made)
    for (let length = 1; length <= Math.min(runLength, text.length); length += 1) {
      const head = text.slice(0, length)
      listAt(wordHeads, head).push(made.id)
    }
    for (const run of runsIn(text)) listAt(wordRuns, run).push(made.id)
    return made
  }

  const pushOnce = (list: SlotList, slot: number) => {
    if (list.length === 0 || list[list.length - 1] !== slot) list.push(slot)
  }

  function addWords(slot: number, { squashed: text, words: own }: NameForms): void {
    firstWord.push(wordIds.length)
    let at = 0
    // A name of signs alone is its own word.
    for (const each of own.length === 0 ? [text] : own) {
      const word = wordOf(each)
      wordIds.push(word.id)
      pushOnce(word.names, slot)
      for (let length = 1; length < runLength && at + length <= text.length; length += 1)
        pushOnce(listAt(heads, text.slice(at, at + length)), slot)
      if (at > 0)
        for (let from = Math.max(0, at - runLength + 1); from < at && from + runLength <= text.length; from += 1)
          pushOnce(listAt(crossings, text.slice(from, from + runLength)), slot)
      at += each.length
    }
  }

  function addInner(slot: number, text: string): void {
    for (let at = 0; at < text.length; at += 1)
      for (let length = 1; length < runLength && at + length <= text.length; length += 1) {
        const list = listAt(inner, text.slice(at, at + length))
        if (list.length < shortLimit) pushOnce(list, slot)
      }
  }

  const compare = (one: number, other: number) => compareText(folded[one] ?? '', folded[other] ?? '') || one - other

  /** The first place in the order of folded names that is not before `text`. */
  function placeOf(text: string): number {
    let low = 0
    let high = byFolded.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if (compareText(folded[byFolded[middle] ?? 0] ?? '', text) < 0) low = middle + 1
      else high = middle
    }
    return low
  }

  /** Takes the names that are not sorted yet into the order. */
  function sort(): void {
    const old = byFolded
    if (old.length === keys.length) return
    const fresh = Array.from({ length: keys.length - old.length }, (_, at) => old.length + at).sort(compare)
    const merged = new Int32Array(keys.length)
    let from = 0
    let end = 0
    for (const slot of fresh) {
      let to = placeOf(folded[slot] ?? '')
      while (to < old.length && folded[old[to] ?? 0] === folded[slot]) to += 1
      merged.set(old.subarray(from, to), end)
      end += to - from
      merged[end] = slot
      end += 1
      from = to
    }
    merged.set(old.subarray(from), end)
    byFolded = merged
    places = new Int32Array(keys.length)
    for (const [place, slot] of merged.entries()) places[slot] = place
  }

  function mark(slot: number, rank: number): void {
    if (marks[slot] !== 0) return
    marks[slot] = rank + 1
    marked.push(slot)
  }

  function clear(): void {
    for (const slot of marked) marks[slot] = 0
    marked = []
    if (marks.length < keys.length) marks = new Uint8Array(keys.length * 2)
  }

  function markExact(text: string): void {
    for (let at = placeOf(text); at < byFolded.length; at += 1) {
      const slot = byFolded[at] ?? 0
      if (folded[slot] !== text) return
      mark(slot, 0)
    }
  }

  /** 1, 2 or 3 for a name that holds the text; `undefined` for one that does not. */
  function rankWithin(slot: number, asked: string): number | undefined {
    const text = squashed[slot] ?? ''
    const first = text.indexOf(asked)
    if (first <= 0) return first === 0 ? 1 : undefined
    const end = firstWord[slot + 1] ?? wordIds.length
    let offset = 0
    for (let at = firstWord[slot] ?? 0; at < end; at += 1) {
      if (offset >= first && text.startsWith(asked, offset)) return 2
      offset += wordTexts[wordIds[at] ?? 0]?.text.length ?? 0
    }
    return 3
  }

  function markWithin(list: SlotList | undefined, asked: string): void {
    for (const slot of list ?? []) {
      if (marks[slot] !== 0) continue
      const rank = rankWithin(slot, asked)
      if (rank !== undefined) mark(slot, rank)
    }
  }

  const wordsOfIds = (ids: readonly number[] | undefined, fits: (text: string) => boolean): Word[] =>
    (ids ?? []).flatMap((id) => {
      const word = wordTexts[id]
      return word !== undefined && fits(word.text) ? [word] : []
    })

  /** Names that hold the text from one word into the next: every second run of it lies on such a place, wherever it is. */
  function markCrossing(asked: string): void {
    for (let at = 0; at + runLength < asked.length; at += runLength - 1)
      markWithin(crossings.get(asked.slice(at, at + runLength)), asked)
    markWithin(crossings.get(asked.slice(-runLength)), asked)
  }

  /** Names in which a word begins so, seen from numbers alone. What holds it over two words has its rank already. */
  function markWords(asked: string): void {
    const begun = wordsOfIds(wordHeads.get(asked.slice(0, runLength)), (text) => text.startsWith(asked))
    for (const { id, names } of begun) for (const slot of names) if (wordIds[firstWord[slot] ?? 0] === id) mark(slot, 1)
    for (const { names } of begun) for (const slot of names) mark(slot, 2)
  }

  function markWithinWords(asked: string): void {
    let rarest: readonly number[] | undefined
    for (const run of runsIn(asked)) {
      const found = wordRuns.get(run)
      if (found === undefined) return
      if (rarest === undefined || found.length < rarest.length) rarest = found
    }
    for (const { names } of wordsOfIds(rarest, (text) => text.includes(asked))) for (const slot of names) mark(slot, 3)
  }

  /** Names that have, for each word that is asked for, that word or one that is close to it. */
  function markTypos(asked: NameForms, closeWords: (word: string) => readonly string[]): void {
    if (asked.words.length === 0) return
    const choices = asked.words.map((each) => {
      const near = new Set([each, ...closeWords(each)])
      const known = [...near].flatMap((text) => (isTypoOf(each, text) ? (words.get(text) ?? []) : []))
      return {
        known,
        ids: new Set(known.map(({ id }) => id)),
        size: known.reduce((sum, { names }) => sum + names.length, 0),
      }
    })
    const [rarest, ...others] = choices.toSorted((one, other) => one.size - other.size)
    const has = (slot: number, ids: ReadonlySet<number>) => {
      const end = firstWord[slot + 1] ?? wordIds.length
      for (let at = firstWord[slot] ?? 0; at < end; at += 1) if (ids.has(wordIds[at] ?? -1)) return true
      return false
    }
    for (const { names } of rarest?.known ?? [])
      for (const slot of names) if (marks[slot] === 0 && others.every(({ ids }) => has(slot, ids))) mark(slot, 4)
  }

  return {
    get size() {
      return keys.length
    },
    add(key, name) {
      const slot = keys.length
      const forms = formsOf(name)
      keys.push(key)
      folded.push(forms.folded)
      squashed.push(forms.squashed)
      addWords(slot, forms)
      addInner(slot, forms.squashed)
    },
    key: (slot) => keys[slot] ?? 0,
    slotOf(key) {
      let low = 0
      let high = keys.length
      while (low < high) {
        const middle = (low + high) >>> 1
        if ((keys[middle] ?? 0) < key) low = middle + 1
        else high = middle
      }
      return keys[low] === key ? low : undefined
    },
    folded: (slot) => folded[slot] ?? '',
    match(text, closeWords) {
      sort()
      clear()
      const asked = formsOf(text)
      if (asked.squashed !== '') {
        markExact(asked.folded)
        if (asked.squashed.length < runLength) {
          const short = heads.get(asked.squashed)
          // Words of one character, which a text of two can begin with.
          if (asked.squashed.length > 1 && words.has(asked.squashed.slice(0, 1))) markWithin(short, asked.squashed)
          markWords(asked.squashed)
          markWithin(short, asked.squashed)
          markWithin(inner.get(asked.squashed), asked.squashed)
        } else {
          markCrossing(asked.squashed)
          markWords(asked.squashed)
          markWithinWords(asked.squashed)
        }
        markTypos(asked, closeWords)
      }
      return {
        slots: Int32Array.from(marked),
        rank: (slot) => (marks[slot] === 0 || marks[slot] === undefined ? undefined : marks[slot] - 1),
        sorted(some) {
          const codes = some.map((slot) => ((marks[slot] ?? 1) - 1) * rankStep + (places[slot] ?? 0)).sort()
          return codes.map((code) => byFolded[code % rankStep] ?? 0)
        },
      }
    },
  }
}
