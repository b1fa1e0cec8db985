import { type ColumnState, type CountedValue, keyOf, maxValues, spreadOf } from '@assay/data-engine'
import { columnDistributions, type Distributions } from '@assay/reliability'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { columnDrift, compareWithReference } from './compare.ts'

/** The state of a column, as an engine reads it. */
function stateOf(rows: readonly number[], dataType = 'DOUBLE'): ColumnState {
  const counts = new Map<number, number>()
  for (const row of rows) counts.set(row, (counts.get(row) ?? 0) + 1)
  const each = [...counts].map(
    ([value, count], hash): CountedValue => ({ value, position: value, hash: `${hash}`, count }),
  )
  const spread = () =>
    spreadOf(
      0,
      [...counts].map(([value, count]) => [keyOf(value), count] as const),
    )
  return {
    ...{ name: 'a', dataType, hashedBy: 'test', nulls: 0, error: null },
    known: {
      ...{ count: rows.length, notFinite: 0, least: null, greatest: null, text: null, number: null },
      values:
        each.length > maxValues
          ? { kind: 'many', registers: '', shares: [], spread: spread(), exact: null }
          : { kind: 'each', values: each },
    },
  }
}
/** As stored in an event. */
const kept = (found: Distributions): Distributions => JSON.parse(JSON.stringify(found))
const distribution = (rows: readonly number[], columns = [stateOf(rows)]) =>
  kept({ rows: rows.length, columns: [...columnDistributions({ rows: rows.length, columns })] })
const driftOf = (reference: Distributions, current: Distributions) => {
  const [before, now] = [reference.columns[0], current.columns[0]]
  const drift = before && now && columnDrift(before, now)
  if (drift === undefined) throw new Error('The columns cannot be compared.')
  return drift
}
const distance = (reference: readonly number[], current: readonly number[]) =>
  driftOf(distribution(reference), distribution(current)).distance

/** Numbers from 0 up to 1 (mulberry32). */
function randomOf(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
type Law = (random: () => number) => number
const sample = (law: Law, rows: number, seed: number) => {
  const random = randomOf(seed)
  return Array.from({ length: rows }, () => law(random))
}
/** A share of rows has one value, the others are uniform between two bounds. */
const mixed =
  (share: number, value: number, [from, to]: readonly [number, number]): Law =>
  (random) =>
    random() < share ? value : from + (to - from) * random()

describe('one distribution, sampled twice', () => {
  it.each([
    ['60 % zeros, sketches of different resolution', mixed(0.6, 0, [0, 100]), 20_000, 4000],
    ['60 % zeros, a sketch and each value', mixed(0.6, 0, [0, 100]), 20_000, 1500],
    ['60 % equal values in the middle, sketches of different resolution', mixed(0.6, 50, [0, 100]), 20_000, 4000],
    ['60 % equal values in the middle, a sketch and each value', mixed(0.6, 50, [0, 100]), 20_000, 1500],
    ['30 % zeros, a sketch and each value', mixed(0.3, 0, [0, 100]), 5000, 1400],
  ])('given %s, then no drift is found', (_, law, before, now) => {
    const [reference, current] = [sample(law, before, 1), sample(law, now, 2)]
    expect(distance(reference, current)).toBeLessThan(0.1)
    expect(distance(current, reference)).toBeLessThan(0.1)
  })

  it('given the greatest double, then a stored baseline has the distance 0 from itself', () => {
    const rows = [...sample(mixed(0.2, Number.MAX_VALUE, [0, 100]), 5000, 1), -Number.MAX_VALUE, 5e-324]
    expect(distance(rows, rows)).toBe(0)
  })

  const share = fc.constantFrom(0, 0.3, 0.6)
  /** `moved`: the distribution shifted by its width, except for its frequent value. */
  const laws = fc
    .record({
      share,
      frequent: fc.constantFrom(0, -1, 999_999, -Number.MAX_VALUE, 5e-324),
      from: fc.constantFrom(-1e12, -100, 0, 3, 1e-9, 1.7e9),
      width: fc.constantFrom(1, 100, 86_400, 1e7),
      /** The number of other values; 0: any number. */
      values: fc.constantFrom(0, 0, 1, 3, 40, 2000),
      isExponent: fc.boolean(),
    })
    .map(({ frequent, from, width, values, isExponent, ...law }) => {
      const at = (random: () => number, by: number) => {
        const fraction = values === 0 ? random() : Math.floor(random() * values) / values
        return isExponent ? Math.sign(from || 1) * 10 ** ((fraction + by) * 100 - 80) : from + width * (fraction + by)
      }
      const lawOf =
        (by: number): Law =>
        (random) =>
          random() < law.share ? frequent : at(random, by)
      return { law: lawOf(0), moved: lawOf(1) }
    })
  const rows = fc.oneof(fc.integer({ min: 500, max: 1500 }), fc.integer({ min: 1500, max: 8000 }))

  it('given any distribution, then a sample is at 0 from itself, another sample within the limit, and a shifted one beyond it', () => {
    fc.assert(
      fc.property(laws, rows, rows, fc.nat(), ({ law, moved }, before, now, seed) => {
        const [reference, current] = [sample(law, before, seed), sample(law, now, seed + 1)]
        expect(distance(reference, reference)).toBe(0)
        // One sample in some hundreds exceeds the limit, so the test allows 1.5 times the limit.
        const { distance: found, limit } = driftOf(distribution(reference), distribution(current))
        expect(found).toBeLessThan(1.5 * limit)
        const far = driftOf(distribution(reference), distribution(sample(moved, now, seed + 1)))
        expect(far.distance).toBeGreaterThan(far.limit)
      }),
      { numRuns: 40 },
    )
  })
})

describe('a table of many columns', () => {
  const wide = (rows: readonly number[]) => {
    const state = stateOf(rows)
    return distribution(
      rows,
      Array.from({ length: 400 }, (_, index) => ({ ...state, name: `a column with a long name, the ${index}th` })),
    )
  }

  it('given 300 columns of long numbers, then their distributions fit into 1 MiB and still show drift', () => {
    const rows = (seed: number, from: number) =>
      sample((random) => -(from + Math.floor(random() * 1000) / 3), 2000, seed)
    const reference = wide(rows(1, 1000))
    expect(reference.columns).toHaveLength(300)
    expect(JSON.stringify(reference).length).toBeLessThan(0.75 * 2 ** 20)
    expect(compareWithReference(reference, wide(rows(2, 1000))).status).toBe('SUCCESSFUL')
    expect(compareWithReference(reference, wide(rows(2, 1100))).message).toContain('and 280 more')
  })
})
