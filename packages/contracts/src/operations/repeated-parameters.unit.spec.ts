import { expect, test } from 'vitest'
import { treeOf } from '../fields/field-tree.ts'
import { operations } from './table.ts'

test('given a query parameter twice, then every operation refuses it and the error names it', () => {
  const accepted = operations.flatMap(({ id, query }) => {
    const tree = treeOf(query)
    const names = tree.kind === 'object' ? [...tree.fields.keys()] : []
    return names.flatMap((name) => {
      const { error } = query.safeParse({ [name]: ['1', '1'] })
      return error?.issues.some(({ path }) => path[0] === name) ? [] : [`${id}: ${name}`]
    })
  })
  expect(accepted).toEqual([])
})
