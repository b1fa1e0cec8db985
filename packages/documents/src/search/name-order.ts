import { compareText } from './candidates.ts'

/** The order of folded names, of names in slots. Names with the same text stand in the order of their slots. */
export interface NameOrder {
  /** Takes in what is new. */
  sort(): void
  /** The place of each slot that is taken in. */
  places(): Int32Array
  /** The slots whose folded name is exactly this. */
  exact(text: string): number[]
  /** The slots whose folded name begins so, in order. */
  begun(text: string): number[]
  /** The slots that are taken in, in order. */
  slots(): Int32Array
  /** From now on the slots are numbered in order. */
  renumbered(): void
  /** The slots below are numbered in order. */
  numbered(): number
}

export function createNameOrder(folded: readonly string[]): NameOrder {
  /** Slots by folded name, as far as they are sorted, and the place of each. */
  let byFolded = new Int32Array(0)
  let places = new Int32Array(0)
  let numbered = 0

  const textOf = (slot: number | undefined) => folded[slot ?? 0] ?? ''

  /** The first place in the order that is not before `text`. */
  function placeOf(text: string): number {
    let low = 0
    let high = byFolded.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if (compareText(textOf(byFolded[middle]), text) < 0) low = middle + 1
      else high = middle
    }
    return low
  }

  /** The slots from a text on, as long as their text fits. */
  function slotsFrom(text: string, fits: (other: string) => boolean): number[] {
    const slots: number[] = []
    for (let at = placeOf(text); at < byFolded.length && fits(textOf(byFolded[at])); at += 1)
      slots.push(byFolded[at] ?? 0)
    return slots
  }

  return {
    sort() {
      const old = byFolded
      if (old.length === folded.length) return
      const compare = (one: number, other: number) => compareText(textOf(one), textOf(other)) || one - other
      const fresh = Array.from({ length: folded.length - old.length }, (_, at) => old.length + at).sort(compare)
      const merged = new Int32Array(folded.length)
      let from = 0
      let end = 0
      for (const slot of fresh) {
        const text = textOf(slot)
        let to = placeOf(text)
        while (to < old.length && textOf(old[to]) === text) to += 1
        merged.set(old.subarray(from, to), end)
        end += to - from
        merged[end] = slot
        end += 1
        from = to
      }
      merged.set(old.subarray(from), end)
      byFolded = merged
      places = new Int32Array(folded.length)
      for (const [place, slot] of merged.entries()) places[slot] = place
    },
    places: () => places,
    exact: (text) => slotsFrom(text, (other) => other === text),
    begun: (text) => slotsFrom(text, (other) => other.startsWith(text)),
    slots: () => byFolded,
    renumbered() {
      byFolded = Int32Array.from(byFolded, (_, at) => at)
      places = byFolded
      numbered = byFolded.length
    },
    numbered: () => numbered,
  }
}
