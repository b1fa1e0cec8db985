import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { createConnection } from 'mysql2/promise'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type MariadbServer, start as startMariadb } from '../../../../tools/servers/mariadb.mjs'
import { type PostgresServer, start as startPostgres } from '../../../../tools/servers/postgres.mjs'
import type { DatasetLocator } from '../dataset.ts'
import { createMysqlEngine } from '../mysql/engine.ts'
import type { Metric, Predicate } from '../plan.ts'
import type { DatabaseEngine, MeasuringEngine } from '../port.ts'
import { createPostgresEngine } from '../postgres/engine.ts'
import { createEngineRouter } from '../router.ts'
import { noRows } from '../row-sink.ts'
import { textLiteral } from '../sql/quote.ts'
import { createEngineInProcess } from '../testing/engine-in-process.ts'
import { onlyTable, planFor, rows, written } from '../testing/plans.ts'
import { reachUrl } from '../testing/reach-url.ts'

/** Texts that databases, collations, casts and regular expressions take for different things. */
const texts = [
  ...[
    null,
    '',
    ' ',
    'a',
    'A',
    'á',
    'a\u0301',
    'a ',
    'b',
    'ß',
    'ss',
    '😀',
    "it's",
    'back\\slash',
    '%',
    '_',
    'NULL',
    'null',
  ],
  ...[
    'tab\t',
    'line\n',
    'a\nb',
    '\u00a0',
    '\u3000',
    '１',
    'İ',
    'ı',
    '\u212a',
    'k',
    '"',
    '`',
    '$1',
    '${x}',
    '--',
    '/* x */',
    '\u200b',
  ],
  ...[
    '0',
    '-0',
    '00',
    '1',
    '1.0',
    '1.00',
    '+1',
    ' 1 ',
    '1e3',
    '1E+3',
    '00012.500',
    '.5',
    '5.',
    '-.5e-1',
    '1_000',
    '0x10',
    '1,5',
  ],
  ...[
    '9223372036854775808',
    '-9223372036854775809',
    '12345678901234567890123456789012345678901234567890.5',
    '1e400',
    '1e-400',
  ],
  ...['NaN', 'inf', '-Infinity', 'true', 'TRUE', 't', 'yes', '2'],
  ...[
    '2024-02-29',
    '2023-02-29',
    '2024-2-9',
    '0000-01-01',
    '9999-12-31',
    '2024-02-29 12:00',
    '2024-02-29T12:00:00.123456Z',
  ],
  ...[
    '2024-02-29T12:00:00+02:00',
    '2024-02-29 24:00:00',
    '12:00:00',
    '12:00',
    '25:00:00',
    '2024-02-29T12:00:00.1234567Z',
  ],
  ...['123e4567-e89b-12d3-a456-426655440000', '123e4567e89b12d3a456426655440000', '123e4567', `${'x'.repeat(3000)}y`],
] as const

const doubles = ['0.1', '-0.0', '1e300', '-1.5', '9007199254740993', '1e-300', '3', '2.675', null]
const numbers = ['9223372036854775807', '-9223372036854775808', '0', '9007199254740993', '-1', '12', '100', null]
const decimals = ['0.1', '-0.10', '12345678901234.123456', '-99999999999999.999999', '0', '1', '2.5', null]
const days = ['2024-02-29', '1969-12-31', '0001-01-01', '9999-12-31', null]
const flags = ['true', 'false', null]

/** The time of a row's period: one day for each row, so that each check has a result for each row. */
const dayOf = (index: number) => new Date(Date.UTC(2024, 0, 1 + index)).toISOString().slice(0, 10)
const at = <T>(values: readonly T[], index: number) => values[index % values.length] ?? null

const names = {
  duckdb: ['VARCHAR', 'BIGINT', 'DECIMAL(20,6)', 'DOUBLE', 'DATE', 'TIMESTAMP', 'BOOLEAN', 'TIMESTAMP'],
  postgres: ['text', 'bigint', 'numeric(20,6)', 'double precision', 'date', 'timestamp', 'boolean', 'timestamp'],
  mariadb: ['longtext', 'bigint', 'decimal(20,6)', 'double', 'date', 'datetime(6)', 'boolean', 'datetime(6)'],
}
const columns = ['t', 'n', 'd', 'x', 'day', 'made', 'yes', 'period']

