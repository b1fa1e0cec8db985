import { describe, expect, it } from 'vitest'
import { masked } from './mask.ts'

const fields = ['BIGINT', 'VARCHAR', 'STRUCT(a INTEGER)', 'VARCHAR[]'].map((type, index) => ({
  name: `c${index}`,
  type,
  nullable: true,
}))
const rows = { schema: { fields }, data: [{ c0: 1, c1: null, c2: { a: 1 }, c3: ['x'] }] }

describe('rows behind a mask', () => {
  it('given nothing is protected, then they are as they are', () => {
    expect(masked(rows, { columns: new Set(), nested: false })).toEqual(rows)
  })
  it('given a column is, then its values are hidden, also those that are not there', () => {
    expect(masked(rows, { columns: new Set(['c1', 'gone']), nested: false }).data).toEqual([
      { c0: 1, c1: '***', c2: { a: 1 }, c3: ['x'] },
    ])
  })
  it('given a leaf is, then what has an inner structure; given the table, then all', () => {
    expect(masked(rows, { columns: new Set(), nested: true }).data).toEqual([{ c0: 1, c1: null, c2: '***', c3: '***' }])
    expect(masked(rows, 'all').data).toEqual([{ c0: '***', c1: '***', c2: '***', c3: '***' }])
  })
})
