import { describe, expect, it } from 'vitest'
import { masked } from './mask.ts'

const fields = ['BIGINT', 'VARCHAR', 'STRUCT(a INTEGER)', 'VARCHAR[]'].map((type, index) => ({
  name: `c${index}`,
  type,
  nullable: true,
}))
const whole = { column: null }
const rows = { schema: { fields }, data: [{ c0: 1, c1: null, c2: { a: 1 }, c3: ['x'] }] }

describe('masked rows', () => {
  it('given nothing is protected, then rows are unchanged', () => {
    expect(masked(rows, { columns: new Set(), nested: false }, whole)).toEqual(rows)
  })
  it('given a protected column, then its values are masked, including nulls', () => {
    expect(masked(rows, { columns: new Set(['c1', 'gone']), nested: false }, whole).data).toEqual([
      { c0: 1, c1: '***', c2: { a: 1 }, c3: ['x'] },
    ])
  })
  it('given a protected leaf, then nested columns are masked, and with a protected table all columns', () => {
    expect(masked(rows, { columns: new Set(), nested: true }, whole).data).toEqual([
      { c0: 1, c1: null, c2: '***', c3: '***' },
    ])
    expect(masked(rows, 'all', whole).data).toEqual([{ c0: '***', c1: '***', c2: '***', c3: '***' }])
  })
  it('given a field inside a column, then it is masked like that column, not like a column with the name of the field', () => {
    const leaf = { path: ['zip'], dataType: 'VARCHAR' }
    const inner = { schema: { fields: [{ name: 'zip', type: 'VARCHAR', nullable: true }] }, data: [{ zip: '1' }] }
    const shown = (mask: Parameters<typeof masked>[1]) => masked(inner, mask, { column: 'user', leaf }).data[0]?.zip
    expect(shown({ columns: new Set(['user']), nested: false })).toBe('***')
    expect(shown({ columns: new Set(), nested: true })).toBe('***')
    expect(shown('all')).toBe('***')
    expect(shown({ columns: new Set(['zip']), nested: false })).toBe('1')
  })
})
