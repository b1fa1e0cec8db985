import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { operations } from '../operations/table.ts'
import { pagingQuery } from './paging.ts'

const query = z.object(pagingQuery(['id', 'updatedAt']))
const sortOf = (sortBy: string) => query.safeParse({ sortBy })

describe('the query of a listing', () => {
  test('given nothing, then it is the first 25 of now, in the order of the listing', () => {
    expect(query.parse({})).toEqual({ page: 0, size: 25 })
  })

  test.each([
    ['updatedAt:DESC', { field: 'updatedAt', direction: 'desc' }],
    ['id:asc', { field: 'id', direction: 'asc' }],
    ['id:Asc', { field: 'id', direction: 'asc' }],
  ])('given sortBy=%s, then it is that order', (text, order) => {
    expect(sortOf(text).data?.sortBy).toEqual(order)
  })

  test.each(['id', 'id:', ':asc', 'id:up', 'name:asc', 'id:asc:desc', '', ' id:asc'])(
    'given sortBy=%s, then it is refused by its name',
    (text) => {
      expect(sortOf(text).error?.issues.map(({ path }) => path)).toEqual([['sortBy']])
    },
  )

  test.each(['', 'a b', 'ä', 'x'.repeat(65), '$gt'])('given asOf=%s, then it is refused by its name', (asOf) => {
    expect(query.safeParse({ asOf }).error?.issues.map(({ path }) => path)).toEqual([['asOf']])
  })

  test('given any operation with pages, then it can be asked for pages of one moment', () => {
    const paged = operations
      .map(({ query: asked }) => ('shape' in asked ? Object.keys(asked.shape as object) : []))
      .filter((fields) => fields.includes('page') || fields.includes('first'))
    expect(paged.length).toBeGreaterThan(40)
    expect(paged.filter((fields) => !fields.includes('asOf'))).toEqual([])
  })

  test('given its fields, then OpenAPI tells of them by the sentence and the form that requests are held to', () => {
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

  test('given a listing without orders, then it says so', () => {
    const ordered = z.object(pagingQuery([])).safeParse({ sortBy: 'id:asc' })
    expect(ordered.error?.issues[0]?.message).toBe('must be left out, as this listing has one order')
  })
})
