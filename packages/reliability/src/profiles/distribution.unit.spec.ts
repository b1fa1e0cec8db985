import type { ColumnState } from '@assay/data-engine'
import { describe, expect, it } from 'vitest'
import { distributionsOf } from './distribution.ts'
import { mergeColumns } from './merge-columns.ts'

/** A column of numbers; `nulls` more rows are NULL. */
function column(values: readonly number[], nulls = 0): ColumnState {
  const each = values.map((value) => ({
    value,
    place: value,
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
const of = (state: ColumnState) => ({ rows: state.nulls + (state.known?.count ?? 0), columns: [state] })

describe('how values are spread', () => {
  it('given numbers, then every row is counted once, and again in the same bins', () => {
    const first = distributionsOf(of(column(upTo(200), 3)))
    const [found] = first.columns
    expect(found).toMatchObject({ kind: 'numbers', nulls: 3 })
    expect(found?.edges).toHaveLength(21)
    expect(found?.counts).toEqual([0, ...Array(20).fill(10), 0])
    const moved = distributionsOf(of(column(upTo(300).slice(100))), first)
    expect(moved.columns[0]).toMatchObject({ edges: found?.edges, nulls: 0 })
    expect(moved.columns[0]?.counts).toEqual([...Array(11).fill(0), ...Array(10).fill(10), 100])
  })

  it('given sketches of parts, then the bins are those of the values, but for a bucket', () => {
    const bins = (state: ColumnState) => distributionsOf(of(state), distributionsOf(of(column(upTo(200))))).columns[0]
    const parts = upTo(8).map((part) => column(upTo(8000).filter((value) => value % 8 === part)))
    const merged = parts.reduce(mergeColumns)
    expect(merged.known?.values.kind).toBe('many')
    const { counts = [] } = distributionsOf(of(merged)).columns[0] ?? {}
    for (const count of counts.slice(1, -1)) expect(Math.abs(count - 400)).toBeLessThanOrEqual(16)
    expect(bins(merged)?.counts.reduce((all, count) => all + count, 0)).toBe(8000)
  })

  it('given text, or no values at all, then hashes are counted, or nothing is', () => {
    const text = { ...column([1, 2, 2 ** 7]), dataType: 'VARCHAR' }
    const [found] = distributionsOf(of(text)).columns
    expect(found).toMatchObject({ kind: 'values', edges: [] })
    expect([1, 2, 128, 129].map((byte) => found?.counts[byte])).toEqual([1, 1, 1, 0])
    const none = distributionsOf(of(column([], 4)))
    expect(none).toMatchObject({ rows: 4, columns: [{ nulls: 4, edges: [], counts: [0, 0, 0] }] })
    const one = distributionsOf(of({ ...column([7]), dataType: 'DATE' }))
    expect(one.columns[0]).toMatchObject({ edges: [7], counts: [0, 1, 0] })
  })
})
