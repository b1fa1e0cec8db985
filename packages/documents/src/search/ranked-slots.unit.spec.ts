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

test('given slots of any ranks and positions, when some are read, then they are in the order of a full sort', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 3_000 }),
      fc.integer({ min: 1, max: 20 }),
      fc.integer(),
      fc.array(fc.nat(5_000), { maxLength: 20 }),
      (size, oneOf, seed, reads) => {
        const next = random(seed)
        const byPosition = Int32Array.from({ length: size }, (_, at) => at)
        for (let at = size - 1; at > 0; at -= 1) {
          const other = next(at + 1)
          const [one, two] = [byPosition[at] ?? 0, byPosition[other] ?? 0]
          byPosition[at] = two
          byPosition[other] = one
        }
        const positions = new Int32Array(size)
        for (const [position, slot] of byPosition.entries()) positions[slot] = position
        const rankCodes = Uint8Array.from({ length: size }, () => (next(oneOf) === 0 ? 1 + next(5) : 0))
        const slots = [...rankCodes.keys()].filter((slot) => rankCodes[slot] !== 0)
        const full = slots.toSorted(
          (one, other) =>
            (rankCodes[one] ?? 0) - (rankCodes[other] ?? 0) || (positions[one] ?? 0) - (positions[other] ?? 0),
        )
        const ordered = rankedSlots(slots, rankCodes, positions, byPosition)
        expect(ordered.length).toBe(full.length)
        // Reads some out of order, as pages are, and then all from start to end.
        for (const at of reads) if (at < full.length) expect(ordered.slot(at)).toBe(full[at])
        expect(full.map((_, at) => ordered.slot(at))).toEqual(full)
      },
    ),
    { numRuns: 60 },
  )
})
