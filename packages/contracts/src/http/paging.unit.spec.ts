import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { operations } from '../operations/table.ts'
import { pagingQuery } from './paging.ts'

const query = z.object(pagingQuery(['id', 'updatedAt']))
const sortOf = (sortBy: string) => query.safeParse({ sortBy })

describe('the query of a listing', () => {
  test('given no parameters, then it selects the first 25 current rows, in the default order', () => {
    expect(query.parse({})).toEqual({ page: 0, size: 25 })
  })

  test.each([
    ['updatedAt:DESC', { field: 'updatedAt', direction: 'desc' }],
    ['id:asc', { field: 'id', direction: 'asc' }],
    ['id:Asc', { field: 'id', direction: 'asc' }],
  ])('given sortBy=%s, then it is applied', (text, order) => {
    expect(sortOf(text).data?.sortBy).toEqual(order)
  })

  test.each(['id', 'id:', ':asc', 'id:up', 'name:asc', 'id:asc:desc', '', ' id:asc'])(
    'given sortBy=%s, then it is refused and the error names sortBy',
    (text) => {
      expect(sortOf(text).error?.issues.map(({ path }) => path)).toEqual([['sortBy']])
    },
  )

  test.each(['', 'a b', 'ä', 'x'.repeat(65), '$gt'])(
    'given asOf=%s, then it is refused and the error names asOf',
    (asOf) => {
      expect(query.safeParse({ asOf }).error?.issues.map(({ path }) => path)).toEqual([['asOf']])
    },
  )

  test('given any operation with pages, then it supports pages of one snapshot', () => {
    const paged = operations
      .map((operation) => ('shape' in operation.query ? Object.keys(operation.query.shape as object) : []))
      .filter((fields) => fields.includes('page') || fields.includes('first'))
    expect(paged.length).toBeGreaterThan(40)
    expect(paged.filter((fields) => !fields.includes('asOf'))).toEqual([])
  })

  test('given sortable fields, then OpenAPI documents the same rule as the error, and a pattern that agrees', () => {
    const { properties } = z.toJSONSchema(query, { io: 'input' })
    const { description = '', pattern = '' } = z
      .object({ description: z.string(), pattern: z.string() })
      .parse(properties?.sortBy)
    const [issue] = sortOf('name:asc').error?.issues ?? []
    expect(issue?.message).toBe('must be <field>:asc or <field>:desc, with one of the fields id, updatedAt')
    expect(description.replaceAll('`', '').toLowerCase()).toContain(issue?.message.toLowerCase())
    for (const text of ['id:asc', 'updatedAt:DESC', 'id:Asc', 'name:asc', 'id', 'ID:asc', 'id:asc ', ''])
      expect(new RegExp(pattern).test(text)).toBe(sortOf(text).success)
  })

  test('given a listing with one order, then a sortBy is refused with that reason', () => {
    const ordered = z.object(pagingQuery([])).safeParse({ sortBy: 'id:asc' })
    expect(ordered.error?.issues[0]?.message).toBe('must be left out, because this listing has one order')
  })
})
