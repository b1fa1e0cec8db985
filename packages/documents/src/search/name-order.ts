import { compareText } from './candidates.ts'

/** The slots of names sorted by folded name, then by slot. */
export interface NameOrder {
  /** Sorts the slots that were added since the last call. */
  sort(): void
  /** The position of each slot in the order. */
  positions(): Int32Array
  /** The slots whose folded name is exactly this. */
  exact(text: string): number[]
  /** The slots whose folded name begins with the text, in order. */
  beginningWith(text: string): number[]
  /** The sorted slots, in order. */
  slots(): Int32Array
  /** Call it after the slots were renumbered in this order. */
  renumbered(): void
  /** All slots below this number are numbered in the order of names. */
  numbered(): number
}

export function createNameOrder(folded: readonly string[]): NameOrder {
  /** The slots sorted by folded name, and the position of each. */
  let byFolded = new Int32Array(0)
  let positions = new Int32Array(0)
  let numbered = 0

  const textOf = (slot: number | undefined) => folded[slot ?? 0] ?? ''

  /** The first position whose name is not less than `text`. */
  function positionOf(text: string): number {
    let low = 0
    let high = byFolded.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if (compareText(textOf(byFolded[middle]), text) < 0) low = middle + 1
      else high = middle
    }
    return low
  }

  /** The slots from `text` on, while `fits` accepts their names. */
  function slotsFrom(text: string, fits: (other: string) => boolean): number[] {
    const slots: number[] = []
    for (let at = positionOf(text); at < byFolded.length && fits(textOf(byFolded[at])); at += 1)
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
        let to = positionOf(text)
        while (to < old.length && textOf(old[to]) === text) to += 1
        merged.set(old.subarray(from, to), end)
        end += to - from
        merged[end] = slot
        end += 1
        from = to
      }
      merged.set(old.subarray(from), end)
      byFolded = merged
      positions = new Int32Array(folded.length)
      for (const [position, slot] of merged.entries()) positions[slot] = position
    },
    positions: () => positions,
    exact: (text) => slotsFrom(text, (other) => other === text),
    beginningWith: (text) => slotsFrom(text, (other) => other.startsWith(text)),
    slots: () => byFolded,
    renumbered() {
      byFolded = Int32Array.from(byFolded, (_, at) => at)
      positions = byFolded
      numbered = byFolded.length
    },
    numbered: () => numbered,
  }
}
