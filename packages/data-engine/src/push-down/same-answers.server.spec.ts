import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { createConnection } from 'mysql2/promise'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type MariadbServer, start as startMariadb } from '../../../../tools/servers/mariadb.mjs'
import { type PostgresServer, start as startPostgres } from '../../../../tools/servers/postgres.mjs'
import type { TableLocator } from '../dataset.ts'
import { createMysqlEngine } from '../mysql/engine.ts'
import type { Metric } from '../plan.ts'
import type { DatabaseEngine } from '../port.ts'
import { createPostgresEngine } from '../postgres/engine.ts'
import { createEngineRouter } from '../router.ts'
import { noRows } from '../row-sink.ts'
import { queryOver } from '../sql/query-over.ts'
import { createEngineInProcess } from '../testing/engine-in-process.ts'
import { onlyTable, planFor, rows, written } from '../testing/plans.ts'
import { reachUrl } from '../testing/reach-url.ts'
import {
  aggregates,
  answersOf,
  difference,
  failing,
  inBoth,
  lookupsIn,
  names,
  refusedSelects,
  refusedViews,
  type Subject,
  selects,
  statements,
  viewOf,
} from './same-answers.fixture.ts'

/** PostgreSQL takes unquoted names as lower case, so this would read a table of the server. */
const ofServer = ['WITH "PG_ROLES" AS (SELECT 1) SELECT count(*) FROM PG_ROLES', /may belong to the server/] as const

let servers: [PostgresServer, MariadbServer]
let folder: string
let files: ReturnType<typeof createEngineInProcess>
let postgresEngine: DatabaseEngine
let mariadbEngine: DatabaseEngine
let subjects: Record<'DuckDB' | 'PostgreSQL' | 'MariaDB', Subject>
const { signal } = new AbortController()
const clock = { now: () => Date.now() }
const relation = (engine: 'POSTGRESQL' | 'MARIADB', schema: string, table: string): TableLocator => ({
  ...{ kind: 'relation', engine, schema, table, columns: [], fingerprint: '' },
})
const tablesIn = (engine: 'POSTGRESQL' | 'MARIADB', schema: string) => ({
  table: relation(engine, schema, 'nasty'),
  listed: relation(engine, schema, 'listed'),
})

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'assay-same-answers-'))
  const [postgres, mariadb] = await Promise.all([startPostgres(), startMariadb()])
  servers = [postgres, mariadb]
  const client = new pg.Client({ connectionString: postgres.url })
  await client.connect()
  for (const statement of statements(names.postgres)) await client.query(statement)
  await client.end()
  const other = await createConnection({ uri: mariadb.url, charset: 'utf8mb4' })
  await other.query("SET sql_mode = 'NO_BACKSLASH_ESCAPES', collation_connection = utf8mb4_general_ci")
  await other.query('ALTER DATABASE assay CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci')
  for (const statement of statements(names.mariadb)) await other.query(statement)
  await other.end()
  files = createEngineInProcess()
  const table = async (name: string) => {
    const path = join(folder, `${name}.duckdb`)
    const instance = await DuckDBInstance.create(path)
    const duckdb = await instance.connect()
    for (const statement of statements(names.duckdb)) if (statement.includes(` ${name} `)) await duckdb.run(statement)
    duckdb.closeSync()
    instance.closeSync()
    return onlyTable(files, { sourceType: 'DUCKDB', path })
  }
  const { touches } = files
  postgresEngine = createPostgresEngine({ reach: reachUrl('POSTGRESQL', postgres.url), clock, touches })
  mariadbEngine = createMysqlEngine({ reach: reachUrl('MARIADB', mariadb.url), clock, touches })
  subjects = {
    DuckDB: { engine: files, table: await table('nasty'), listed: await table('listed') },
    PostgreSQL: { engine: postgresEngine, ...tablesIn('POSTGRESQL', 'public') },
    MariaDB: { engine: mariadbEngine, ...tablesIn('MARIADB', 'assay') },
  }
}, 120_000)
afterAll(async () => {
  for (const { engine } of Object.values(subjects ?? {})) await engine.close()
  for (const server of servers ?? []) await server.stop()
  await rm(folder, { recursive: true, force: true })
})

