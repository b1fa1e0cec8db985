import type { NameForms } from './words.ts'

/**
 * The squashed texts of names by slot, in one buffer. Neighbouring slots are read one after the other, so their texts
 * are close in memory. Offsets and lengths are in UTF-16 units.
 */
export interface NameTexts {
  readonly size: number
  /** Adds the text of the next slot. */
  add(forms: NameForms): void
  text(slot: number): string
  /**
   * 1 if the name begins with the text; 2 if a later word begins with it; 3 if the name only contains it; otherwise
   * `undefined`.
   */
  rank(slot: number, asked: string): 1 | 2 | 3 | undefined
  /** Renumbers the slots. `order` has the old slots in their new order. */
  renumber(order: Int32Array): void
}

export function createNameTexts(): NameTexts {
  let units = new Uint16Array(4096)
  /** For each unit: 1 if it begins a word. */
  let starts = new Uint8Array(4096)
  let ends = new Int32Array(256)
  let size = 0

  const startOf = (slot: number) => (slot === 0 ? 0 : (ends[slot - 1] ?? 0))

  function makeRoom(needed: number): void {
    if (needed > units.length) {
      const more = { units: new Uint16Array(needed * 2), starts: new Uint8Array(needed * 2) }
      more.units.set(units)
      more.starts.set(starts)
      units = more.units
      starts = more.starts
    }
    if (size < ends.length) return
    const more = new Int32Array(ends.length * 2)
    more.set(ends)
    ends = more
  }

  function isAt(at: number, asked: string): boolean {
    for (let unit = 0; unit < asked.length; unit += 1) if (units[at + unit] !== asked.charCodeAt(unit)) return false
    return true
  }

  return {
    get size() {
      return size
    },
    add({ squashed, words }) {
      const start = startOf(size)
      makeRoom(start + squashed.length)
      for (let at = 0; at < squashed.length; at += 1) units[start + at] = squashed.charCodeAt(at)
      let at = start
      for (const word of words) {
        starts[at] = 1
        at += word.length
      }
      ends[size] = start + squashed.length
      size += 1
    },
    text(slot) {
      const start = startOf(slot)
      return Buffer.from(units.buffer, 2 * start, 2 * ((ends[slot] ?? 0) - start)).toString('utf16le')
    },
    rank(slot, asked) {
      const start = startOf(slot)
      const last = (ends[slot] ?? 0) - asked.length
      let isThere = false
      for (let at = start; at <= last; at += 1) {
        if (!isAt(at, asked)) continue
        if (at === start) return 1
        if (starts[at] === 1) return 2
        isThere = true
      }
      return isThere ? 3 : undefined
    },
    renumber(order) {
      const old = { units, starts, ends }
      units = new Uint16Array(old.units.length)
      starts = new Uint8Array(old.starts.length)
      ends = new Int32Array(old.ends.length)
      let end = 0
      for (const [slot, from] of order.entries()) {
        const [first, last] = [from === 0 ? 0 : (old.ends[from - 1] ?? 0), old.ends[from] ?? 0]
        units.set(old.units.subarray(first, last), end)
        starts.set(old.starts.subarray(first, last), end)
        end += last - first
        ends[slot] = end
      }
    },
  }
}