/** Allowed values, for lookups. */
const listed = [
  ["'a'", '12', '0.1', '2.500', "'2024-02-29'"],
  ["'A '", '9223372036854775807', '100', '12345678901234.123', "'9999-12-31'"],
  ["'1'", '-1', '9007199254740992', '0.100', 'NULL'],
  ["'true'", '0', '-1.5', '12.000', "'1969-12-31'"],
  ["'2024-02-29'", '1', '3', '-1.000', "'0001-01-01'"],
  ['NULL', 'NULL', 'NULL', 'NULL', 'NULL'],
]

function statements(types: readonly string[]): string[] {
  const literal = (text: string | null) => (text === null ? 'NULL' : textLiteral(text))
  const typed = columns.map((name, index) => `${name} ${types[index]} NULL`)
  const values = texts.map((text, index) => {
    const day = at(days, index)
    const made = day === null ? null : `${day} 23:59:59.${index % 2 === 0 ? '999999' : '5'}`
    const cells = [at(numbers, index), at(decimals, index), at(doubles, index)].map((cell) => cell ?? 'NULL')
    return `(${literal(text)}, ${cells.join(', ')}, ${literal(day)}, ${literal(made)}, ${at(flags, index) ?? 'NULL'}, '${dayOf(index)}')`
  })
  const [text, integer, , double, day] = types
  return [
    ...[`CREATE TABLE nasty (${typed.join(', ')})`, `INSERT INTO nasty VALUES ${values.join(', ')}`],
    `CREATE TABLE listed (t ${text}, n ${integer}, x ${double}, d decimal(20,3), day ${day})`,
    `INSERT INTO listed VALUES ${listed.map((row) => `(${row.join(', ')})`).join(', ')}`,
  ]
}

const number = (text: string) => ({ kind: 'number', text }) as const
const regex = (pattern: string, partial = false): Predicate => ({ kind: 'regex', column: 't', pattern, partial })
const range = (column: string, bounds: object): Predicate => ({ kind: 'range', column, inclusive: true, ...bounds })
const list = (column: string, values: (string | number | boolean)[], negate = false): Predicate => ({
  ...{ kind: 'in-list', column, values, negate },
})
const ofType = (dataType: string, column = 't'): Predicate => ({ kind: 'datatype', column, dataType })

const checks: Readonly<Record<string, Predicate>> = {
  'missing text': { kind: 'missing', column: 't', blankToo: false },
  'missing or blank text': { kind: 'missing', column: 't', blankToo: true },
  'one character': { kind: 'text-length', column: 't', min: 1, max: 1 },
  'regex a': regex('a'),
  'regex a|b': regex('a|b'),
  'regex (?i)a|k': regex('(?i)(a|k)'),
  'regex .': regex('.'),
  'regex \\d+': regex('\\d+'),
  'regex \\w': regex('\\w', true),
  'regex \\s': regex('\\s', true),
  'regex ^line$': regex('^line$', true),
  'regex [[:alpha:]]+': regex('[[:alpha:]]+'),
  'regex \\bb\\b': regex('\\bb\\b', true),
  'text list': list('t', ['a', 'ss', "it's", 'back\\slash', 'K', '']),
  'text list with numbers': list('t', [1, 1000, 0.5, 0, 'a'], true),
  'text from a to b': range('t', { min: { kind: 'text', text: 'a' }, max: { kind: 'text', text: 'b' } }),
  'text as number at least 1': range('t', { min: number('1') }),
  'text as number below 1e39': range('t', { max: number('1e39'), inclusive: false }),
  'text as time': range('t', { min: { kind: 'time', text: '2024-02-29T10:00:00Z' } }),
  'text as day': range('t', { max: { kind: 'date', text: '2024-02-29' } }),
  'text precision': { kind: 'precision-scale', column: 't', precision: 4, scale: 1 },
  'text is INTEGER': ofType('INTEGER'),
  'text is BIGINT': ofType('BIGINT'),
  'text is DECIMAL(6,2)': ofType('DECIMAL(6,2)'),
  'text is DOUBLE': ofType('DOUBLE'),
  'text is BOOLEAN': ofType('BOOLEAN'),
  'text is DATE': ofType('DATE'),
  'text is TIME': ofType('TIME'),
  'text is TIMESTAMP': ofType('TIMESTAMP'),
  'text is TIMESTAMPTZ': ofType('TIMESTAMPTZ'),
  'text is UUID': ofType('UUID'),
  'integer range': range('n', { min: number('-0.5'), max: number('9007199254740992.5') }),
  'integer list': list('n', ['9007199254740993', 0, 'x']),
  'integer precision': { kind: 'precision-scale', column: 'n', precision: 2, scale: 0 },
  'integer is INTEGER': ofType('INTEGER', 'n'),
  'decimal range': range('d', { min: number('-0.1'), max: number('12345678901234.1234559') }),
  'decimal list': list('d', [0.1, '2.50']),
  'decimal precision': { kind: 'precision-scale', column: 'd', precision: 4, scale: 1 },
  'decimal is INTEGER': ofType('INTEGER', 'd'),
  'double range': range('x', { min: number('0'), max: number('9007199254740992') }),
  'double list': list('x', [0.1, 3, '1e300']),
  'double precision': { kind: 'precision-scale', column: 'x', precision: 4, scale: 2 },
  'double is BIGINT': ofType('BIGINT', 'x'),
  'day range': range('day', { min: { kind: 'date', text: '1970-01-01' }, max: { kind: 'date', text: '9999-12-30' } }),
  'day list': list('day', ['2024-02-29', '2023-02-29']),
  'time range': range('made', { max: { kind: 'date', text: '2024-02-28' } }),
  'time bound': range('made', { min: { kind: 'time', text: '2024-03-01T01:59:59.6+02:00' } }),
  'boolean list': list('yes', ['true']),
  expression: { kind: 'expression', expression: written("n > 5 AND (t IS NULL OR t <> 'a')") },
}

