import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { systemClock } from '@assay/service-kit/node'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { DatasetLocator, QueryLocator, TableLocator } from '../dataset.ts'
import { rowsInto } from '../row-sink.ts'
import { createDuckDbEngine } from './index.ts'

let folder: string
let engine: ReturnType<typeof createDuckDbEngine>
let orders: TableLocator
let people: TableLocator
const signal = AbortSignal.timeout(120_000)

beforeAll(async () => {
  folder = await realpath(await mkdtemp(`${tmpdir()}/query-`))
  await mkdir(`${folder}/data`)
  const lines = Array.from({ length: 200 }, (_, n) => `${n},${n % 3},${n % 2 === 0 ? 'a' : 'b'}`)
  await writeFile(`${folder}/data/orders.csv`, `id,person,kind\n${lines.join('\n')}\n`)
  await writeFile(`${folder}/data/people.csv`, 'id,name\n0,Ann\n1,Bob\n2,\n')
  await writeFile(`${folder}/secret.csv`, 'secret\n1\n')
  engine = createDuckDbEngine({ memoryMb: 512, threads: 1, tempRoot: `${folder}/temp`, clock: systemClock })
  const found: { [name: string]: DatasetLocator } = {}
  for await (const one of engine.discover({ sourceType: 'FILE', path: `${folder}/data` }, { signal }))
    if (one.kind === 'table') found[one.name] = one.locator
  const [first, second] = [found['orders.csv'], found['people.csv']]
  if (first?.kind !== 'files' || second?.kind !== 'files') throw new Error('not found')
  orders = first
  people = second
}, 120_000)
afterAll(async () => {
  await engine.close()
  await rm(folder, { recursive: true })
})

const query = (sql: string, more: Partial<QueryLocator> = {}): QueryLocator => ({
  kind: 'query',
  sql,
  tables: [
    { name: 'orders', dataset: orders },
    { name: 'people.csv', dataset: people },
  ],
  columns: [],
  fingerprint: '',
  ...more,
})

describe('a SELECT as a dataset', () => {
  it('given two tables, then it is sampled, prepared and measured as any other', { timeout: 120_000 }, async () => {
    const dataset = query(
      'SELECT p.name, count(*) AS n FROM orders o JOIN "people.csv" p ON p.id = o.person GROUP BY ALL ORDER BY 2 DESC, 1',
    )
    const { fields, rows } = await engine.sample({ dataset, limit: 2 }, { signal })
    expect(fields.map(({ name, type }) => `${name} ${type}`)).toEqual(['name VARCHAR', 'n BIGINT'])
    expect(rows).toEqual([
      { name: 'Ann', n: 67 },
      { name: 'Bob', n: 67 },
    ])
    const metrics = [{ kind: 'aggregate', id: 1, fn: 'SUM', column: 'n' }] as const
    expect(
      await engine.prepare({ dataset, metrics, filter: { sql: 'm > 1', variables: {} } }, { signal }),
    ).toMatchObject({
      columns: [{ name: 'name' }, { name: 'n' }],
      filterError: expect.stringContaining('m'),
      metricErrors: [],
    })
    const rowsKept = { bad: null, good: null, preview: 0 }
    const limits = { timeoutMs: 60_000, memoryMb: 512, threads: 1, maxTempMb: 100 }
    const measured = await engine.measure(
      { dataset, metrics: [...metrics], rows: rowsKept },
      { rows: rowsInto(`${folder}/out`), limits, signal },
    )
    expect(measured.metrics).toMatchObject([{ id: 1, value: '200' }])
  })

  it('given variables, then they are values and columns, never text of the SELECT', { timeout: 60_000 }, async () => {
    const variables = { v: { text: "a' OR 1=1 --" }, least: { text: '197' }, c: { column: 'kind' } }
    const dataset = query("SELECT id, ${v} AS v FROM orders WHERE id > ${least} AND ${c} = 'b'", { variables })
    const { rows } = await engine.sample({ dataset, limit: 9 }, { signal })
    expect(rows).toEqual([{ id: 199, v: "a' OR 1=1 --" }])
  })

  it.each([
    ["SELECT * FROM read_csv('SECRET')", /.*/],
    ['SELECT 1; SELECT 2', /semicolon/],
    ['SELECT 1) FROM orders --', /"\)" is not expected here. \(character 9\)/],
    ['DELETE FROM orders', /.*/],
    ['SELECT nothing FROM orders', /nothing/],
    ['SELECT * FROM duckdb_settings()', /"duckdb_settings" cannot be used here/],
    ['SELECT * FROM "Orders" JOIN SECRET USING (id)', /no table "SECRET"/],
    ['SELECT ${x} FROM orders', /not known/],
  ])('given %s, then it is refused', { timeout: 60_000 }, async (sql, message) => {
    const dataset = query(sql.replace("'SECRET'", `'${folder}/secret.csv'`))
    const outcome = await engine.prepare({ dataset, metrics: [] }, { signal }).catch((error: Error) => error)
    expect(outcome).toBeInstanceOf(Error)
    expect(String(outcome)).toMatch(message)
    expect(String(outcome)).not.toContain(`${folder}/data`)
  })
})

