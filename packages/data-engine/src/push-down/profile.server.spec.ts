import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { figuresOf, mergeProfiles } from '@assay/reliability'
import { DuckDBConnection, DuckDBInstance } from '@duckdb/node-api'
import { createConnection } from 'mysql2/promise'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type MariadbServer, start as startMariadb } from '../../../../tools/servers/mariadb.mjs'
import { type PostgresServer, start } from '../../../../tools/servers/postgres.mjs'
import type { DatasetLocator } from '../dataset.ts'
import { createMysqlEngine } from '../mysql/engine.ts'
import { createPostgresEngine } from '../postgres/engine.ts'
import { keptLimits, type ProfilePlan } from '../profile.ts'
import { createEngineRouter } from '../router.ts'
import { rowsInto } from '../row-sink.ts'
import { createEngineInProcess } from '../testing/engine-in-process.ts'
import { onlyTable, written } from '../testing/plans.ts'
import { reachUrl } from '../testing/reach-url.ts'

let postgres: PostgresServer
let mariadb: MariadbServer
let folder: string
let engine: ReturnType<typeof createEngineRouter>
let file: DatasetLocator
const clock = { now: () => Date.now() }
const { signal } = new AbortController()

/** The columns of the rows `i`; `text`, `double` and `at` are what a database writes in its own way. */
const rowsOf = (text: (of: string) => string, double: string, at: string) => `i AS id,
  CASE WHEN i % 7 = 0 THEN NULL ELSE CONCAT('Näme ', ${text('i % 1300')}) END AS name,
  CASE i % 4 WHEN 0 THEN '' WHEN 1 THEN ' ' WHEN 2 THEN 'a1 B2' ELSE '2024-01-31' END AS form,
  CAST(i % 300 AS DECIMAL(12, 2)) - 7.25 AS price,
  ${double} AS reading, ${at} AS made,
  CAST('2024-01-31' AS DATE) AS day, i % 2 = 0 AS flag`

const wide = 'CREATE TABLE wide (whole numeric(45, 0), part numeric(60, 30), short numeric(60, 10))'
const wideRows = `INSERT INTO wide VALUES (NULL, 1, 0.125),
    (1000000000000000000000000000000000000001, 1.000000000000000000000000000001, -7.5),
    (1000000000000000000000000000000000000002, 10000000000, 10000000000000000000000000000000000000000)`

