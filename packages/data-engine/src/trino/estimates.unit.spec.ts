import { expect, it } from 'vitest'
import type { Connection } from '../push-down/connection.ts'
import type { CatalogTable } from './catalog.ts'
import { estimatedRows } from './estimates.ts'

const tables = Array.from({ length: 50 }, (_, index): CatalogTable => {
  const name = `t${index}`
  return { schema: 's', name, assetType: 'TABLE', definition: '', comment: null, rows: null, bytes: null }
})

/** A server that estimates one row for each table but `t7`, which it cannot explain, and `t9`, which it does not know. */
function serverOf(statements: string[]): Connection {
  const unused = () => Promise.reject(new Error('not asked'))
  return {
    async read({ text }) {
      statements.push(text)
      if (text.includes('"t7"')) throw new Error('The metadata cannot be read.')
      const inputTableColumnInfos = [...text.matchAll(/"(t\d+)"/g)].map(([, table]) => ({
        table: { catalog: 'c', schemaTable: { schema: 's', table } },
        estimate: { outputRowCount: table === 't9' ? 'NaN' : 1 },
      }))
      return [[{ text: JSON.stringify({ inputTableColumnInfos }), type: 0 }]]
    },
    typeOf: unused,
    close: unused,
  }
}

it('given a table that cannot be explained, then the others have estimates, by few statements', async () => {
  const statements: string[] = []
  const found = await estimatedRows(serverOf(statements), 'c', tables, () => true)
  expect(found.size).toBe(48)
  expect([found.get('["s","t6"]'), found.get('["s","t7"]'), found.get('["s","t9"]')]).toEqual([1, undefined, undefined])
  expect(statements.length).toBeLessThan(15)
  for (const statement of statements) expect(statement).toMatch(/^EXPLAIN \(TYPE IO, FORMAT JSON\) SELECT 1 FROM "c"/)
})

it('given that the time is over, then no further tables are explained', async () => {
  const statements: string[] = []
  const found = await estimatedRows(serverOf(statements), 'c', tables.slice(20), () => statements.length < 1)
  expect([found.size, statements.length]).toEqual([20, 1])
})
