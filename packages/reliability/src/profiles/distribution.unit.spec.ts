import type { ColumnState } from '@assay/data-engine'
import { describe, expect, it } from 'vitest'
import { inCommonBins } from './common-bins.ts'
import { type ColumnDistribution, columnDistributions } from './distribution.ts'
import { mergeColumns } from './merge-columns.ts'

/** A column of numbers; `nulls` more rows are NULL. */
function column(values: readonly number[], nulls = 0): ColumnState {
  const each = values.map((value) => ({
    value,
    position: value,
    hash: String(((2n ** 56n * BigInt(value)) % 2n ** 64n) + BigInt(value)),
    count: 1,
  }))
  const [least = null] = each
  return {
    ...{ name: 'a', dataType: 'BIGINT', hashedBy: 'test', nulls, error: null },
    known: {
      ...{ count: values.length, notFinite: null, least, greatest: each.at(-1) ?? null, text: null, number: null },
      values: { kind: 'each', values: each },
    },
  }
}
const upTo = (end: number) => Array.from({ length: end }, (_, index) => index)
function of(state: ColumnState): ColumnDistribution {
  const [found] = columnDistributions({ rows: state.nulls + (state.known?.count ?? 0), columns: [state] })
  if (found === undefined) throw new Error('The column is left out.')
  return found
}
const binned = (reference: ColumnState, current: ColumnState) => inCommonBins(of(reference), of(current))

describe('two distributions in the same bins', () => {
  it('given numbers, then every row is counted once: below, in 20 parts, above, NULL', () => {
    const bins = binned(column(upTo(300).slice(100), 3), column(upTo(350).slice(50)))
    expect(bins?.reference).toEqual([0, ...Array(20).fill(10), 0, 3])
    expect(bins?.current).toEqual([50, ...Array(20).fill(10), 50, 0])
  })

  it('given merged sketches, then the bins differ from those of the values by at most one bucket', () => {
    const parts = upTo(8).map((part) => column(upTo(8000).filter((value) => value % 8 === part)))
    const merged = parts.reduce(mergeColumns)
    expect(merged.known?.values.kind).toBe('many')
    const bins = binned(merged, column(upTo(200)))
    for (const count of bins?.reference.slice(1, -2) ?? []) expect(Math.abs(count - 400)).toBeLessThanOrEqual(16)
    expect(bins?.current.slice(0, 2)).toEqual([0, 200])
  })

  it('given a reference of one value or none, then other values are below or above it', () => {
    const day = (values: number[]) => ({ ...column(values), dataType: 'DATE' })
    expect(binned(day([7]), day([6, 7, 8, 9]))).toEqual({ reference: [0, 1, 0, 0], current: [1, 1, 2, 0] })
    expect(binned(column([], 4), column([7]))).toEqual({ reference: [0, 4], current: [1, 0] })
  })

  it('given frequent values, then the values in between have their own bins', () => {
    const bins = binned(column([10, 20]), column([10, 15, 20, 25]))
    expect(bins).toEqual({ reference: [0, 1, 0, 1, 0, 0], current: [0, 1, 1, 1, 1, 0] })
  })

  it('given text, then values are counted by hash, and are not comparable with numbers or another hash function', () => {
    const text = { ...column([1, 2, 2 ** 7]), dataType: 'VARCHAR' }
    const current = binned(text, text)?.current
    expect([1, 2, 128, 129].map((byte) => current?.[byte])).toEqual([1, 1, 1, 0])
    expect(binned(text, { ...text, hashedBy: 'other' })).toBeUndefined()
    expect(binned(text, column([1]))).toBeUndefined()
  })
})