beforeAll(async () => {
  ;[postgres, mariadb] = await Promise.all([start(), startMariadb()])
  folder = await mkdtemp(join(tmpdir(), 'assay-profiles-'))
  const client = new pg.Client({ connectionString: postgres.url })
  await client.connect()
  const inPostgres = rowsOf(
    (of) => `CAST(${of} AS text)`,
    'CAST(i AS double precision) / 7',
    "timestamp '2024-01-01' + i * interval '1 minute'",
  )
  await client.query(
    `CREATE TABLE nasty AS SELECT ${inPostgres}, CAST(i AS numeric) / 8 AS free FROM generate_series(1, 2500) AS i`,
  )
  await client.query(`CREATE TABLE odd AS SELECT i AS id, 'Ada' AS name,
    CASE WHEN i = 2 THEN timestamp '294276-12-31' ELSE timestamp '2024-01-31' END AS beyond,
    CASE i WHEN 1 THEN date 'infinity' WHEN 2 THEN '-infinity' ELSE '2024-01-31' END AS day,
    CASE i WHEN 1 THEN timestamp 'infinity' WHEN 2 THEN '-infinity' WHEN 3 THEN '0044-03-15 BC' ELSE '2024-01-31 10:00' END AS made,
    CASE i WHEN 1 THEN timestamp(0) 'infinity' WHEN 2 THEN '-infinity' ELSE '2024-01-31 10:00' END AS second,
    CASE i WHEN 1 THEN timestamp(3) 'infinity' WHEN 2 THEN '-infinity' ELSE '2024-01-31 10:00' END AS milli
    FROM generate_series(1, 4) AS i`)
  await client.query(wide)
  await client.query(wideRows)
  await client.end()
  const other = await createConnection({ uri: mariadb.url })
  const inMariadb = rowsOf(
    (of) => `CAST(${of} AS CHAR)`,
    'CAST(i AS DOUBLE) / 7',
    "CAST('2024-01-01' AS DATETIME(6)) + INTERVAL i MINUTE",
  )
  await other.query(
    `CREATE TABLE nasty (flag BOOLEAN, made DATETIME(6), reading DOUBLE, price DECIMAL(12, 2), name TEXT, form TEXT) CHARACTER SET utf8mb4 AS SELECT ${inMariadb}, CAST(i / 8 AS DECIMAL(20, 3)) AS free FROM (SELECT seq AS i FROM seq_1_to_2500) AS t`,
  )
  await other.query(
    `CREATE TABLE odd AS SELECT seq AS id, 'Ada' AS name, CAST(CASE WHEN seq = 2 THEN '100:00:00' ELSE '10:00:00' END AS TIME) AS beyond FROM seq_1_to_4`,
  )
  await other.query(wide)
  await other.query(wideRows)
  await other.end()
  const connection = await DuckDBConnection.create(await DuckDBInstance.create(':memory:'))
  const inFile = rowsOf(
    (of) => `CAST(${of} AS VARCHAR)`,
    'CAST(i AS DOUBLE) / 7',
    "TIMESTAMP '2024-01-01' + to_minutes(i)",
  )
  await connection.run(
    `COPY (SELECT ${inFile}, CAST(i AS DECIMAL(20, 3)) * 0.125 AS free FROM range(1, 2501) AS t(i)) TO '${folder}/nasty.parquet' (FORMAT parquet)`,
  )
  connection.closeSync()
  const files = createEngineInProcess()
  engine = createEngineRouter({
    files,
    databases: {
      POSTGRESQL: createPostgresEngine({ reach: reachUrl('POSTGRESQL', postgres.url), clock }),
      MARIADB: createMysqlEngine({ reach: reachUrl('MARIADB', mariadb.url), clock }),
    },
  })
  file = await onlyTable(files, { sourceType: 'FILE', path: join(folder, 'nasty.parquet') })
})
afterAll(async () => {
  await engine.close()
  await Promise.all([postgres.stop(), mariadb.stop()])
  await rm(folder, { recursive: true, force: true })
})

const tableIn = (name: 'POSTGRESQL' | 'MARIADB', table = 'nasty'): DatasetLocator => ({
  ...{ kind: 'relation', engine: name, schema: name === 'MARIADB' ? 'assay' : 'public', table },
  ...{ columns: [], fingerprint: '' },
})

/** The figures of each column without the name of its type, which each database writes in its own way. */
async function figures(dataset: DatasetLocator, more: Partial<ProfilePlan> = {}) {
  const { rows, columns, reached } = await engine.profile({ dataset, ...more }, { signal })
  const all = columns.map((column) => [column.name, { ...figuresOf(column), dataType: '' }] as const)
  return { rows, reached, columns: JSON.parse(JSON.stringify(Object.fromEntries(all))) }
}

