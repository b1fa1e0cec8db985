import {
  type ColumnState,
  type CountedValue,
  keyOf,
  maxValues,
  rankOf,
  registerBits,
  registerOf,
  spreadOf,
  type ValuesState,
} from '@assay/data-engine'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { metricOf } from './column-metric.ts'
import { figuresOf } from './figures.ts'
import { mergeColumns, mergeProfiles } from './merge-columns.ts'

const unit = 1074n
/** A finite double times 2^1074: always a whole number. */
function integerOf(value: number): bigint {
  let [digits, exponent] = [value, 0n]
  while (!Number.isInteger(digits)) [digits, exponent] = [digits * 2, exponent + 1n]
  return BigInt(digits) << (unit - exponent)
}
const hashes = new Map<number, bigint>()
/** A 64-bit hash of the value (FNV-1a, with a final mix). */
function hashOf(value: number): bigint {
  const known = hashes.get(value)
  if (known !== undefined) return known
  let hash = 14695981039346656037n
  for (const byte of Buffer.from(String(value))) hash = ((hash ^ BigInt(byte)) * 1099511628211n) % 2n ** 64n
  hash ^= hash >> 33n
  hash = (hash * 0xff51afd7ed558ccdn) % 2n ** 64n
  hashes.set(value, hash)
  return hash
}

/** Sketches of all values in one part. */
function sketched(each: readonly CountedValue[]): ValuesState {
  const registers = Buffer.alloc(2 ** registerBits)
  const shares = Array.from({ length: 256 }, () => 0)
  for (const { hash: text, count } of each) {
    const hash = BigInt(text)
    registers[registerOf(hash)] = Math.max(registers[registerOf(hash)] ?? 0, rankOf(hash))
    const first = Number(hash >> 56n)
    shares[first] = (shares[first] ?? 0) + count
  }
  const spread = spreadOf(
    0,
    each.map(({ position, count }) => [keyOf(position ?? 0), count] as const),
  )
  return { kind: 'many', registers: registers.toString('base64'), shares, spread, exact: null }
}

/** The state of all rows from a single read; null is NULL. */
function stateOf(rows: readonly (number | null)[]): ColumnState {
  const known = rows.flatMap((row) => row ?? [])
  const counts = new Map<number, number>()
  for (const value of known) counts.set(value, (counts.get(value) ?? 0) + 1)
  const each = [...counts]
    .map(([value, count]): CountedValue => ({ value, position: value, hash: String(hashOf(value)), count }))
    .sort((a, b) => (BigInt(a.hash) < BigInt(b.hash) ? -1 : 1))
  const sorted = [...counts.keys()].sort((a, b) => a - b)
  const positioned = (value: number | undefined) => (value === undefined ? null : { value, position: value })
  const integers = known.map(integerOf)
  const sum = (all: bigint[]) => String(all.reduce((one, other) => one + other, 0n))
  return {
    name: 'a',
    dataType: 'DOUBLE',
    hashedBy: 'test',
    nulls: rows.length - known.length,
    known: {
      count: known.length,
      notFinite: 0,
      least: positioned(sorted[0]),
      greatest: positioned(sorted.at(-1)),
      text: null,
      number: {
        zeros: known.filter((value) => value === 0).length,
        negatives: known.filter((value) => value < 0).length,
        sums: { sum: sum(integers), squares: sum(integers.map((one) => one * one)), base: 2, exponent: -Number(unit) },
      },
      values: each.length > maxValues ? sketched(each) : { kind: 'each', values: each },
    },
    error: null,
  }
}

const value = fc.oneof(
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((one) => one + 0),
  fc.integer({ min: -20, max: 20 }),
  fc.constantFrom(0.1, 0.2, 1e308, -1e308, 5e-324),
)
const rows = fc.array(fc.option(value, { freq: 5 }), { maxLength: 40 })
/** Many values close together and some far apart. */
const many = fc
  .tuple(fc.nat(1000), fc.nat(700), fc.constantFrom(1, 0.37, -4e9))
  .map(([from, count, by]) => Array.from({ length: count }, (_, index) => (from + index) * by + 0))
const parts = fc.oneof(rows, many)

