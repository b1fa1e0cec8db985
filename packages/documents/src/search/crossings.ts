import { listAt, pushOnce, type SlotList } from './slot-lists.ts'

/** The shortest text that is searched across word boundaries. */
const shortRun = 3
/** The run length for longer texts. Longer runs have shorter lists, but there are more of them. */
const longRun = 4

/**
 * An index of names by the runs of characters that cross a boundary between two of their words. Runs of three give the
 * exact answer for texts of three characters. Runs of four give candidates for longer texts.
 */
export interface Crossings {
  /** Adds the words of a name. Slots must be added in ascending order. */
  add(slot: number, squashed: string, words: readonly string[]): void
  /** Names that contain these three characters across a boundary, starting at the beginning of a word. */
  atWord(text: string): SlotList
  /** Names that contain these three characters across a boundary, starting in the middle of a word. */
  withinWord(text: string): SlotList
  /**
   * Candidates for a text of at least four characters whose first `next` characters end a word. Returns the shortest of
   * the lists that contain all matching names.
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