/** Lookups: the column, and the column of `listed` with the allowed values. */
const lookups = [
  ...[
    ['t', 't'],
    ['t', 'n'],
    ['t', 'day'],
    ['n', 'n'],
    ['n', 'd'],
    ['n', 'x'],
    ['n', 't'],
    ['d', 'x'],
    ['d', 'd'],
  ],
  ...[
    ['x', 'd'],
    ['x', 'x'],
    ['day', 'day'],
    ['day', 't'],
    ['made', 'day'],
    ['yes', 't'],
  ],
] as const
const lookupsIn = (dataset: DatasetLocator) =>
  lookups.map(([column, other]): [string, Predicate] => [
    `${column} in ${other}`,
    { kind: 'in-lookup', column, lookup: { dataset, column: other } },
  ])
const checksOf = (dataset: DatasetLocator): [string, Predicate][] => [...Object.entries(checks), ...lookupsIn(dataset)]

/** SELECTs that all three databases read alike. */
const selects = [
  'SELECT count(*) FROM asset WHERE n > 0',
  'SELECT count(*) FROM asset AS a JOIN "listed" AS l ON a.n = l.n',
  'SELECT sum(asset.d) FROM asset, "listed" WHERE asset.d = "listed".d',
  'WITH few AS (SELECT n, count(*) AS c FROM asset GROUP BY n) SELECT max(c) FROM few',
  'SELECT count(*) FROM (SELECT n, row_number() OVER (PARTITION BY n ORDER BY period) AS r FROM asset) AS f WHERE r > 1;',
  'SELECT (SELECT count(*) FROM "listed" WHERE n IS NULL) + count(*) FROM asset WHERE NOT EXISTS (SELECT 1 FROM "listed" AS l WHERE l.n = asset.n)',
  "SELECT count(DISTINCT CASE WHEN n IN (12, 100) THEN upper('x') END) FROM asset",
]
/** SELECTs that are refused, by what the message says. */
const refusedSelects: readonly (readonly [string, RegExp])[] = [
  ['SELECT count(*) FROM hidden', /There is no table "hidden" here/],
  ['SELECT count(*) FROM nasty', /There is no table "nasty" here/],
  ['SELECT count(*) FROM asset, assay.hidden', /cannot be read here/],
  ['SELECT count(*) FROM asset WHERE n = (SELECT max(n) FROM hidden)', /There is no table "hidden" here/],
  ['WITH Hidden AS (SELECT 1) SELECT count(*) FROM hidden', /There is no table "hidden" here/],
  ['SELECT sleep(1)', /There is no function "sleep"/],
  ['SELECT count(*), 1 FROM asset', /returns 2 columns/],
  ['SELECT max(day) FROM asset', /must return a number/],
  ['SELECT n FROM asset', /must return one row, but returns more/],
  ['SELECT count(*) FROM asset; SELECT 1', /without a semicolon/],
  ['DELETE FROM asset', /Only a SELECT/],
]

/** PostgreSQL takes unquoted names as lower case, so this would read a table of the server. */
const ofServer = ['WITH "PG_ROLES" AS (SELECT 1) SELECT count(*) FROM PG_ROLES', /may belong to the server/] as const

