import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { start, type TrinoServer, whyNot } from '../../../../tools/servers/trino.mjs'
import type { DatasetLocator } from '../dataset.ts'
import type { DataEngine } from '../port.ts'
import { viewOf } from '../push-down/same-answers.fixture.ts'
import { createEngineRouter } from '../router.ts'
import { noRows } from '../row-sink.ts'
import { createEngineInProcess } from '../testing/engine-in-process.ts'
import { measuringFeatures } from '../testing/features.ts'
import { expression, planFor, resultOf, rows } from '../testing/plans.ts'
import { inMemory, reachTrino, tableStatements, trinoAt, trinoStatements } from '../testing/trino.ts'
import { parseType } from '../types/parse-type.ts'
import { createTrinoEngine } from './engine.ts'
import { formatTrinoType } from './types.ts'

const reason = await whyNot()
if (reason !== undefined) process.stderr.write(`The suite of the Trino engine does not run. ${reason}\n`)

describe.skipIf(reason !== undefined)('Trino', () => {
  let server: TrinoServer
  let admin: ReturnType<typeof trinoStatements>
  const clock = { now: () => Date.now() }
  beforeAll(async () => {
    server = await start()
    admin = trinoStatements(trinoAt(server.url, 'memory'))
  }, 300_000)
  afterAll(async () => {
    await admin?.close()
    await server?.stop()
  })

  const trino = (files?: Pick<DataEngine, 'touches'>) =>
    createTrinoEngine({ reach: reachTrino(trinoAt(server.url, 'memory')), clock, touches: files?.touches })

  /** A cell of CSV: empty is NULL, and `""` is an empty text. */
  const cellOf = (text: string) => (text === '' ? null : text === '""' ? '' : text)

  async function fill(table: string, text: string, types: Readonly<Record<string, string>>) {
    const [head = '', ...lines] = text.trimEnd().split('\n')
    const columns = head
      .split(',')
      .map((name) => ({ name, type: formatTrinoType(parseType(types[name] ?? 'VARCHAR')) }))
    const cells = lines.map((line) =>
      line
        .split(',')
        .map(
          (cell) =>
            cellOf(cell)?.replace(/^(nan|inf)$/, (word) => ({ nan: 'NaN', inf: 'Infinity' })[word] ?? word) ??
            cellOf(cell),
        ),
    )
    for (const statement of tableStatements(table, columns, cells)) await admin.run(statement)
    return inMemory(table)
  }

  measuringFeatures('Trino, by the router', async () => {
    const files = createEngineInProcess()
    const engine = createEngineRouter({ files, databases: { TRINO: trino(files) } })
    return {
      engine,
      keepsRows: false,
      table: fill,
      drop: async (name) => void (await admin.run(`DROP TABLE memory.default.${name}`)),
      stop: () => engine.close(),
    }
  })

  const { signal } = new AbortController()
  const files = createEngineInProcess()
  afterAll(() => files.close())
  const measured = async (table: string | DatasetLocator, metrics: Parameters<typeof planFor>[1]) => {
    const engine = trino(files)
    try {
      const dataset = typeof table === 'string' ? inMemory(table) : table
      return await engine.measure(planFor(dataset, metrics), { rows: noRows, signal })
    } finally {
      await engine.close()
    }
  }
  const failedOf = async (...given: Parameters<typeof measured>) =>
    (await measured(...given)).metrics.map((one) => (one.kind === 'rows' ? one.failed : one))
  const range = (id: number, column: string, bounds: object) =>
    rows(id, { kind: 'range', column, inclusive: true, ...bounds })
  const number = (text: string) => ({ kind: 'number', text }) as const
  /** Creates a table with one column and one row. */
  const tableOf = async (name: string, type: string, value: string) => {
    for (const statement of tableStatements(name, [{ name: 'a', type }], [[value]])) await admin.run(statement)
  }

  it('given types that only Trino has, when a table or a view is measured and sampled, then every value is exact', async () => {
    await admin.run(`CREATE TABLE memory.default.own (id integer, short char(4), small real, tiny tinyint, free decimal(38, 20),
      at timestamp(3) with time zone, fine timestamp(9), clock time(3), ident uuid, bytes varbinary, doc json,
      list array(integer), pair row(a integer, "B c" varchar))`)
    await admin.run(`INSERT INTO memory.default.own VALUES
      (1, 'ab', REAL '0.1', 1, DECIMAL '123456789012345678.00000000000000000001', TIMESTAMP '2024-01-01 05:00:00.5 Asia/Karachi',
        TIMESTAMP '2024-01-01 00:00:00.123456789', TIME '10:00:00.250', UUID '00000000-0000-0000-0000-000000000001', X'00ff',
        JSON '{"a":1}', ARRAY[1, NULL], CAST(ROW(1, 'x') AS row(a integer, "B c" varchar))),
      (2, '', REAL '16777216', -1, DECIMAL '-0.1', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL)`)
    const view = viewOf(inMemory('own'))
    const engine = trino(files)
    const sampled = async (dataset: DatasetLocator) => {
      const { rows: found } = await engine.sample({ dataset, limit: 5 }, { signal })
      return found.toSorted((one, other) => Number(one.id) - Number(other.id))
    }
    const ordered = await sampled(inMemory('own'))
    expect(await sampled(view)).toEqual(ordered)
    const typesOf = async (dataset: DatasetLocator) =>
      (await engine.describe({ dataset }, { signal })).columns.map((column) => column.dataType)
    // A char is read without the blanks that pad it, and a statement quotes the names of fields.
    const asSent = (type: string) => type.replace(/^char\(\d+\)/, 'varchar').replace('B c', '"B c"')
    expect(await typesOf(view)).toEqual((await typesOf(inMemory('own'))).map(asSent))
    await engine.close()
    expect(ordered[0]).toEqual({
      ...{ id: 1, short: 'ab', small: 0.1, tiny: 1, free: '123456789012345678.00000000000000000001' },
      ...{ at: '2024-01-01T00:00:00.5Z', fine: '2024-01-01T00:00:00.123456789', clock: '10:00:00.250' },
      ...{ ident: '00000000-0000-0000-0000-000000000001', bytes: 'AP8=', doc: '{"a":1}', list: '[1,null]' },
      pair: '[1,"x"]',
    })
    for (const dataset of [inMemory('own'), view]) {
      expect(
        await failedOf(dataset, [
          range(1, 'small', { max: number('0.1') }),
          range(2, 'free', { max: number('123456789012345678') }),
          range(3, 'at', { max: { kind: 'time', text: '2024-01-01T00:00:00.4Z' } }),
          range(4, 'at', { max: { kind: 'date', text: '2023-12-31' } }),
          rows(5, { kind: 'in-list', column: 'short', values: ['ab', ''], negate: false }),
          rows(6, { kind: 'text-length', column: 'short', min: 2, max: 2 }),
          rows(7, {
            kind: 'in-list',
            column: 'ident',
            values: ['00000000000000000000000000000002', 'x'],
            negate: false,
          }),
          rows(8, { kind: 'missing', column: 'pair.a', blankToo: false }),
          rows(9, { kind: 'regex', column: 'doc', pattern: '.*"a".*', partial: false }),
          rows(10, { kind: 'duplicate', columns: null }),
          expression(11, "at < TIMESTAMP '2024-01-01 00:00:01 UTC' OR at IS NULL"),
        ]),
      ).toEqual([1, 1, 1, 1, 0, 1, 1, 1, 0, 0, 0])
      const aggregates = await measured(dataset, [
        { kind: 'aggregate', id: 1, fn: 'MAX', column: 'at' },
        { kind: 'newest', id: 2, column: 'at' },
        { kind: 'aggregate', id: 3, fn: 'SUM', column: 'tiny' },
        { kind: 'aggregate', id: 4, fn: 'MIN', column: 'fine' },
      ])
      expect(aggregates.metrics.map((one) => (one.kind === 'value' ? one.value : one))).toEqual([
        ...['2024-01-01T00:00:00.5Z', '2024-01-01T00:00:00.5Z', '0', '2024-01-01T00:00:00.123456789'],
      ])
    }
  })

  it('given tables and views, when discovered, then tables have estimated rows, and views what they read', async () => {
    for (const statement of [
      'CREATE SCHEMA memory.reading',
      'CREATE TABLE memory.reading.nations AS SELECT * FROM tpch.tiny.nation',
      'CREATE TABLE memory.reading.others (a integer)',
      'CREATE VIEW memory.reading.first AS SELECT name, regionkey FROM memory.reading.nations WHERE false',
      'CREATE VIEW memory.reading.second AS SELECT * FROM memory.reading.first',
      'CREATE VIEW memory.reading.constant AS SELECT 1 AS one',
      'CREATE VIEW memory.reading.elsewhere AS SELECT r.name FROM memory.reading.nations JOIN tpch.tiny.region r USING (regionkey)',
      'CREATE VIEW memory.reading.calling AS SELECT * FROM TABLE(sequence(start => 1, stop => 3))',
      'CREATE TABLE memory.reading.gone (a integer)',
      'CREATE VIEW memory.reading.broken AS SELECT * FROM memory.reading.gone',
      'DROP TABLE memory.reading.gone',
    ])
      await admin.run(statement)
    const source = trinoAt(server.url, 'memory', { schemas: ['reading'] })
    const engine = createTrinoEngine({ reach: reachTrino(source), clock })
    const tables = new Map<string, { rowCount: number | null; reads?: readonly string[]; locator: DatasetLocator }>()
    for await (const found of engine.discover(source, { signal }))
      if (found.kind === 'table') {
        const reads = found.reads?.map((path) => path.at(-1) ?? '').toSorted()
        tables.set(found.name, { rowCount: found.rowCount, locator: found.locator, ...(reads ? { reads } : {}) })
      }
    const all = (name: string) => [...tables.keys()].filter((other) => other !== name).toSorted()
    expect([tables.get('nations')?.rowCount, tables.get('others')?.rowCount]).toEqual([25, 0])
    const reads = (name: string) => tables.get(name)?.reads
    expect([reads('first'), reads('second'), reads('constant')]).toEqual([['nations'], ['first', 'nations'], []])
    for (const name of ['elsewhere', 'calling', 'broken']) expect(reads(name)).toEqual(all(name))

    const count = async (name: string) => {
      const dataset = { ...(tables.get(name)?.locator ?? inMemory(name)), source: 1 }
      return (await engine.measure({ ...planFor(inMemory(name), []), dataset }, { rows: noRows, signal })).rowsScanned
    }
    expect([await count('second'), await count('constant'), await count('calling')]).toEqual([0, 1, 3])
    await admin.run(
      'CREATE OR REPLACE VIEW memory.reading.first AS SELECT name, 1 AS regionkey FROM memory.reading.nations',
    )
    await expect(count('second')).rejects.toThrow(/view "second" was redefined/)
    await engine.close()
  })

  it('given a plan without errors, when measured, then one statement reads the table', async () => {
    await admin.run('CREATE TABLE memory.default.counted AS SELECT * FROM tpch.tiny.nation')
    await measured('counted', [
      rows(1, { kind: 'missing', column: 'name', blankToo: false }),
      range(2, 'regionkey', { max: number('1') }),
      { kind: 'distinct', id: 3, column: 'regionkey' },
      { kind: 'aggregate', id: 4, fn: 'SUM', column: 'nationkey' },
    ])
    const found = await admin.run(
      `SELECT count(*) FROM system.runtime.queries WHERE source = 'assay' AND state = 'FINISHED'
        AND query LIKE 'SELECT count(*)%"counted"%' AND query NOT LIKE '%LIMIT 0'`,
    )
    expect(found).toEqual([[1]])
  })

  it.each([
    'a > (SELECT 1)',
    'memory.default.trap(a) = 1',
    'true) OR (true',
    'true; DROP TABLE x',
    "E'\\' > a) OR (a > '1'",
    '$$ + 1 + $$ IS NULL',
    'count(*) > 1',
    'current_user IS NULL',
    "\"lower\"('A') = 'a'",
    '`a` = 1',
    'a = ?',
    'is_trusted(a)',
    'EXISTS (TABLE x)',
    "CAST('x' AS integer) = a",
    'a / 0 = 1',
  ])('given %s, when measured, then it is refused or has an error, and other items have results', async (sql) => {
    await tableOf('guarded', 'integer', '1')
    const { metrics } = await measured('guarded', [expression(1, sql), expression(2, '"a" = 1 /* a /* b */ */ -- c')])
    expect(metrics.map(({ kind }) => kind)).toEqual(['error', 'rows'])
  })

  it('given an error at a row, when measured, then the message has no value of the row', async () => {
    await tableOf('values_own', 'varchar', 'secret')
    const { metrics } = await measured('values_own', [
      expression(1, 'CAST(a AS integer) = 1'),
      expression(2, "date_parse(a, '%Y') IS NULL"),
      expression(3, 'nope = 1'),
    ])
    const messages = metrics.map((one) => (one.kind === 'error' ? one.message : ''))
    for (const message of messages.slice(0, 2)) expect(message).toMatch(/^Trino Error: \w/)
    expect(messages.join()).not.toContain('secret')
    expect(messages[2]).toBe('There is no column "nope". (character 1)')
  })

  it('given variables and a text that looks like a parameter, when measured, then only variables have values', async () => {
    await tableOf('guarded', 'integer', '1')
    const x = "' OR fail('x') OR '"
    const { metrics } = await measured('guarded', [
      expression(1, "'$assay_v1' <> ${x} AND ${x} = ''' OR fail(''x'') OR '''", { x }),
      expression(2, "${y} = 'it''s \\' AND ${n} = 1.50 AND now() >= TIMESTAMP '2024-01-01 00:00:00 UTC'", {
        ...{ y: "it's \\", n: 1.5 },
      }),
    ])
    expect(metrics).toEqual([1, 2].map((id) => ({ id, kind: 'rows', scanned: 1, failed: 0 })))
  })

  /** The last query over a table, other than of its catalog. */
  const lastQuery = async (table: string) => {
    const [found] = await admin.run(
      `SELECT query_id, state FROM system.runtime.queries WHERE source = 'assay' AND query LIKE 'SELECT%${table}%'
        AND query NOT LIKE '%runtime.queries%' AND query NOT LIKE '%information_schema%' AND query NOT LIKE '%LIMIT 0'
        ORDER BY created DESC LIMIT 1`,
    )
    return { id: String(found?.[0]), state: found?.[1] }
  }
  const lineitem = (schema: string) => ({ ...inMemory('lineitem'), schema })
  const atTpch = () => createTrinoEngine({ reach: reachTrino(trinoAt(server.url, 'tpch')), clock })

  it('given a long query, when the run is aborted or exceeds its time, then the query ends at the server', async () => {
    const engine = atTpch()
    const stop = new AbortController()
    const reason = new Error('changed my mind')
    const large = planFor(lineitem('sf1000'), [expression(1, 'quantity > 1')])
    const ended = expect(engine.measure(large, { rows: noRows, signal: stop.signal })).rejects.toBe(reason)
    const state = async () => (await lastQuery('"sf1000"."lineitem"')).state
    await expect.poll(state, { timeout: 30_000 }).toBe('RUNNING')
    stop.abort(reason)
    await ended
    await expect.poll(state).toBe('FAILED')
    const limits = { timeoutMs: 3000, memoryMb: 1, threads: 1, maxTempMb: 1 }
    await expect(engine.measure(large, { rows: noRows, limits, signal })).rejects.toMatchObject({ code: 'timeout' })
    await expect.poll(state).toBe('FAILED')
    const tiny = planFor(lineitem('tiny'), [expression(1, 'quantity > 0')])
    const small = await engine.measure(tiny, { rows: noRows, signal })
    expect(resultOf(small, 1)).toEqual({ id: 1, kind: 'rows', scanned: 60_175, failed: 0 })
    await engine.close()
  })

  it('given a long query, when an administrator ends it, then the run fails with the cause', async () => {
    const engine = atTpch()
    const running = engine.measure(planFor(lineitem('sf300'), []), { rows: noRows, signal })
    const ended = expect(running).rejects.toMatchObject({
      code: 'unprocessable',
      message: 'The table sf300.lineitem could not be read: its query was cancelled at the server.',
    })
    const query = () => lastQuery('"sf300"."lineitem"')
    await expect.poll(async () => (await query()).state, { timeout: 30_000 }).toBe('RUNNING')
    await admin.run(`CALL system.runtime.kill_query(query_id => '${(await query()).id}', message => 'too long')`)
    await ended
    await engine.close()
  })
})
