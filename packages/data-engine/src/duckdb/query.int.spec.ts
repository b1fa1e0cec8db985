import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { DatasetLocator, QueryLocator, TableLocator } from '../dataset.ts'
import { rowsInto } from '../row-sink.ts'
import { createEngineInProcess } from '../testing/engine-in-process.ts'

let folder: string
let engine: ReturnType<typeof createEngineInProcess>
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
  engine = createEngineInProcess({ tempRoot: `${folder}/temp` })
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
  it('given two tables, then a query over them is sampled, prepared and measured like any dataset', {
    timeout: 120_000,
  }, async () => {
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

  it('given variables, then they are bound as values and columns, never spliced into the SELECT', {
    timeout: 60_000,
  }, async () => {
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
    [
      'SELECT o.knd FROM orders o JOIN "people.csv" p ON p.id = o.person',
      /There is no column "knd"; did you mean "kind"\? \(character 8\)/,
    ],
    [
      'SELECT count(*) FROM orders o JOIN "people.csv" p ON p.kind = o.id',
      /There is no column "kind"\. \(character 54\)/,
    ],
    ['SELECT count(*) FROM orders JOIN "people.csv" USING (name)', /USING needs the column "name" on both sides/],
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

it('given names that do not exist, then messages give their position and a similar name', {
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

describe('a profile of at most n rows', () => {
  it('given a limit of rows, then the engine reads a repeatable sample of larger results', {
    timeout: 60_000,
  }, async () => {
    const of = async (maxRows: number) => {
      const { rows, columns } = await engine.profile({ dataset: orders, maxRows }, { signal })
      return { rows, columns }
    }
    const sampled = await of(50)
    expect(sampled.rows).toBe(50)
    expect(await of(50)).toEqual(sampled)
    expect(await of(1000)).toMatchObject({ rows: 200, columns: [{ name: 'id', nulls: 0 }, {}, {}] })
  })
})