const aggregates: Metric[] = [
  rows(1, { kind: 'duplicate', columns: ['t'] }),
  rows(2, { kind: 'duplicate', columns: ['n', 'd', 'x'] }),
  rows(3, { kind: 'duplicate', columns: null }),
  ...['t', 'n', 'd', 'x', 'day', 'made', 'yes'].flatMap((column, index): Metric[] => [
    { kind: 'distinct', id: 10 + index, column },
    { kind: 'aggregate', id: 20 + index, fn: 'COUNT', column },
    ...(column === 'yes' ? [] : [{ kind: 'aggregate', id: 30 + index, fn: 'MIN', column } as const]),
    ...(column === 'yes' ? [] : [{ kind: 'aggregate', id: 40 + index, fn: 'MAX', column } as const]),
  ]),
  { kind: 'aggregate', id: 50, fn: 'SUM', column: 'n' },
  { kind: 'aggregate', id: 51, fn: 'SUM', column: 'd' },
  { kind: 'aggregate', id: 52, fn: 'AVG', column: 'n' },
  { kind: 'newest', id: 60, column: 'made' },
  { kind: 'newest', id: 61, column: 't' },
]

interface Subject {
  engine: MeasuringEngine
  table: DatasetLocator
  listed: DatasetLocator
}

let servers: [PostgresServer, MariadbServer]
let folder: string
let files: ReturnType<typeof createEngineInProcess>
let postgresEngine: DatabaseEngine
let mariadbEngine: DatabaseEngine
let subjects: Record<'DuckDB' | 'PostgreSQL' | 'MariaDB', Subject>
const { signal } = new AbortController()
const clock = { now: () => Date.now() }
const relation = (engine: 'POSTGRESQL' | 'MARIADB', schema: string, table: string): DatasetLocator => ({
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

const impossible = 'cannot be evaluated'
/** The texts or row numbers of the rows that fail a check. */
type Failing = readonly (string | number | null)[] | typeof impossible

async function failing({ engine, table, listed }: Subject, all = checksOf(listed)): Promise<Map<string, Failing>> {
  const bounds = Array.from({ length: texts.length + 1 }, (_, index) => `${dayOf(index)}T00:00:00`)
  const metrics = all.map(([, predicate], id) => rows(id, predicate))
  const plan = { dataset: table, time: [{ column: 'period', format: null }], bounds, metrics }
  const { periods } = await engine.measurePeriods(plan, { signal })
  return new Map(
    all.map(([name], id): [string, Failing] => {
      const results = periods.map((period) => period.metrics[id])
      if (results.some((one) => one?.kind !== 'rows')) return [name, impossible]
      const failed = results.flatMap((one, row) => (one?.kind === 'rows' && one.failed > 0 ? [row] : []))
      return [name, /^(?:text|regex)/.test(name) ? failed.map((row) => texts[row] ?? null) : failed]
    }),
  )
}

type Difference = { only: Failing; missing: Failing } | typeof impossible | null

function difference(expected: Failing = impossible, found: Failing = impossible): Difference {
  if (typeof expected === 'string' || typeof found === 'string') return impossible
  const only = found.filter((one) => !expected.includes(one))
  const missing = expected.filter((one) => !found.includes(one))
  return only.length + missing.length === 0 ? null : { only, missing }
}

/** What an engine answers otherwise than DuckDB, by check: texts that fail in it only, and in DuckDB only. */
const inBoth = {
  'text as number at least 1': { only: ['1_000', 'inf'], missing: [] },
  'text as number below 1e39': { only: ['1_000', '-Infinity'], missing: [] },
  'text list with numbers': { only: [], missing: ['1_000'] },
  'text as day': { only: ['2024-2-9', '0000-01-01', '2024-02-29T12:00:00.1234567Z'], missing: [] },
  'text as time': { only: ['2024-02-29 24:00:00', '2024-02-29T12:00:00.1234567Z'], missing: [] },
  'text is DATE': { only: ['2024-2-9', '0000-01-01'], missing: [] },
  'text is TIMESTAMP': { only: ['2024-2-9', '0000-01-01', '2024-02-29 24:00:00'], missing: [] },
  'text is TIMESTAMPTZ': { only: ['2024-2-9', '0000-01-01', '2024-02-29 24:00:00'], missing: [] },
}
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
      const differing = [...expected].flatMap(([check, inDuckdb]): [string, Difference][] => {
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
