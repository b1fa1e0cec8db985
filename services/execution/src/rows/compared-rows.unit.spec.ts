import { describe, expect, it } from 'vitest'
import { comparedRows } from './compared-rows.ts'

const sides = [
  { name: 'left_id', side: 'LEFT' as const, column: 'id', dataType: 'BIGINT' },
  { name: 'right_id', side: 'RIGHT' as const, column: 'id', dataType: 'BIGINT' },
]
const rowOf = (changed: unknown) => {
  const values = { __difference: 'CHANGED', __changed_columns: changed, left_id: 1, right_id: 1 }
  return comparedRows([{ values, ruleItemIds: [5] }], { sides })
}

describe('rows of a comparison', () => {
  it.each([
    ['a preview', ['name', 'a, "b"']],
    ['a CSV file', '["name","a, \\"b\\""]'],
  ])('given a row from %s, then it has both sides and the names of its changed columns', (_, changed) => {
    const names = ['name', 'a, "b"']
    expect(rowOf(changed)).toMatchObject([
      {
        ...{ difference: 'CHANGED', changedColumns: names, left: { id: 1 }, right: { id: 1 } },
        values: { __changed_columns: names },
      },
    ])
  })

  it('given a row that agrees, then it has both sides and no difference', () => {
    const values = { left_id: 1, right_id: 1 }
    const [row] = comparedRows([{ values, ruleItemIds: [] }], { sides })
    expect(row).toEqual({ values, ruleItemIds: [], left: { id: 1 }, right: { id: 1 } })
  })

  it.each(['[name]', 7, null])('given %j as the names of changed columns, then it fails', (changed) => {
    expect(() => rowOf(changed)).toThrow()
  })
})
