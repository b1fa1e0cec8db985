import { describe, expect, test } from 'vitest'
import { inOrder, orderOf } from './row-order.ts'

const fields = [
  { name: 'id', type: 'BIGINT', nullable: true },
  { name: 'price', type: 'DECIMAL(10,2)', nullable: true },
  { name: 'name', type: 'VARCHAR', nullable: true },
  { name: 'tags', type: 'VARCHAR[]', nullable: true },
  { name: 'rowNumber', type: 'BIGINT', nullable: true },
]
const by = (sortBy: string) => {
  const [field = '', direction] = sortBy.split(' ')
  return orderOf({ field, direction: direction === 'desc' ? 'desc' : 'asc' }, fields, 'rowNumber')
}
const sorted = (column: string, values: unknown[], direction: string) => {
  const rows = values.map((value, at) => ({ values: { [column]: value }, ruleItemIds: [at] }))
  return inOrder(rows, by(`${column} ${direction}`)).map(({ ruleItemIds: [at = -1] }) => at)
}

describe('the order of rows', () => {
  test('given whole numbers, of which large ones are texts, then they are sorted by value, null last', () => {
    const values = ['9007199254740993', 5, null, '9007199254740992', -7]
    expect(sorted('id', values, 'asc')).toEqual([4, 1, 3, 0, 2])
    expect(sorted('id', values, 'desc')).toEqual([2, 0, 3, 1, 4])
  })
  test('given numbers and texts, then numbers are sorted by value, and texts by code points', () => {
    expect(sorted('price', ['10.5', 9, '-1'], 'asc')).toEqual([2, 1, 0])
    expect(sorted('name', ['b', 'B', '\u{1F600}', '\uFF5E', ''], 'asc')).toEqual([4, 1, 0, 3, 2])
  })
  test('given equal values, then rows keep their stored order, reversed when descending', () => {
    expect(sorted('name', ['***', '***', '***'], 'asc')).toEqual([0, 1, 2])
    expect(sorted('name', ['***', '***', '***'], 'desc')).toEqual([2, 1, 0])
  })
  test('given no order, then rows are in stored order; the row number is not a column', () => {
    expect(orderOf(undefined, fields, 'rowNumber')).toEqual({ column: null, direction: 'asc' })
    expect(by('rowNumber desc')).toEqual({ column: null, direction: 'desc' })
  })
  test.each(['nme', 'tags', 'ID'])(
    'given the column %s, which is unknown or has no order, then it is refused',
    (name) => {
      expect(() => by(`${name} asc`)).toThrow('one of rowNumber, id, price, name')
    },
  )
})
