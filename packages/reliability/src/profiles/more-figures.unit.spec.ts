import { type ColumnState, maxPatterns } from '@assay/data-engine'
import { describe, expect, it } from 'vitest'
import { figuresOf } from './figures.ts'
import { mergeColumns } from './merge-columns.ts'

const types = { BOOLEAN: 0, INTEGER: 0, DECIMAL: 0, DATE: 0, TIMESTAMP: 0, UUID: 0, TEXT: 0 }
const base = { name: 'a', hashedBy: 'test', nulls: 0, error: null }

/** Whole numbers, as the example of docs/profiles.md has them. */
function numbers(values: readonly number[], nulls = 0): ColumnState {
  const counts = Map.groupBy(values, (value) => value)
  const each = [...counts].map(([value, all]) => ({ value, position: value, hash: String(value), count: all.length }))
  const sorted = each.toSorted((one, other) => one.position - other.position)
  const sum = (power: number) => String(values.reduce((all, value) => all + value ** power, 0))
  return {
    ...{ ...base, dataType: 'BIGINT', nulls },
    known: {
      ...{
        count: values.length,
        notFinite: null,
        least: sorted[0] ?? null,
        greatest: sorted.at(-1) ?? null,
        text: null,
      },
      number: { zeros: 0, negatives: 0, sums: { sum: sum(1), squares: sum(2), base: 10, exponent: 0 } },
      values: { kind: 'each', values: each },
    },
  }
}

function texts(patterns: { pattern: string; count: number }[] | null, more: Partial<typeof types>): ColumnState {
  const lengths = { empty: 0, blank: 0, minLength: 1, maxLength: 2, lengths: 6, upper: 0, lower: 4, mixed: 0 }
  const text = { ...lengths, minWords: 1, maxWords: 2, patterns, types: { ...types, ...more } }
  const known = { count: 4, notFinite: null, least: null, greatest: null, text, number: null }
  return { ...base, dataType: 'VARCHAR', known: { ...known, values: { kind: 'each', values: [] } } }
}

describe('figures of numbers', () => {
  it('given 1, 2, 2, 7 and NULL, then they are those calculated by hand', () => {
    const figures = figuresOf(numbers([1, 2, 2, 7], 1))
    expect(figures).toMatchObject({ count: 4, nullPercentage: 20, unique: 2, duplicates: 1, sum: 12, mean: 3 })
    expect(figures).toMatchObject({ variance: 22 / 3, interquartileRange: 1, empty: null, patterns: null })
    expect(figures.skewness).toBeCloseTo(13.5 / 5.5 ** 1.5, 11)
    expect(figures.kurtosis).toBeCloseTo(68.5 / 5.5 ** 2 - 3, 11)
    expect(figures.histogram?.map(({ count }) => count)).toEqual([1, 0, 0, 2, ...Array(15).fill(0), 1])
    expect(figures.histogram?.[3]).toMatchObject({ from: expect.closeTo(1.9, 12), to: expect.closeTo(2.2, 12) })
  })

  it('given the symmetric values 1 to 30, then the skewness is 0', () => {
    expect(figuresOf(numbers(Array.from({ length: 30 }, (_, index) => index + 1))).skewness).toBe(0)
  })

  it('given one value only, then there is one bin, and no skewness', () => {
    const figures = figuresOf(numbers([5, 5]))
    expect(figures).toMatchObject({ histogram: [{ from: 5, to: 5, count: 2 }], skewness: null, kurtosis: null })
  })
})

describe('figures of texts', () => {
  it('given patterns of two parts, then their counts are added, unless there are too many to keep', () => {
    const one = texts([{ pattern: 'a', count: 4 }], { INTEGER: 3 })
    const other = texts(
      [
        { pattern: '9', count: 1 },
        { pattern: 'a', count: 3 },
      ],
      { DECIMAL: 1 },
    )
    for (const merged of [mergeColumns(one, other), mergeColumns(other, one)])
      expect(figuresOf(merged)).toMatchObject({
        patterns: [
          { pattern: 'a', count: 7 },
          { pattern: '9', count: 1 },
        ],
        ...{ inferredType: 'DECIMAL', meanLength: 1.5, minWords: 1, maxWords: 2 },
        typeCounts: [
          { type: 'INTEGER', count: 3 },
          { type: 'DECIMAL', count: 1 },
        ],
      })
    const many = Array.from({ length: maxPatterns }, (_, index) => ({ pattern: `a${'-'.repeat(index)}`, count: 1 }))
    expect(figuresOf(mergeColumns(texts(many, {}), other)).patterns).toEqual([])
  })

  it.each([
    [{ DATE: 1, TIMESTAMP: 2 }, 'TIMESTAMP'],
    [{ DATE: 1, INTEGER: 2 }, 'TEXT'],
    [{ UUID: 3 }, 'UUID'],
    [{}, null],
  ])('given texts that look like %j, then the inferred type is %s', (found, expected) => {
    expect(figuresOf(texts([], found)).inferredType).toBe(expected)
  })
})