describe.each(['POSTGRESQL', 'MARIADB'] as const)('a profile of a table in %s', (name) => {
  it('given the same rows in a file, when profiled, then all figures are the same', async () => {
    expect(await figures(tableIn(name))).toEqual(await figures(file))
  })

  it('given a filter and a window that follows a column, when profiled, then its rows and the highest value are returned', async () => {
    const more: Partial<ProfilePlan> = {
      window: { kind: 'column', column: 'id', min: { kind: 'number', text: '2000' }, inclusive: false, follow: true },
      filter: written('price > ${least}', { least: 100 }),
      columns: ['price', 'made'],
    }
    const found = await figures(tableIn(name), more)
    expect(found.reached).toBe('2500')
    expect(found).toEqual(await figures(file, more))
  })

  it('given a part of the rows whose values were kept, when the others are profiled, then the figures are those of all rows', async () => {
    const part = async (into: string, window: ProfilePlan['window'], earlier?: string) => {
      const plan = { dataset: tableIn(name), ...(window && { window }), keepValues: { earlier, limits: keptLimits } }
      return engine.profile(plan, { signal, rows: rowsInto(join(folder, name, into)) })
    }
    const at = { kind: 'column', column: 'id' } as const
    const limit = { kind: 'number', text: '1400' } as const
    const first = await part('first', { ...at, max: limit, inclusive: true, follow: false })
    const kept = join(folder, name, 'first', first.keptValues ?? '')
    const second = await part('second', { ...at, min: limit, inclusive: false, follow: true }, kept)
    const merged = mergeProfiles(first, second, second.whole)
    const all = await engine.profile({ dataset: tableIn(name) }, { signal })
    expect(JSON.parse(JSON.stringify(merged.columns.map(figuresOf)))).toEqual(
      JSON.parse(JSON.stringify(all.columns.map(figuresOf))),
    )
  })

  it('given values that Assay cannot represent, when profiled, then only their column has an error', async () => {
    const dataset = tableIn(name, 'odd')
    const columns = ['id', 'name', 'beyond']
    const { columns: all } = await figures(dataset, { columns })
    const error = expect.stringMatching(
      /^The column "beyond" has values that Assay cannot represent as TIME(STAMP)?\.$/,
    )
    const none = { nulls: 0, count: null, distinct: null, min: null, mostFrequent: [] }
    expect(all).toMatchObject({
      id: { error: null, count: 4, max: 4 },
      name: { error: null, count: 4, distinct: 1 },
      beyond: { ...none, error },
    })
    const part = async (into: string, above: number, earlier?: string) => {
      const min = { kind: 'number', text: String(above) } as const
      const window: ProfilePlan['window'] = { kind: 'column', column: 'id', min, inclusive: false, follow: true }
      const plan = { dataset, columns, window, keepValues: { earlier, limits: keptLimits } }
      return engine.profile(plan, { signal, rows: rowsInto(join(folder, name, into)) })
    }
    const first = await part('odd', 2)
    const second = await part('odder', 0, join(folder, name, 'odd', first.keptValues ?? ''))
    expect(second.whole).toMatchObject([{ least: { value: 1 } }, { least: { value: 'Ada' } }, null])
    expect(second.columns.map((column) => column.error)).toEqual([null, null, error])
  })

  it('given numbers of more than 38 digits, when profiled, then the figures are exact, or the column has an error', async () => {
    const { columns } = await figures(tableIn(name, 'wide'))
    const error =
      'The column "whole" has numbers that Assay cannot represent without rounding: a profile needs numbers of at most 38 digits.'
    expect(columns).toMatchObject({
      whole: { nulls: 1, distinct: null, min: null, max: null, mostFrequent: [], error },
      part: { distinct: null, error: error.replace('whole', 'part') },
      short: { distinct: 3, distinctMethod: 'EXACT', min: -7.5, max: 1e40, error: null },
    })
  })

  it('given a maximum number of rows, when profiled twice, then the same rows are read', async () => {
    const found = await figures(tableIn(name), { maxRows: 100 })
    expect(found.rows).toBe(100)
    expect(await figures(tableIn(name), { maxRows: 100 })).toEqual(found)
  })
})

describe('a profile of odd times in PostgreSQL', () => {
  it('given infinite ones and years before 1, when profiled, then extremes are finite, and all are ISO 8601', async () => {
    const { columns } = await figures(tableIn('POSTGRESQL', 'odd'), { columns: ['day', 'made', 'second', 'milli'] })
    const frequent = (...values: string[]) => values.map((value) => expect.objectContaining({ value }))
    expect(columns).toMatchObject({
      day: { count: 4, distinct: 3, min: '2024-01-31', max: '2024-01-31' },
      made: { count: 4, distinct: 4, min: '-0043-03-15T00:00:00', max: '2024-01-31T10:00:00' },
    })
    expect(columns.day.mostFrequent).toEqual(frequent('2024-01-31', '-infinity', 'infinity'))
    for (const { mostFrequent } of [columns.second, columns.milli])
      expect(mostFrequent).toEqual(frequent('2024-01-31T10:00:00', '-infinity', 'infinity'))
    expect(columns.made.mostFrequent).toEqual(
      frequent('-infinity', '-0043-03-15T00:00:00', '2024-01-31T10:00:00', 'infinity'),
    )
  })
})