const known: Readonly<Record<'PostgreSQL' | 'MariaDB', object>> = {
  PostgreSQL: {
    ...inBoth,
    // Its own regular expressions.
    'regex (?i)a|k': 'cannot be evaluated',
    'regex \\bb\\b': { only: ['b', 'a\nb'], missing: [] },
    'text is DOUBLE': { only: [], missing: ['1e400', '123e4567'] },
  },
  // The collation of the column ignores accents in an expression: á is a.
  MariaDB: { ...inBoth, expression: { only: [5], missing: [] } },
}

describe('the same data in DuckDB, PostgreSQL and MariaDB', () => {
  it.each(['PostgreSQL', 'MariaDB'] as const)(
    'given rows of all kinds, when %s checks them, then only listed ones differ',
    async (name) => {
      const [expected, found] = await Promise.all([failing(subjects.DuckDB), failing(subjects[name])])
      const differing = [...expected].flatMap(([check, inDuckdb]): [string, unknown][] => {
        const one = difference(inDuckdb, found.get(check))
        return one === null ? [] : [[check, one]]
      })
      expect(Object.fromEntries(differing)).toEqual(known[name])
    },
  )

  it.each([
    ['DuckDB', 'PostgreSQL'],
    ['DuckDB', 'MariaDB'],
    ['PostgreSQL', 'DuckDB'],
    ['PostgreSQL', 'MariaDB'],
    ['MariaDB', 'DuckDB'],
    ['MariaDB', 'PostgreSQL'],
  ] as const)(
    'given a table in %s and its allowed values in %s, when they are looked up, then the same rows fail as within one source',
    async (name, place) => {
      const engine = createEngineRouter({
        files,
        databases: { POSTGRESQL: postgresEngine, MARIADB: mariadbEngine },
      })
      const expected = await failing(subjects.DuckDB, lookupsIn(subjects.DuckDB.listed))
      const found = await failing({ ...subjects[name], engine }, lookupsIn(subjects[place].listed))
      expect(found).toEqual(expected)
    },
  )

  it.each(['PostgreSQL', 'MariaDB'] as const)(
    'given thousands of allowed values of another source, when %s looks up as many rows, then the time does not grow with their product',
    async (name) => {
      const count = 20_000
      const [postgres, mariadb] = servers
      const numbers = Array.from({ length: count - 1 }, (_, index) => `${index + 1}`)
      const many = "SELECT seq AS id, concat('value ', seq) AS t FROM"
      if (name === 'PostgreSQL') {
        const client = new pg.Client({ connectionString: postgres.url })
        await client.connect()
        await client.query(`CREATE TABLE many AS ${many} generate_series(1, ${count}) AS seq`)
        await client.end()
      } else {
        const client = await createConnection({ uri: mariadb.url, charset: 'utf8mb4' })
        await client.query(`CREATE TABLE many AS ${many} seq_1_to_${count}`)
        await client.end()
      }
      const dataset =
        name === 'PostgreSQL' ? relation('POSTGRESQL', 'public', 'many') : relation('MARIADB', 'assay', 'many')
      const lookup = (id: number, column: string, dataType: string, values: string[]): Metric =>
        rows(id, { kind: 'in-lookup', column, lookup: { dataset, column: 'x', elsewhere: { dataType, values } } })
      const texts = numbers.map((number) => `value ${number}`)
      const metrics = [lookup(1, 't', 'VARCHAR', texts), lookup(2, 'id', 'BIGINT', numbers)]
      const limits = { timeoutMs: 30_000, memoryMb: 256, threads: 1, maxTempMb: 256 }
      const found = await subjects[name].engine.measure(planFor(dataset, metrics), { rows: noRows, signal, limits })
      expect(found.metrics).toMatchObject([{ failed: 1 }, { failed: 1 }])
    },
  )

  it.each(['PostgreSQL', 'MariaDB'] as const)(
    'given columns of all types, when %s aggregates them, then its figures are the same',
    async (name) => {
      const measured = async ({ engine, table }: Subject) =>
        (await engine.measure(planFor(table, aggregates), { rows: noRows, signal })).metrics
      const [expected, found] = await Promise.all([measured(subjects.DuckDB), measured(subjects[name])])
      // The mean of 64-bit integers, which PostgreSQL rounds to doubles before it adds them.
      const mean = { id: 52, kind: 'value', scanned: 82, value: '1250999896491804.5' }
      expect(found).toEqual(name === 'PostgreSQL' ? expected.map((one) => (one.id === 52 ? mean : one)) : expected)
    },
  )

  it.each(['PostgreSQL', 'MariaDB'] as const)(
    'given SELECTs over several tables, when %s runs them, then the numbers are the same',
    async (name) => {
      const metrics = ({ listed: dataset }: Subject) =>
        selects.map(
          (text, id): Metric => ({
            ...{ kind: 'select', id, select: written(text) },
            ...(text.includes('"listed"') ? { tables: [{ name: 'listed', dataset }] } : {}),
          }),
        )
      const measured = async (subject: Subject) => {
        const plan = planFor(subject.table, metrics(subject), { filter: written('n IS NOT NULL') })
        const found = await subject.engine.measure(plan, { rows: noRows, signal })
        return found.metrics.map((one) => (one.kind === 'value' ? one.value : one))
      }
      const [expected, found] = await Promise.all([measured(subjects.DuckDB), measured(subjects[name])])
      expect(found).toEqual(expected)
    },
  )

  it.each(['PostgreSQL', 'MariaDB'] as const)(
    'given views over the same rows, when %s checks, aggregates, selects, samples and describes them, then all answers are those of the tables',
    async (name) => {
      const { engine, table, listed } = subjects[name]
      const views = { engine, table: viewOf(table), listed: viewOf(listed) }
      expect(await answersOf(views)).toEqual(await answersOf(subjects[name]))
    },
  )

  it.each(['PostgreSQL', 'MariaDB'] as const)(
    'given a view that breaks out, writes, or reads or calls anything else, when %s prepares it, then it is refused',
    async (name) => {
      const { engine, table } = subjects[name]
      const unnamed = name === 'PostgreSQL' ? ([['SELECT t, n + 1 FROM "rows"', /^Name the column 2/]] as const) : []
      for (const [sql, message] of [...refusedViews, ...unnamed]) {
        const found = engine.prepare({ dataset: viewOf(table, sql), metrics: [] }, { signal })
        await expect(found, sql).rejects.toMatchObject({ code: 'invalid', message: expect.stringMatching(message) })
      }
      const named = viewOf(table, 'SELECT * FROM Rows')
      const folded = { ...named, tables: named.tables.map((one) => ({ ...one, name: 'Rows' })) }
      const elsewhere = { name: 'other', dataset: { ...relation('MARIADB', 'assay', 'listed'), source: 7 } }
      const acrossSources = { ...named, tables: [...named.tables, elsewhere] }
      for (const [dataset, refusal] of [
        [folded, { code: 'invalid', message: 'Write the table name "Rows" in double quotes.' }],
        [acrossSources, { code: 'unprocessable', message: expect.stringMatching(/tables of one source only/) }],
      ] as const)
        await expect(engine.prepare({ dataset, metrics: [] }, { signal })).rejects.toMatchObject(refusal)
    },
  )

  it.each(['PostgreSQL', 'MariaDB'] as const)(
    'given rows with computed columns, when %s samples them, then variables are values and are not put into texts',
    async (name) => {
      const { engine, table } = subjects[name]
      const key = "it's $1"
      const expression = written("concat(t, ' ${key} ', ${key})", { key })
      const one = { name: 'more', expression: written('n + ${n}', { n: 0.5 }) }
      const dataset = queryOver(table, { added: [{ name: 'joined', expression }, one] })
      const { rows: found } = await engine.sample({ dataset, limit: 100, filter: written("t = 'b'") }, { signal })
      expect(found).toMatchObject([{ joined: `b ${'${key}'} ${key}`, more: '9223372036854775807.5' }])
    },
  )

  it.each(['PostgreSQL', 'MariaDB'] as const)(
    'given a SELECT that reads other tables or gives no number, when %s prepares or runs it, then it is refused',
    async (name) => {
      const { engine, table: dataset } = subjects[name]
      const refused = [...refusedSelects, ...(name === 'PostgreSQL' ? [ofServer] : [])]
      const metrics = refused.map(([text], id): Metric => ({ kind: 'select', id, select: written(text) }))
      const { metrics: found } = await engine.measure(planFor(dataset, metrics), { rows: noRows, signal })
      const messages = found.map((one) => (one.kind === 'error' ? one.message : JSON.stringify(one)))
      for (const [id, [, message]] of refused.entries()) expect(messages[id]).toMatch(message)
    },
  )
})