it('given names that do not exist, then messages say where they stand and what is near', {
  timeout: 60_000,
}, async () => {
  const written = (sql: string) => ({ sql, variables: {} })
  const expression = (id: number, sql: string) =>
    ({ kind: 'rows', id, predicate: { kind: 'expression', expression: written(sql) } }) as const
  const metrics = [
    expression(1, "kind = 'é' AND CAST(id AS INTEGR) > 0"),
    expression(2, 'idd > 0'),
    expression(3, 'idd'),
  ]
  const request = { dataset: orders, filter: written('id > 1 AND asset.knd IS NULL'), metrics }
  const { filterError, metricErrors } = await engine.prepare(request, { signal })
  expect([filterError, ...metricErrors.map(({ message }) => message)]).toEqual([
    'There is no column "knd"; did you mean "kind"? (character 12)',
    'There is no type "INTEGR"; did you mean "INTEGER"? (character 16)',
    'There is no column "idd"; did you mean "id"? (character 1)',
    'There is no column "idd"; did you mean "id"? (character 1)',
  ])
})

describe('distributions', () => {
  it('given numbers and texts, then every row is counted once, and again in the same bins', {
    timeout: 60_000,
  }, async () => {
    const first = await engine.distributions({ dataset: orders, maxRows: 1000 }, { signal })
    expect(first.rows).toBe(200)
    const [id, , kind] = first.columns
    expect(id).toMatchObject({ name: 'id', kind: 'numbers', nulls: 0 })
    expect(id?.counts).toHaveLength((id?.edges.length ?? 0) + 1)
    expect(id?.counts.reduce((sum, count) => sum + count, 0)).toBe(200)
    expect([id?.counts[0], id?.counts.at(-1)]).toEqual([0, 0])
    expect(kind).toMatchObject({ kind: 'values', values: ['a', 'b'], counts: [100, 100, 0] })
    const some = query('SELECT id + 100 AS id, kind FROM orders')
    const second = await engine.distributions({ dataset: some, maxRows: 1000, like: first.columns }, { signal })
    expect(second.columns[0]?.edges).toEqual(id?.edges)
    expect(second.columns[0]?.counts.at(-1)).toBe(100)
    const sampled = await engine.distributions({ dataset: orders, maxRows: 50 }, { signal })
    expect(sampled.rows).toBe(50)
    expect(await engine.distributions({ dataset: orders, maxRows: 50 }, { signal })).toEqual(sampled)
  })
  it('given an empty table and missing values, then they count as such', { timeout: 60_000 }, async () => {
    const dataset = query(
      "SELECT CAST(NULL AS BIGINT) AS n, CAST('nan' AS DOUBLE) AS d, DATE '2026-01-01' AS t FROM orders",
    )
    const { columns } = await engine.distributions({ dataset, maxRows: 10_000 }, { signal })
    expect(columns).toMatchObject([
      { nulls: 200, edges: [], counts: [0, 0] },
      { nulls: 200 },
      { nulls: 0, edges: [1767225600], counts: [0, 200, 0] },
    ])
    const none = await engine.distributions(
      { dataset: query('SELECT * FROM orders WHERE false'), maxRows: 5 },
      { signal },
    )
    expect(none).toMatchObject({ rows: 0, columns: [{ nulls: 0 }, {}, { values: [], counts: [0] }] })
  })
})
