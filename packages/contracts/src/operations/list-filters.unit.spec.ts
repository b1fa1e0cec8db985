import { expect, test } from 'vitest'
import { treeOf } from '../fields/field-tree.ts'
import { operations } from './table.ts'

test('given an empty list as a filter, then every operation treats it as absent', () => {
  const filters = operations.flatMap(({ id, query }) => {
    const tree = treeOf(query)
    const names = tree.kind === 'object' ? [...tree.fields.keys()] : []
    const accepts = (name: string, value: string) => query.safeParse({ [name]: value }).success
    return names.filter((name) => accepts(name, '') && !accepts(name, '§')).map((name) => ({ id, query, name }))
  })
  expect(filters.length).toBeGreaterThan(20)
  const filtering = filters.flatMap(({ id, query, name }) =>
    ['', ',', ' ']
      .filter((value) => new Map(Object.entries(Object(query.parse({ [name]: value })))).get(name) !== undefined)
      .map((value) => `${id}: ${name}='${value}'`),
  )
  expect(filtering).toEqual([])
})
