import { listAt, pushOnce, type SlotList } from './slot-lists.ts'

/** The shortest text that is looked for from one word into the next. */
const shortRun = 3
/** Of longer texts: the longer the run, the fewer names have it, and the more lists there are. */
const longRun = 4

/**
 * Names by what reaches from one of their words into the next: by runs of three characters, which are a text of three as a
 * whole, and by runs of four, of which names that may hold a longer text have one.
 */
export interface Crossings {
  /** Adds the words of the name of a slot, not lower than the last one. */
  add(slot: number, squashed: string, words: readonly string[]): void
  /** Names that hold these three characters from the beginning of a word on into the next word. */
  atWord(text: string): SlotList
  /** Names that hold these three characters from the middle of a word on into the next word. */
  withinWord(text: string): SlotList
  /**
   * Of names that hold a text of four characters or more so that a word ends with its first `next` characters: the shortest
   * list that has them all.
   */
  around(text: string, next: number): SlotList
  readonly lists: readonly ReadonlyMap<string, number[]>[]
}

const none: SlotList = []

export function createCrossings(): Crossings {
  const atWord = new Map<string, number[]>()
  const withinWord = new Map<string, number[]>()
  const long = new Map<string, number[]>()

  const keep = (lists: Map<string, number[]>, run: string, slot: number) => pushOnce(listAt(lists, run), slot)

  return {
    lists: [atWord, withinWord, long],
    add(slot, squashed, words) {
      const starts: number[] = []
      let at = 0
      for (const word of words) {
        starts.push(at)
        for (let from = Math.max(0, at - longRun + 1); from < at; from += 1) {
          if (from + longRun <= squashed.length) keep(long, squashed.slice(from, from + longRun), slot)
          if (from + shortRun <= at || from + shortRun > squashed.length) continue
          keep(starts.includes(from) ? atWord : withinWord, squashed.slice(from, from + shortRun), slot)
        }
        at += word.length
      }
    },
    atWord: (text) => atWord.get(text) ?? none,
    withinWord: (text) => withinWord.get(text) ?? none,
    around(text, next) {
      let rarest: SlotList | undefined
      const last = Math.min(next - 1, text.length - longRun)
      for (let from = Math.max(0, next - longRun + 1); from <= last; from += 1) {
        const list = long.get(text.slice(from, from + longRun)) ?? none
        if (rarest === undefined || list.length < rarest.length) rarest = list
      }
      return rarest ?? none
    },
  }
}
