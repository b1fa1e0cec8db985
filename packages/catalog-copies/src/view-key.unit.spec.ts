import { describe, expect, it } from 'vitest'
import { viewKey } from './view-key.ts'

const query = { kind: 'query', sql: 'SELECT a FROM t', tables: [], columns: [], fingerprint: 'x' }
const table = { kind: 'table', path: '/data/s.db', table: 'v', columns: [], fingerprint: 'x' }
const relation = { kind: 'relation', engine: 'POSTGRESQL', schema: 's', table: 'v', columns: [], fingerprint: 'x' }

describe('the key of a view', () => {
  it('depends on its definition and on the tables that it reads, in any order', () => {
    const views = [
      { locator: query, sourceIds: [1, 2] },
      { locator: query, sourceIds: [1, 3] },
      { locator: { ...query, sql: 'SELECT b FROM t' }, sourceIds: [1, 2] },
      { locator: { ...query, variables: { a: 1 } }, sourceIds: [1, 2] },
      { locator: query },
      { locator: table, sourceIds: [1, 2] },
      { locator: { ...table, definition: 'd' }, sourceIds: [1, 2] },
      ...['d', 'e'].map((definition) => ({ locator: { ...relation, definition }, sourceIds: [1, 2, 4] })),
    ]
    expect(new Set(views.map(viewKey)).size).toBe(views.length)
    expect(viewKey({ locator: { ...query, fingerprint: 'y' }, sourceIds: [2, 1] })).toBe(
      viewKey({ locator: query, sourceIds: [1, 2] }),
    )
  })

  it('is undefined for other assets', () => {
    expect(viewKey({ locator: table })).toBeUndefined()
    expect(viewKey({ locator: relation })).toBeUndefined()
    expect(viewKey({ locator: { kind: 'files', pattern: '/data/a.csv' } })).toBeUndefined()
  })
})