describe('states of columns', () => {
  it('merge is associative and commutative, and a state of no rows is neutral', () => {
    fc.assert(
      fc.property(parts, parts, parts, (one, other, third) => {
        const [a, b, c] = [stateOf(one), stateOf(other), stateOf(third)] as const
        expect(mergeColumns(a, mergeColumns(b, c))).toEqual(mergeColumns(mergeColumns(a, b), c))
        expect(mergeColumns(a, b)).toEqual(mergeColumns(b, a))
        expect(mergeColumns(a, stateOf([]))).toEqual(a)
      }),
      { numRuns: 15 },
    )
  })

  it('given parts in any order, then the merged state and statistics equal the state and statistics of the whole', () => {
    fc.assert(
      fc.property(fc.array(parts, { minLength: 1, maxLength: 4 }), fc.infiniteStream(fc.nat()), (all, random) => {
        const shuffled = all.map((part) => ({ part, at: random.next().value })).sort((a, b) => a.at - b.at)
        const merged = shuffled.map(({ part }) => stateOf(part)).reduce(mergeColumns)
        const whole = stateOf(all.flat())
        expect(merged).toEqual(whole)
        expect(figuresOf(merged)).toStrictEqual(figuresOf(whole))
      }),
      { numRuns: 15 },
    )
  })

  it('given few values, then every statistic equals the one computed from the sorted rows', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: -1000, max: 1000 }), { minLength: 2, maxLength: 60 }), (all) => {
        const sorted = all.toSorted((a, b) => a - b)
        const mean = all.reduce((one, other) => one + other, 0) / all.length
        const figures = figuresOf([all.slice(0, 7), all.slice(7)].map(stateOf).reduce(mergeColumns))
        expect(figures).toMatchObject({ distinct: new Set(all).size, distinctMethod: 'EXACT', mean })
        expect([figures.min, figures.max]).toEqual([sorted[0], sorted.at(-1)])
        expect(figures.quantiles[2]?.value).toBe(sorted[Math.ceil(all.length / 2) - 1])
        const spread = all.reduce((sum, one) => sum + (one - mean) ** 2, 0) / (all.length - 1)
        expect(figures.standardDeviation).toBeCloseTo(Math.sqrt(spread), 9)
      }),
    )
  })
})

describe('statistics of more values than a state holds', () => {
  it('given parts of a uniform column, then distinct and quantiles are approximate, and all other statistics are exact', () => {
    const all = Array.from({ length: 20_000 }, (_, index) => index + 1)
    const of = (from: number) => stateOf(all.filter((one) => one % 4 === from))
    const [first, ...others] = [0, 1, 2, 3].map(of)
    const figures = figuresOf(others.reduce(mergeColumns, first ?? stateOf([])))
    expect(figures).toMatchObject({
      distinctMethod: 'ESTIMATED',
      mean: 10_000.5,
      min: 1,
      max: 20_000,
      mostFrequent: [],
    })
    expect(Math.abs((figures.distinct ?? 0) / all.length - 1)).toBeLessThan(0.025)
    for (const { fraction, value: found } of figures.quantiles)
      expect(Math.abs(Number(found) / all.length - fraction)).toBeLessThan(0.01)
  })

  it('given estimates above the number of values, then as many are distinct as there are values', () => {
    const distinct = [2000, 3000, 4000, 5000, 6000].map((count) => {
      const all = Array.from({ length: count }, (_, index) => index + 1)
      const of = (half: number) => stateOf(all.filter((one) => one % 2 === half))
      const column = mergeColumns(of(0), of(1))
      const { known } = column
      return [figuresOf(column).distinct, known && metricOf('APPROXIMATE_DISTINCT_VALUES', { ...column, known })].map(
        (found) => (found ?? 0) > count,
      )
    })
    expect(distinct.flat()).not.toContain(true)
  })

  it('given values close together far from zero, then the buckets are fine enough', () => {
    const { buckets } = spreadOf(
      0,
      Array.from({ length: 5000 }, (_, index) => [4_741_671_816_366_391_296n + BigInt(index) * 4096n, 1] as const),
    )
    expect(buckets.length).toBeGreaterThan(maxValues / 2)
  })
})

describe('quantiles', () => {
  it('given 140 values, then 5 % of them is the 7th', () => {
    const all = Array.from({ length: 140 }, (_, index) => index + 1)
    expect(figuresOf(stateOf(all)).quantiles.map(({ value: found }) => found)).toEqual([7, 35, 70, 105, 133])
  })
})

describe('values with one hash', () => {
  const hashed = (value: number) => {
    const state = stateOf([value])
    const values: ValuesState = { kind: 'each', values: [{ value, position: value, hash: '7', count: 1 }] }
    return { ...state, known: state.known && { ...state.known, values } }
  }
  it('stay apart, in any order', () => {
    const merged = mergeColumns(hashed(2), hashed(1))
    expect(merged).toEqual(mergeColumns(hashed(1), hashed(2)))
    expect(
      figuresOf(merged)
        .mostFrequent.map(({ value: found }) => found)
        .toSorted(),
    ).toEqual([1, 2])
  })
})

describe('profiles', () => {
  it('merge column by column', () => {
    const of = (all: (number | null)[]) => ({ rows: all.length, columns: [stateOf(all)] })
    expect(mergeProfiles(of([1, null]), of([2]))).toEqual(of([1, null, 2]))
  })
})
