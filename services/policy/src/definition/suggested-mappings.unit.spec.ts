import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { suggestedMappings } from './suggested-mappings.ts'

const columns = (all: Record<string, string>) => Object.entries(all).map(([name, dataType]) => ({ name, dataType }))
const shown = (left: Record<string, string>, right: Record<string, string>) =>
  suggestedMappings(columns(left), columns(right)).map(
    ({ leftColumnName, rightColumnName, useForJoining }) =>
      `${leftColumnName}=${rightColumnName}${useForJoining ? ' key' : ''}`,
  )

describe('suggested mappings', () => {
  it('given similar names, then columns are paired by name, and the first identifier is the key', () => {
    const left = { amount: 'DOUBLE', orderId: 'BIGINT', shipped_at: 'TIMESTAMP', note: 'VARCHAR' }
    const right = { order_id: 'INTEGER', Amount: 'DECIMAL(10,2)', 'shipped at': 'DATE', remark: 'VARCHAR' }
    expect(shown(left, right)).toEqual(['amount=Amount', 'orderId=order_id key', 'shipped_at=shipped at'])
  })
  it('given a name at the end of another, then they are paired, unless several would be', () => {
    expect(shown({ id: 'BIGINT' }, { order_id: 'BIGINT' })).toEqual(['id=order_id key'])
    expect(shown({ id: 'BIGINT' }, { order_id: 'BIGINT', shop_id: 'BIGINT' })).toEqual([])
  })
  it('given a name that ends like another, but within a word, then they are not paired', () => {
    expect(shown({ ate: 'BIGINT', unpaid: 'BIGINT' }, { rate: 'BIGINT', id: 'BIGINT' })).toEqual([])
    expect(shown({ paidAt: 'TIMESTAMP' }, { 'order paid at': 'TIMESTAMP' })).toEqual(['paidAt=order paid at'])
  })
  it('given more like columns than a policy can map, then the first 1,000 are paired', () => {
    const names = Array.from({ length: 1500 }, (_, index) => ({ name: `column_${index}`, dataType: 'BIGINT' }))
    const same = { name: 'same', dataType: 'BIGINT' }
    const repeated = Array.from({ length: 1500 }, () => same)
    expect(suggestedMappings([...names, ...repeated], [...repeated, ...names.toReversed()])).toHaveLength(1000)
  })
  it('given types that are never equal, then columns are not paired', () => {
    expect(shown({ id: 'VARCHAR' }, { id: 'BIGINT' })).toEqual([])
  })
  it('given any columns, then each column is in at most one pair, and there is at most one key', () => {
    const table = fc.uniqueArray(fc.constantFrom('id', 'ID', 'order_id', 'amount', 'Amount', 'a', 'b'), {
      maxLength: 7,
    })
    fc.assert(
      fc.property(table, table, (left, right) => {
        const of = (names: string[]) => names.map((name) => ({ name, dataType: 'BIGINT' }))
        const found = suggestedMappings(of(left), of(right))
        expect(new Set(found.map(({ leftColumnName }) => leftColumnName)).size).toBe(found.length)
        expect(new Set(found.map(({ rightColumnName }) => rightColumnName)).size).toBe(found.length)
        expect(found.filter(({ useForJoining }) => useForJoining).length).toBeLessThanOrEqual(1)
      }),
    )
  })
})
