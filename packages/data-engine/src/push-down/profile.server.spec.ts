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

const tableIn = (name: 'POSTGRESQL' | 'MARIADB'): DatasetLocator => ({
  ...{ kind: 'relation', engine: name, schema: name === 'MARIADB' ? 'assay' : 'public', table: 'nasty' },
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

  it('given a maximum number of rows, when profiled twice, then the same rows are read', async () => {
    const found = await figures(tableIn(name), { maxRows: 100 })
    expect(found.rows).toBe(100)
    expect(await figures(tableIn(name), { maxRows: 100 })).toEqual(found)
  })
})
