import { createConnection } from 'mysql2/promise'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type MariadbServer, start } from '../../../../tools/servers/mariadb.mjs'
import { createReach } from '../databases/reach.ts'
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
import { reachUrl, sourceAt } from '../testing/reach-url.ts'
import type { LogicalType } from '../types/logical-type.ts'
import { parseType } from '../types/parse-type.ts'
import { createMysqlEngine } from './engine.ts'
import { formatMysqlType, parseMysqlType } from './types.ts'

let server: MariadbServer
let client: Awaited<ReturnType<typeof createConnection>>
const clock = { now: () => Date.now() }
const open = () => createConnection({ uri: server.url, multipleStatements: true })
beforeAll(async () => {
  server = await start()
  client = await open()
  await client.query("SET sql_mode = 'ANSI_QUOTES,NO_BACKSLASH_ESCAPES', time_zone = '+00:00'")
})
afterAll(async () => {
  await client.end()
  await server.stop()
})

const mariadb = (files?: Pick<DataEngine, 'touches'>) =>
  createMysqlEngine({ reach: reachUrl('MARIADB', server.url), clock, touches: files?.touches })

const locator = (table: string): RelationLocator => ({
  kind: 'relation',
  engine: 'MARIADB',
  schema: 'assay',
  table,
  columns: [],
  fingerprint: '',
})

/** A cell of CSV: empty is NULL, and `""` is an empty text. The server has no NaN, no infinities and no `true` in texts. */
function cellOf(text: string, type: string): string | null {
  if (text === '' || (type === 'DOUBLE' && /^(?:nan|inf)$/.test(text))) return null
  if (type === 'BOOLEAN') return text === 'true' ? '1' : '0'
  return text === '""' ? '' : text
}

/** The default collation of its texts ignores case, accents and trailing blanks: no result may depend on it. */
async function fill(table: string, text: string, types: Readonly<Record<string, string>>) {
  const [head = '', ...lines] = text.trimEnd().split('\n')
  const columns = head.split(',')
  const typed = columns.map((name) => `${quoteName(name)} ${formatMysqlType(parseType(types[name] ?? 'VARCHAR'))} NULL`)
  await client.query(`DROP TABLE IF EXISTS ${quoteName(table)};
    CREATE TABLE ${quoteName(table)} (${typed.join(', ')}) CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci`)
  for (const line of lines) {
    const cells = line.split(',').map((cell, index) => cellOf(cell, types[columns[index] ?? ''] ?? 'VARCHAR'))
    await client.query(`INSERT INTO ${quoteName(table)} VALUES (${cells.map(() => '?').join(', ')})`, cells)
  }
  return locator(table)
}

measuringFeatures('MariaDB, by the router', async () => {
  const files = createEngineInProcess()
  const engine = createEngineRouter({ files, databases: { MARIADB: mariadb(files) } })
  return {
    engine,
    keepsRows: false,
    hasNan: false,
    table: fill,
    drop: async (name) => void (await client.query(`DROP TABLE ${quoteName(name)}`)),
    stop: () => engine.close(),
  }
})

