import { withoutValues } from '@assay/contracts'
import { failureSentence } from '@assay/service-kit/errors'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type PostgresServer, start } from '../../../../tools/servers/postgres.mjs'
import type { DatasetLocator } from '../dataset.ts'
import type { RelationLocator } from '../locators.ts'
import type { DataEngine } from '../port.ts'
import { viewOf } from '../push-down/same-answers.fixture.ts'
import { createEngineRouter } from '../router.ts'
import { noRows } from '../row-sink.ts'
import { quoteName } from '../sql/quote.ts'
import { createEngineInProcess } from '../testing/engine-in-process.ts'
import { measuringFeatures } from '../testing/features.ts'
import { expression, planFor, resultOf, rows } from '../testing/plans.ts'
import { reachUrl } from '../testing/reach-url.ts'
import { parseType } from '../types/parse-type.ts'
import { createPostgresEngine } from './engine.ts'
import { formatPostgresType } from './types.ts'

let server: PostgresServer
let client: pg.Client
const clock = { now: () => Date.now() }
beforeAll(async () => {
  server = await start()
  client = new pg.Client({ connectionString: server.url })
  await client.connect()
})
afterAll(async () => {
  await client.end()
  await server.stop()
})

const postgres = (files?: Pick<DataEngine, 'touches'>) =>
  createPostgresEngine({ reach: reachUrl('POSTGRESQL', server.url), clock, touches: files?.touches })

const locator = (table: string): RelationLocator => ({
  kind: 'relation',
  engine: 'POSTGRESQL',
  schema: 'public',
  table,
  columns: [],
  fingerprint: '',
})

/** A cell of CSV: empty is NULL, and `""` is an empty text. */
const cellOf = (text: string) => (text === '' ? null : text === '""' ? '' : text)

async function fill(table: string, text: string, types: Readonly<Record<string, string>>) {
  const [head = '', ...lines] = text.trimEnd().split('\n')
  const columns = head.split(',')
  const typed = columns.map((name) => `${quoteName(name)} ${formatPostgresType(parseType(types[name] ?? 'VARCHAR'))}`)
  await client.query(`DROP TABLE IF EXISTS ${quoteName(table)}; CREATE TABLE ${quoteName(table)} (${typed.join(', ')})`)
  for (const line of lines) {
    const places = columns.map((_, index) => `$${index + 1}`)
    await client.query(`INSERT INTO ${quoteName(table)} VALUES (${places.join(', ')})`, line.split(',').map(cellOf))
  }
  return locator(table)
}

measuringFeatures('PostgreSQL, by the router', async () => {
  const files = createEngineInProcess()
  const engine = createEngineRouter({ files, databases: { POSTGRESQL: postgres(files) } })
  return {
    engine,
    keepsRows: false,
    table: fill,
    drop: async (name) => void (await client.query(`DROP TABLE ${quoteName(name)}`)),
    stop: () => engine.close(),
  }
})

