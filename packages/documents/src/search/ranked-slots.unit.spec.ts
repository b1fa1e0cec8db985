import fc from 'fast-check'
import { expect, test } from 'vitest'
import { rankedSlots } from './ranked-slots.ts'

const random = (seed: number) => {
  let state = seed
  return (below: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

test('given slots of any ranks and places, when some are read, then they are in the order of a full sort', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 3_000 }),
      fc.integer({ min: 1, max: 20 }),
      fc.integer(),
      fc.array(fc.nat(5_000), { maxLength: 20 }),
      (size, oneOf, seed, looks) => {
        const next = random(seed)
        const byPlace = Int32Array.from({ length: size }, (_, at) => at)
        for (let at = size - 1; at > 0; at -= 1) {
          const other = next(at + 1)
          const [one, two] = [byPlace[at] ?? 0, byPlace[other] ?? 0]
          byPlace[at] = two
          byPlace[other] = one
        }
        const places = new Int32Array(size)
        for (const [place, slot] of byPlace.entries()) places[slot] = place
        const marks = Uint8Array.from({ length: size }, () => (next(oneOf) === 0 ? 1 + next(5) : 0))
        const slots = [...marks.keys()].filter((slot) => marks[slot] !== 0)
        const full = slots.toSorted(
          (one, other) => (marks[one] ?? 0) - (marks[other] ?? 0) || (places[one] ?? 0) - (places[other] ?? 0),
        )
        const ordered = rankedSlots(slots, marks, places, byPlace)
        expect(ordered.length).toBe(full.length)
        // Reads some out of order, as pages are, and then all from start to end.
        for (const at of looks) if (at < full.length) expect(ordered.slot(at)).toBe(full[at])
        expect(full.map((_, at) => ordered.slot(at))).toEqual(full)
      },
    ),
    { numRuns: 60 },
  )
})