describe('MariaDB', () => {
  const { signal } = new AbortController()
  const files = createEngineInProcess()
  afterAll(() => files.close())
  const measured = async (table: string | DatasetLocator, metrics: Parameters<typeof planFor>[1]) => {
    const engine = mariadb(files)
    try {
      const dataset = typeof table === 'string' ? locator(table) : table
      return await engine.measure(planFor(dataset, metrics), { rows: noRows, signal })
    } finally {
      await engine.close()
    }
  }
  const metricsOf = async (...given: Parameters<typeof measured>) => (await measured(...given)).metrics
  const failedOf = async (...given: Parameters<typeof measured>) =>
    (await metricsOf(...given)).map((one) => (one.kind === 'rows' ? one.failed : one))
  const number = (text: string) => ({ kind: 'number', text }) as const
  const range = (id: number, column: string, bounds: object) =>
    rows(id, { kind: 'range', column, inclusive: true, ...bounds })

  it('given types that only MariaDB has, when a table or a view is measured and sampled, then every value is exact', async () => {
    await client.query(`CREATE TABLE own (id int PRIMARY KEY, yes tinyint(1), flag bit(1), bits bit(16), small float, big bigint unsigned,
        filled int(6) unsigned zerofill, free decimal(65,30), at timestamp(6) NULL, zero date, made datetime, kind enum('b','A'),
        tags set('x','y'), doc json, bytes varbinary(10), clock time(3), born year)`)
    await client.query(`SET time_zone = '+05:00', sql_mode = 'ANSI_QUOTES'`)
    await client.query(`INSERT INTO own VALUES
      (1, 1, 1, 258, 0.1, 18446744073709551615, 42, 12345678901234567890123456789012345.000000000000000000000000000001,
        '2024-01-01 05:00:00.5', '0000-00-00', '0000-00-00 00:00:00', 'A', 'x,y', '{"a": 1}', x'00ff', '-10:00:00.25', 2024),
      (2, 7, 0, 0, 16777216, 0, 7, -0.1, NULL, '2024-02-29', '2024-02-29 23:59:59', 'b', '', NULL, NULL, NULL, NULL)`)
    await client.query(`SET time_zone = '+00:00', sql_mode = 'ANSI_QUOTES,NO_BACKSLASH_ESCAPES'`)
    const view = viewOf(locator('own'))
    const engine = mariadb(files)
    const { rows: found } = await engine.sample({ dataset: locator('own'), limit: 5 }, { signal })
    expect((await engine.sample({ dataset: view, limit: 5 }, { signal })).rows).toEqual(found)
    const typesOf = async (dataset: DatasetLocator) =>
      (await engine.describe({ dataset }, { signal })).columns.map((column) => parseMysqlType(column.dataType))
    // A statement does not send the values of an ENUM.
    const asSent = (type: LogicalType): LogicalType => (type.kind === 'text' ? { kind: 'text' } : type)
    expect(await typesOf(view)).toEqual((await typesOf(locator('own'))).map(asSent))
    await engine.close()
    expect(found).toEqual([
      {
        ...{
          id: 1,
          yes: true,
          flag: true,
          bits: 258,
          small: 0.10000000149011612,
          big: '18446744073709551615',
          filled: 42,
        },
        ...{ free: '12345678901234567890123456789012345.000000000000000000000000000001', at: '2024-01-01T00:00:00.5Z' },
        ...{
          zero: null,
          made: null,
          kind: 'A',
          tags: 'x,y',
          doc: '{"a": 1}',
          bytes: 'AP8=',
          clock: '-10:00:00.25',
          born: 2024,
        },
      },
      {
        ...{ id: 2, yes: true, flag: false, bits: 0, small: 16777216, big: 0, filled: 7, at: null },
        free: '-0.100000000000000000000000000000',
        ...{
          zero: '2024-02-29',
          made: '2024-02-29T23:59:59',
          kind: 'b',
          tags: '',
          doc: null,
          bytes: null,
          clock: null,
        },
        born: null,
      },
    ])
    for (const dataset of [locator('own'), view]) {
      expect(
        await failedOf(dataset, [
          range(1, 'small', { max: number('0.1') }),
          range(2, 'big', { min: number('18446744073709551615') }),
          range(3, 'free', { max: number('12345678901234567890123456789012345') }),
          rows(4, { kind: 'missing', column: 'zero', blankToo: false }),
          range(5, 'zero', { min: { kind: 'date', text: '2024-01-01' } }),
          range(6, 'at', { max: { kind: 'time', text: '2024-01-01T00:00:00.4Z' } }),
          rows(7, { kind: 'in-list', column: 'yes', values: ['true'], negate: false }),
          rows(8, { kind: 'in-list', column: 'kind', values: ['a', 'B'], negate: false }),
          rows(9, { kind: 'text-length', column: 'filled', min: 2, max: 2 }),
          rows(10, { kind: 'in-list', column: 'bits', values: [258], negate: false }),
          rows(11, { kind: 'precision-scale', column: 'free', precision: 65, scale: 29 }),
          expression(12, 'flag'),
          expression(13, 'made IS NULL OR TRUE'),
        ]),
      ).toEqual([1, 1, 1, 1, 0, 1, 0, 2, 1, 1, 1, 1, 0])
      expect(
        (
          await metricsOf(dataset, [
            { kind: 'aggregate', id: 1, fn: 'SUM', column: 'big' },
            { kind: 'aggregate', id: 2, fn: 'MIN', column: 'kind' },
            { kind: 'aggregate', id: 3, fn: 'MAX', column: 'at' },
            { kind: 'newest', id: 4, column: 'made' },
            { kind: 'aggregate', id: 5, fn: 'MIN', column: 'zero' },
            { kind: 'aggregate', id: 6, fn: 'MAX', column: 'small' },
          ])
        ).map((one) => (one.kind === 'value' ? one.value : one)),
      ).toEqual([
        '18446744073709551615',
        'A',
        '2024-01-01T00:00:00.5Z',
        '2024-02-29T23:59:59Z',
        '2024-02-29',
        '16777216',
      ])
    }
  })

  it('given texts that collations take for equal, when measured, then they differ by code points', async () => {
    const texts = ['a', 'A', 'á', 'a ', 'a\u0301', 'ß', 'ss', '😀', "it's", 'back\\slash', '', ' ', '１']
    await client.query(
      'CREATE TABLE texts_own (t varchar(20) COLLATE utf8mb4_unicode_ci, l varchar(20) CHARACTER SET latin1)',
    )
    const bytes = (text: string) => `CONVERT(X'${Buffer.from(text).toString('hex')}' USING utf8mb4)`
    for (const text of texts)
      await client.query(
        `INSERT INTO texts_own VALUES (${bytes(text)}, ${/^[ -\xff]*$/.test(text) ? bytes(text) : 'NULL'})`,
      )
    const long = `${'x'.repeat(70_000)}`
    await client.query('CREATE TABLE longer (t longtext)')
    for (const end of ['a', 'b', 'a', 'A']) await client.query('INSERT INTO longer VALUES (?)', [long + end])
    const regex = (id: number, pattern: string, partial = false) =>
      rows(id, { kind: 'regex', column: 't', pattern, partial })
    expect(
      await failedOf('texts_own', [
        rows(1, { kind: 'duplicate', columns: ['t'] }),
        { kind: 'distinct', id: 2, column: 't' },
        rows(3, { kind: 'in-list', column: 't', values: ['a', "it's", 'back\\slash'], negate: true }),
        rows(4, { kind: 'in-list', column: 'l', values: ['ß', 'á'], negate: true }),
        rows(5, { kind: 'missing', column: 't', blankToo: true }),
        rows(6, { kind: 'text-length', column: 't', min: 1, max: 1 }),
        regex(7, 'a'),
        regex(8, '(?i)A'),
        regex(9, '\\d', true),
        regex(10, '\\w', true),
        regex(11, '.'),
        regex(12, '[^a]'),
        regex(13, 'back\\\\slash|\\p{So}'),
        range(14, 't', { min: { kind: 'text', text: 'a ' } }),
      ]),
    ).toEqual([0, 0, 3, 2, 2, 6, 12, 11, 13, 6, 6, 7, 11, 4])
    expect(
      await failedOf('longer', [
        rows(1, { kind: 'duplicate', columns: ['t'] }),
        { kind: 'distinct', id: 2, column: 't' },
      ]),
    ).toEqual([2, 1])
  })

  it('given numbers as text of any length, when measured, then they compare by value', async () => {
    const texts = [
      '1e400',
      '-1e-400',
      '000000000000000000000000000000000000000000000000000000000000000000000012.50',
      ' +7. ',
      '.5e1',
      'x',
      '1e',
      '',
    ]
    await client.query('CREATE TABLE numbers_own (t text)')
    for (const text of texts) await client.query('INSERT INTO numbers_own VALUES (?)', [text])
    expect(
      await failedOf('numbers_own', [
        range(1, 't', { max: number('12.5') }),
        range(2, 't', { min: number('0') }),
        range(3, 't', { max: { ...number('1e399') }, min: number('-1e-399') }),
        rows(4, { kind: 'in-list', column: 't', values: [12.5, 7, 5], negate: false }),
        rows(5, { kind: 'precision-scale', column: 't', precision: 3, scale: 1 }),
        rows(6, { kind: 'datatype', column: 't', dataType: 'DOUBLE' }),
      ]),
    ).toEqual([4, 4, 4, 5, 5, 5])
  })

  it('given a plan without errors, when measured, then one statement reads the table', async () => {
    await client.query('SET GLOBAL userstat = 1')
    await client.query('CREATE TABLE counted AS SELECT seq AS a, seq % 3 AS b FROM seq_1_to_100')
    await client.query('FLUSH TABLE_STATISTICS')
    await metricsOf('counted', [
      rows(1, { kind: 'missing', column: 'a', blankToo: false }),
      range(2, 'b', { max: number('1') }),
      { kind: 'distinct', id: 3, column: 'b' },
      { kind: 'aggregate', id: 4, fn: 'SUM', column: 'a' },
    ])
    const [found] = await client.query(
      "SELECT ROWS_READ AS n FROM information_schema.TABLE_STATISTICS WHERE TABLE_NAME = 'counted'",
    )
    expect(found).toEqual([{ n: 100 }])
  })

  it.each([
    'sleep(1) IS NULL',
    "load_file('/etc/passwd') IS NULL",
    'a > (SELECT 1)',
    '@a := 1',
    '@@version IS NULL',
    '`sleep`(1) IS NULL',
    'sleep/**/(1) = 0',
    'a = 1 /*! OR sleep(1) */',
    'a = 1 /*M! OR sleep(1) */',
    'a = 1 -- x',
    'a = 1 # x',
    'assay.trap(a) = 1',
    'trap (a) = 1',
    'true) OR (true',
    'true; DROP TABLE x',
    "'\\' > a) OR (a > '1'",
    'count(*) > 1',
    "_latin1'a' = 'b'",
    'NEXT VALUE FOR s > 1',
    "benchmark(9, 'a') = 0",
    'a = 1 || a = 2',
    'a = "x" OR "sleep"(1)',
    'CURRENT_USER IS NULL',
    '$$ + sleep(1) + $$',
    "CAST('x' AS SIGNED) = 0",
    "'1x' = a",
  ])('given %s, when measured, then it is refused and does not run', async (sql) => {
    await client.query('CREATE TABLE IF NOT EXISTS guarded AS SELECT 1 AS a')
    const metrics = await metricsOf('guarded', [expression(1, sql), expression(2, '`a` = 1 AND "a" = 1')])
    expect(metrics.map(({ kind }) => kind)).toEqual(['error', 'rows'])
  })

  it.each([
    ["concat(a, 'x') = '1x' AND a IN (1, 2) AND NOT (a > 5)", 0],
    ["DATE '2024-01-01' + INTERVAL 1 DAY = DATE '2024-01-02' AND extract(YEAR FROM DATE '2024-01-01') = 2024", 0],
    ['CASE WHEN a = 1 THEN TRUE ELSE FALSE END', 0],
    ["current_timestamp >= TIMESTAMP '2024-01-01 00:00:00' AND now() = current_timestamp()", 0],
    ["trim(BOTH 'x' FROM 'xax') = 'a' AND 'a\\b' = 'a\\b' AND 'it''s' REGEXP 'it.s'", 0],
    ['a / 0 = 1', 1],
    ['if(a = 2, TRUE, FALSE)', 1],
  ])('given the condition %s, when measured, then %i rows fail', async (sql, failed) => {
    await client.query('CREATE TABLE IF NOT EXISTS guarded AS SELECT 1 AS a')
    expect(await failedOf('guarded', [expression(1, sql)])).toEqual([failed])
  })

  it('given a text that looks like a parameter, when measured, then no value is put into it', async () => {
    await client.query('CREATE TABLE IF NOT EXISTS guarded AS SELECT 1 AS a')
    const given = { x: ' OR sleep(1) = 0 OR ' }
    const metrics = await metricsOf('guarded', [
      expression(1, "'$assay_v1' <> ${x} AND ${x} = ' OR sleep(1) = 0 OR '", given),
      expression(2, "${y} = 'it''s \\' AND ${n} = 1.50", { y: "it's \\", n: 1.5 }),
    ])
    expect(metrics).toEqual([1, 2].map((id) => ({ id, kind: 'rows', scanned: 1, failed: 0 })))
  })

  it('given a locked table, when the run is aborted, then its statement ends', async () => {
    await client.query('CREATE TABLE locked AS SELECT 1 AS a')
    const holder = await open()
    await holder.query('LOCK TABLES locked WRITE')
    const stop = new AbortController()
    const reason = new Error('changed my mind')
    const engine = mariadb()
    const running = engine.measure(planFor(locator('locked'), []), { rows: noRows, signal: stop.signal })
    const waiting = async () => {
      const [found] = await client.query(
        "SELECT count(*) AS n FROM information_schema.PROCESSLIST WHERE STATE LIKE 'Waiting for table%'",
      )
      return found
    }
    await expect.poll(waiting).toEqual([{ n: 1 }])
    const ended = expect(running).rejects.toBe(reason)
    stop.abort(reason)
    await ended
    expect(await waiting()).toEqual([{ n: 0 }])
    const limits = { timeoutMs: 200, memoryMb: 1, threads: 1, maxTempMb: 1 }
    await expect(
      engine.measure(planFor(locator('locked'), []), { rows: noRows, limits, signal }),
    ).rejects.toMatchObject({ code: 'timeout' })
    await holder.end()
    const found = await engine.measure(planFor(locator('locked'), [expression(1, 'a = 1')]), { rows: noRows, signal })
    expect(resultOf(found, 1)).toEqual({ id: 1, kind: 'rows', scanned: 1, failed: 0 })
    await engine.close()
  })

  it('given a source that allows one session, when two runs measure a locked table, then the second waits for the first', async () => {
    await client.query('CREATE TABLE crowded AS SELECT 1 AS a')
    const one = { ...sourceAt('MARIADB', server.url), maxConcurrentQueries: 1 }
    const reach = createReach({
      ...{ sourceOf: async () => one, unseal: (sealed) => sealed, hostsOf: () => null, clock },
      lookup: async (address) => [{ address }],
    })
    const engine = createMysqlEngine({ reach, clock })
    const holder = await open()
    await holder.query('LOCK TABLES crowded WRITE')
    const plan = planFor({ ...locator('crowded'), source: 1 }, [expression(1, 'a = 1')])
    const runs = [1, 2].map(() => engine.measure(plan, { rows: noRows, signal }))
    const sessions = async () => {
      const [found] = await client.query('SELECT count(*) AS n FROM information_schema.PROCESSLIST')
      return found
    }
    const waiting = async () => {
      const [found] = await client.query(
        "SELECT count(*) AS n FROM information_schema.PROCESSLIST WHERE STATE LIKE 'Waiting for table%'",
      )
      return found
    }
    await expect.poll(waiting).toEqual([{ n: 1 }])
    // The tests' two sessions and one of the engine.
    expect(await sessions()).toEqual([{ n: 3 }])
    await holder.end()
    for (const measured of await Promise.all(runs))
      expect(resultOf(measured, 1)).toEqual({ id: 1, kind: 'rows', scanned: 1, failed: 0 })
    await engine.close()
  })

  it('given a changed table, when asked when it changed, then the answer is the time of the server', async () => {
    await client.query('CREATE TABLE changing (a int)')
    await client.query('INSERT INTO changing VALUES (1)')
    const [found] = await client.query('SELECT now() AS n')
    const engine = mariadb()
    const change = await engine.lastChange({ dataset: locator('changing') }, { signal })
    await engine.close()
    expect(change.source).toBe('INFORMATION_SCHEMA')
    expect(Math.abs(Date.parse(change.at ?? '') - Date.now()), JSON.stringify(found)).toBeLessThan(60_000)
  })
})
