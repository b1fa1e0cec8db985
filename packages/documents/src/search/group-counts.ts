/**
 * The number of documents of each name, by group. The documents of a group have the same values in the included fields.
 * One array contains the pairs (group, number) of all names. If the pairs of a name change, the new ones are appended,
 * and the array is compacted once half of it is unused.
 */
export interface GroupCounts {
  /** Replaces the pairs (group, number, group, number, …) of a name. */
  set(slot: number, pairs: readonly number[]): void
  /** Number of documents of a name in the groups that `allowed` marks with 1. */
  count(slot: number, allowed: Uint8Array): number
  /** Adds the documents of a name to `sums` by group, or subtracts them. Returns their number. */
  addTo(sums: Float64Array, slot: number, allowed: Uint8Array, sign?: 1 | -1): number
  /** The pairs of a name; valid until the next change. */
  pairs(slot: number): Int32Array
  /** Renumbers the slots. `order` has the old slots in their new order. */
  renumber(order: Int32Array): void
  /** Number of documents of all names, by group. */
  totals(): Float64Array
}

export function createGroupCounts(): GroupCounts {
  let pool = new Int32Array(1024)
  let used = 0
  let live = 0
  /** Offset and length of the pairs of each slot, adjacent because they are read together. */
  let spans = new Int32Array(512)
  let totals = new Float64Array(64)

  function addTotals(slot: number, sign: 1 | -1): void {
    const start = spans[2 * slot] ?? 0
    const end = start + (spans[2 * slot + 1] ?? 0)
    for (let at = start; at < end; at += 2) {
      const group = pool[at] ?? 0
      if (group >= totals.length) {
        const more = new Float64Array(group * 2)
        more.set(totals)
        totals = more
      }
      totals[group] = (totals[group] ?? 0) + sign * (pool[at + 1] ?? 0)
    }
  }

  function makeRoom(slot: number, more: number): void {
    if (2 * slot >= spans.length) {
      const old = spans
      spans = new Int32Array(Math.max(2 * slot + 2, old.length * 2))
      spans.set(old)
    }
    if (used + more <= pool.length) return
    const next = new Int32Array(Math.max(1024, (live + more) * 2))
    let end = 0
    for (let at = 0; at < spans.length; at += 2) {
      const length = spans[at + 1] ?? 0
      if (length === 0) continue
      const start = spans[at] ?? 0
      next.set(pool.subarray(start, start + length), end)
      spans[at] = end
      end += length
    }
    pool = next
    used = end
  }

  return {
    set(slot, pairs) {
      const before = spans[2 * slot + 1] ?? 0
      if (before > 0) {
        addTotals(slot, -1)
        live -= before
        spans[2 * slot + 1] = 0
      }
      if (pairs.length === 0) return
      makeRoom(slot, pairs.length)
      pool.set(pairs, used)
      spans[2 * slot] = used
      spans[2 * slot + 1] = pairs.length
      used += pairs.length
      live += pairs.length
      addTotals(slot, 1)
    },
    count(slot, allowed) {
      const start = spans[2 * slot] ?? 0
      const end = start + (spans[2 * slot + 1] ?? 0)
      let sum = 0
      for (let at = start; at < end; at += 2) if (allowed[pool[at] ?? 0] === 1) sum += pool[at + 1] ?? 0
      return sum
    },
    addTo(sums, slot, allowed, sign = 1) {
      const start = spans[2 * slot] ?? 0
      const end = start + (spans[2 * slot + 1] ?? 0)
      let sum = 0
      for (let at = start; at < end; at += 2) {
        const group = pool[at] ?? 0
        const n = pool[at + 1] ?? 0
        if (allowed[group] !== 1) continue
        sums[group] = (sums[group] ?? 0) + sign * n
        sum += n
      }
      return sum
    },
    pairs(slot) {
      const start = spans[2 * slot] ?? 0
      return pool.subarray(start, start + (spans[2 * slot + 1] ?? 0))
    },
    renumber(order) {
      const next = new Int32Array(Math.max(1024, live * 2))
      const fresh = new Int32Array(order.length * 4)
      used = 0
      for (const [slot, old] of order.entries()) {
        const [start, length] = [spans[2 * old] ?? 0, spans[2 * old + 1] ?? 0]
        next.set(pool.subarray(start, start + length), used)
        fresh[2 * slot] = used
        fresh[2 * slot + 1] = length
        used += length
      }
      pool = next
      spans = fresh
    },
    totals: () => totals,
  }
}
