import { expect, it } from 'vitest'
import { queryOfRows, queryOver } from './query-over.ts'

const table = queryOfRows(['a'], [{ a: 1 }])
const text = (sql: string, value: string) => ({ sql, variables: { least: { text: value } } })

it('given columns to exclude, select and add, then names are quoted and parameters do not collide', () => {
  const added = [
    { name: 'one', expression: text('a > ${least}', '1') },
    { name: 'tw"o', expression: text('a > ${least}', '2') },
  ]
  expect(queryOver(table, { without: ['b"'], added, limit: 5 })).toMatchObject({
    sql: `SELECT * EXCLUDE ("b"""), (\na > \${least}\n) AS "one", (\na > \${t1_least}\n) AS "tw""o" FROM (\n${table.sql}\n) AS asset LIMIT 5`,
    variables: { least: { text: '1' }, t1_least: { text: '2' } },
  })
  expect(queryOver(table, { only: ['a', 'b'] }).sql).toMatch(/^SELECT "a", "b" FROM/)
})

it('given rows, then values of one kind keep their type, mixed ones are texts, and absent ones are NULL', () => {
  const rows = [{ a: 1, b: "it's", c: 1 }, { a: null, b: true, c: 2 }, { a: 3 }]
  expect(queryOfRows(['a', 'b', 'c'], rows).sql).toContain("VALUES (1, 'it''s', 1), (NULL, 'true', 2), (3, NULL, NULL)")
})
