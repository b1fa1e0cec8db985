import { type ItemInput, itemInput } from '@assay/contracts'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { ItemDefinition } from '../families/data-quality/item.ts'
import { draftItems } from '../families/data-quality/items.ts'

/** Merges, and numbers the new entries. */
function merge(before: readonly ItemDefinition[], inputs: readonly ItemInput[]): ItemDefinition[] {
  let last = Math.max(0, ...before.map(({ id }) => id))
  return draftItems(before, inputs).map((item) => {
    if (item.id !== 0) return item
    last += 1
    return { ...item, id: last }
  })
}

const range = (min: number, more: object = {}): ItemInput =>
  itemInput.parse({ measurementType: 'RANGE_MATCH', columnName: 'amount', value: { min }, ...more })
const shown = (items: readonly ItemDefinition[]) =>
  items.map(({ id, name, executionOrder }) => `${id} ${name} @${executionOrder}`)

describe('names and order without input', () => {
  it('given items with the same default name, then each gets its own name and order', () => {
    expect(shown(merge([], [range(1), range(2), range(3)]))).toEqual([
      '1 RANGE_MATCH amount @0',
      '2 RANGE_MATCH amount 2 @1',
      '3 RANGE_MATCH amount 3 @2',
    ])
  })
  it('given one item is removed and another added, then all other items keep their ids, sent with an id or without', () => {
    const before = merge([], [range(1), range(2)])
    const expected = ['2 RANGE_MATCH amount 2 @1', '3 RANGE_MATCH amount @2']
    expect(shown(merge(before, [range(2), range(9)]))).toEqual(expected)
    expect(shown(merge(before, [range(2, { id: 2 }), range(9)]))).toEqual(expected)
  })
  it('given the list is sent again, in any order, then no item is new', () => {
    const before = merge([], [range(1), range(2), range(3)])
    expect(merge(before, [range(1), range(2), range(3)])).toEqual(before)
    expect(new Set(merge(before, [range(3), range(1), range(2)]))).toEqual(new Set(before))
  })
  it('given names and order in the input, then the result has them unchanged', () => {
    const sent = [range(1, { name: 'a', executionOrder: 1 }), range(2), range(3, { name: 'RANGE_MATCH amount' })]
    expect(shown(merge([], sent))).toEqual(['1 a @1', '2 RANGE_MATCH amount 2 @2', '3 RANGE_MATCH amount @3'])
  })
  it('given any changes, then no two items share a name, an order or an id', () => {
    const changes = fc.array(fc.array(fc.integer({ min: 1, max: 6 }), { maxLength: 8 }), { maxLength: 5 })
    fc.assert(
      fc.property(changes, (lists) => {
        let items: ItemDefinition[] = []
        for (const list of lists) {
          items = merge(
            items,
            list.map((min) => range(min)),
          )
          for (const key of ['name', 'executionOrder', 'id'] as const)
            expect(new Set(items.map((item) => item[key])).size).toBe(items.length)
        }
      }),
    )
  })
})
