import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { shortRows } from './short-rows.ts'

const field = (name: string) => ({ name, type: 'VARCHAR', nullable: true })
const none = { name: 'item', count: 1, telling: [], kept: {} }

describe('short rows', () => {
  it('given more columns than are shown, then those that the item is about come first', () => {
    const fields = ['a', 'b', 'c', 'd', 'e', 'f'].map(field)
    const values = { a: 1, b: true, c: null, d: '', e: '9007199254740993', f: { x: [1] } }
    const rows = [{ values, ruleItemIds: [1] }]
    expect(shortRows({ ...none, telling: ['f', 'c', 'gone'], fields, rows })).toEqual({
      item: 'item',
      count: 1,
      columns: ['f', 'c', 'a', 'b', 'd'],
      rows: [['{"x":[1]}', null, '1', 'true', '']],
    })
  })

  it('given compared rows, then their difference and the changed values come first, then the key', () => {
    const sides = (['id', 'amount', 'note'] as const).flatMap((column) =>
      (['LEFT', 'RIGHT'] as const).map((side) => ({
        ...{ name: `${side.toLowerCase()}_${column}`, side, column, dataType: 'VARCHAR' },
      })),
    )
    const fields = ['__difference', '__changed_columns', ...sides.map(({ name }) => name)].map(field)
    const values = {
      __difference: 'CHANGED',
      __changed_columns: ['amount'],
      left_amount: 1,
      right_amount: 2,
      left_id: 7,
    }
    expect(shortRows({ ...none, kept: { sides }, fields, rows: [{ values, ruleItemIds: [1] }] })).toMatchObject({
      columns: ['difference', 'left_amount', 'right_amount', 'left_id', 'right_id'],
      rows: [['CHANGED', '1', '2', '7', null]],
    })
  })

  it('given any rows, then they are few and short, and no character is cut in half', () => {
    const text = fc.string({ unit: 'binary', maxLength: 200 })
    const names = fc.uniqueArray(text, { maxLength: 8 })
    fc.assert(
      fc.property(
        names,
        fc.array(fc.array(fc.oneof(text, fc.jsonValue({ maxDepth: 1 })), { maxLength: 8 }), { maxLength: 5 }),
        text,
        (of, cells, name) => {
          const rows = cells.map((row) => ({
            values: Object.fromEntries(of.map((column, at) => [column, row[at]])),
            ruleItemIds: [1],
          }))
          const { item, columns, rows: shown } = shortRows({ ...none, name, fields: of.map(field), rows })
          expect([columns.length, shown.length]).toEqual([Math.min(of.length, 5), Math.min(rows.length, 3)])
          for (const row of shown) expect(row.length).toBe(columns.length)
          for (const each of [item, ...columns, ...shown.flat()]) {
            expect((each ?? '').length).toBeLessThanOrEqual(each === item ? 200 : 60)
            expect((each ?? '').isWellFormed()).toBe(true)
          }
        },
      ),
      { numRuns: 30 },
    )
  })
})