describe('PostgreSQL', () => {
  const { signal } = new AbortController()
  const files = createEngineInProcess()
  afterAll(() => files.close())
  const metricsOf = async (table: string | DatasetLocator, metrics: Parameters<typeof planFor>[1]) => {
    const engine = postgres(files)
    try {
      const dataset = typeof table === 'string' ? locator(table) : table
      return await engine.measure(planFor(dataset, metrics), { rows: noRows, signal })
    } finally {
      await engine.close()
    }
  }

  it('given a regular expression that the server cannot compile, when the plan is prepared, then the item is refused', async () => {
    await client.query('CREATE TABLE patterns (t text)')
    const regex = (id: number, pattern: string, partial = false) =>
      rows(id, { kind: 'regex', column: 't', pattern, partial })
    const metrics = [regex(1, '\\p{Lu}+'), regex(2, '(?i)cust'), regex(3, '(?i)cust', true), regex(4, "it's")]
    const engine = postgres()
    const prepared = await engine.prepare({ dataset: locator('patterns'), metrics }, { signal })
    await engine.close()
    expect(prepared.metricErrors).toEqual([
      { id: 1, message: expect.stringContaining('invalid escape') },
      { id: 2, message: expect.stringContaining('quantifier operand invalid') },
    ])
  })

  it('given 32-bit floats, when they are summed, then the sum is a double, as in other databases', async () => {
    await client.query('CREATE TABLE reals AS SELECT 0.1::real AS price FROM generate_series(1, 2)')
    const { metrics } = await metricsOf(locator('reals'), [{ kind: 'aggregate', id: 1, fn: 'SUM', column: 'price' }])
    expect(metrics).toEqual([{ id: 1, kind: 'value', value: '0.20000000298023224', scanned: 2 }])
  })

  it('given types that only PostgreSQL has, when a table or a view is measured, then bounds and sums are exact', async () => {
    await client.query(`CREATE TABLE own AS SELECT * FROM (VALUES
      (0.10::numeric, 0.10::numeric(10,2), 'a'::char(3), '00000000-0000-0000-0000-000000000001'::uuid, 1.5::real),
      (12345678901234567890123456789.000000000000000001, 0.11, 'b', NULL, 'NaN'),
      ('NaN', -0.10, 'c', '00000000-0000-0000-0000-000000000002', 2)) AS t(free, fixed, short, ident, small)`)
    const number = (text: string) => ({ kind: 'number', text }) as const
    const range = (id: number, column: string, max: string) =>
      rows(id, { kind: 'range', column, max: number(max), inclusive: true })
    for (const dataset of [locator('own'), viewOf(locator('own'))]) {
      const { metrics } = await metricsOf(dataset, [
        range(1, 'free', '12345678901234567890123456789'),
        range(2, 'fixed', '0.105'),
        range(3, 'small', '1.5'),
        { kind: 'aggregate', id: 4, fn: 'SUM', column: 'fixed' },
        { kind: 'aggregate', id: 5, fn: 'MIN', column: 'free' },
        { kind: 'distinct', id: 6, column: 'ident' },
        rows(7, {
          kind: 'in-list',
          column: 'ident',
          values: ['00000000-0000-0000-0000-000000000001', 'x'],
          negate: false,
        }),
        rows(8, { kind: 'precision-scale', column: 'fixed', precision: 3, scale: 1 }),
      ])
      expect(metrics).toEqual([
        { id: 1, kind: 'rows', scanned: 3, failed: 2 },
        { id: 2, kind: 'rows', scanned: 3, failed: 1 },
        { id: 3, kind: 'rows', scanned: 3, failed: 2 },
        { id: 4, kind: 'value', value: '0.11', scanned: 3 },
        { id: 5, kind: 'value', value: '0.10', scanned: 3 },
        { id: 6, kind: 'rows', scanned: 2, failed: 0 },
        { id: 7, kind: 'rows', scanned: 3, failed: 1 },
        { id: 8, kind: 'rows', scanned: 3, failed: 1 },
      ])
    }
  })

  it('given a plan without errors, when a table or a view is measured, then one statement reads the table', async () => {
    await client.query('CREATE TABLE counted AS SELECT i AS a, i % 3 AS b FROM generate_series(1, 100) AS i')
    const grouped = 'SELECT sum(a) AS a, b FROM "rows" GROUP BY b'
    for (const dataset of [locator('counted'), viewOf(locator('counted'), grouped)])
      await metricsOf(dataset, [
        rows(1, { kind: 'missing', column: 'a', blankToo: false }),
        rows(2, { kind: 'range', column: 'b', max: { kind: 'number', text: '1' }, inclusive: true }),
        { kind: 'distinct', id: 3, column: 'b' },
        { kind: 'aggregate', id: 4, fn: 'SUM', column: 'a' },
      ])
    const scans = async () => {
      const { rows: found } = await client.query<{ n: string }>(
        "SELECT seq_tup_read AS n FROM pg_stat_all_tables WHERE relname = 'counted'",
      )
      return Number(found[0]?.n)
    }
    await expect.poll(scans, { timeout: 10_000 }).toBe(200)
  })

  it.each([
    'pg_sleep(1) IS NULL',
    "pg_read_file('/etc/passwd') IS NULL",
    'a > (SELECT 1)',
    "set_config('a.b', 'c', false) IS NULL",
    '"pg_sleep"(1) IS NULL',
    'public.upper(a) IS NULL',
    'true) OR (true',
    'true; DROP TABLE x',
    "E'\\'' > a) OR (a > '1'",
    'count(*) > 1',
    'current_user IS NULL',
    'a::oid::regclass IS NULL',
    'CAST(a AS "regtype") IS NULL',
    "regrole 'assay' IS NULL",
    // The server joins the texts, and reads the backslash as an escape: current_user would run.
    "E'a'\n'\\' > '' OR current_user > ' AND '",
    "('search_path'::text).current_setting > ''",
    "(ARRAY['search_path'])[1].current_setting > ''",
    "${x}.current_setting > ''",
    "'{1260}'::_regclass::text > ''",
    '(ARRAY[1260]::_regrole[])[1]::text > 0',
    "1260::pg_catalog.regclass::text > ''",
    "pg_catalog.regclass '1260' IS NOT NULL",
    'regclass ${x} IS NOT NULL',
    "'postgres=r/postgres'::aclitem IS NOT NULL",
    "query_to_xml('SELECT 1', true, true, '') IS NOT NULL",
    "'now'::timestamptz > '2020-01-01'",
  ])('given %s, when measured, then it is refused and does not run', async (sql) => {
    await client.query('CREATE TABLE IF NOT EXISTS guarded AS SELECT 1 AS a')
    await client.query("CREATE OR REPLACE FUNCTION upper(int) RETURNS text LANGUAGE sql AS 'SELECT $1::text'")
    const { metrics } = await metricsOf('guarded', [expression(1, sql, { x: '1260' }), expression(2, 'a = 1')])
    expect(metrics.map(({ kind }) => kind)).toEqual(['error', 'rows'])
  })

  it('given a column named as a word of the session, when measured after its table, then it is read', async () => {
    await client.query('CREATE TABLE users AS SELECT 1 AS "user"')
    const { metrics } = await metricsOf('users', [
      expression(1, 'asset.user = 1'),
      expression(2, '"user" = 1'),
      expression(3, 'user = 1'),
    ])
    expect(metrics.map(({ kind }) => kind)).toEqual(['rows', 'rows', 'error'])
    expect(metrics[2]).toMatchObject({ message: expect.stringContaining('write "user" in double quotes') })
  })

  it.each([
    ["E'a'\n'\\' AS b, ' AS c, current_user AS d -- '\nFROM \"rows\"", /^Write a text in single quotes/],
    // The value would be the argument of any function or type after the dot.
    ['f.regclass::text AS b FROM "rows", generate_series(1259, 1259) AS f', /There is no function "generate_series"/],
    ['(SELECT \'search_path\'::text).current_setting AS b FROM "rows"', /before a dot/],
    ['\'{1260}\'::_regclass::text AS b FROM "rows"', /The type _regclass/],
  ])('given a view that selects %s, when sampled, then it is refused and does not run', async (sql, message) => {
    await client.query('CREATE TABLE IF NOT EXISTS guarded AS SELECT 1 AS a')
    const engine = postgres(files)
    const sampled = engine.sample({ dataset: viewOf(locator('guarded'), `SELECT ${sql}`), limit: 1 }, { signal })
    await expect(sampled).rejects.toMatchObject({ code: 'invalid', message: expect.stringMatching(message) })
    await engine.close()
  })

  it('given a view whose SELECT fails on a value, when sampled, then the sentence is that of the server', async () => {
    await client.query("CREATE TABLE customers AS SELECT 'c1' AS name")
    const engine = postgres(files)
    const dataset = viewOf(locator('customers'), 'SELECT name::int AS number FROM "rows"')
    const error = await engine.sample({ dataset, limit: 1 }, { signal }).catch((failure: unknown) => failure)
    await engine.close()
    const sentence = failureSentence(error) ?? ''
    expect(sentence).toBe('The rows could not be read: PostgreSQL Error: invalid input syntax for type integer: "c1"')
    expect(withoutValues(sentence)).not.toContain('c1')
  })

  it('given a text that looks like a parameter, when measured, then no value is put into it', async () => {
    await client.query('CREATE TABLE IF NOT EXISTS guarded AS SELECT 1 AS a')
    const x = " OR pg_sleep(1) IS NULL OR '' = "
    const texts = ["'$assay_v1'", "'\\$assay_v1'", "'' /* ' $assay_v1 */"]
    const metrics = texts.map((text, at) => expression(at + 1, `${text} <> ${'${x}'} -- '$assay_v1\n AND a = 1`, { x }))
    const { metrics: found } = await metricsOf('guarded', metrics)
    expect(found).toEqual(texts.map((_, at) => ({ id: at + 1, kind: 'rows', scanned: 1, failed: 0 })))
  })

  it('given a locked table, when the run is aborted, then its statement ends', async () => {
    await client.query('CREATE TABLE locked AS SELECT 1 AS a')
    const holder = new pg.Client({ connectionString: server.url })
    await holder.connect()
    await holder.query('BEGIN; LOCK TABLE locked IN ACCESS EXCLUSIVE MODE')
    const stop = new AbortController()
    const reason = new Error('changed my mind')
    const engine = postgres()
    const running = engine.measure(planFor(locator('locked'), []), { rows: noRows, signal: stop.signal })
    const waiting = async () => {
      const { rows: found } = await client.query<{ n: string }>(
        "SELECT count(*) AS n FROM pg_stat_activity WHERE application_name = 'assay' AND wait_event_type = 'Lock'",
      )
      return Number(found[0]?.n)
    }
    await expect.poll(waiting).toBe(1)
    const ended = expect(running).rejects.toBe(reason)
    stop.abort(reason)
    await ended
    expect(await waiting()).toBe(0)
    const limits = { timeoutMs: 200, memoryMb: 1, threads: 1, maxTempMb: 1 }
    await expect(
      engine.measure(planFor(locator('locked'), []), { rows: noRows, limits, signal }),
    ).rejects.toMatchObject({ code: 'timeout' })
    await holder.end()
    const measured = await engine.measure(planFor(locator('locked'), [expression(1, 'a = 1')]), {
      rows: noRows,
      signal,
    })
    expect(resultOf(measured, 1)).toEqual({ id: 1, kind: 'rows', scanned: 1, failed: 0 })
    await engine.close()
  })
})
