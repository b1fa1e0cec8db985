import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DuckDBConnection, DuckDBInstance } from '@duckdb/node-api'
import fc from 'fast-check'
import { createConnection } from 'mysql2/promise'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type MariadbServer, start as startMariadb } from '../../../../tools/servers/mariadb.mjs'
import { type PostgresServer, start } from '../../../../tools/servers/postgres.mjs'
import type { ComparedPair, ComparePlan } from '../compare.ts'
import type { SideRequest } from '../compared-source.ts'
import type { DatasetLocator } from '../dataset.ts'
import { type Fixture, openFixture } from '../duckdb/sources/fixture.ts'
import { createMysqlEngine } from '../mysql/engine.ts'
import { createPostgresEngine } from '../postgres/engine.ts'
import { formatPostgresType } from '../postgres/types.ts'
import { createEngineRouter } from '../router.ts'
import { noRows } from '../row-sink.ts'
import { quoteName, textLiteral } from '../sql/quote.ts'
import { comparingFeatures } from '../testing/compare-features.ts'
import { comparingLater } from '../testing/compare-later.ts'
import { createEngineInProcess } from '../testing/engine-in-process.ts'
import { reachUrl } from '../testing/reach-url.ts'
import { parseType } from '../types/parse-type.ts'

let server: PostgresServer
let client: pg.Client
let mariadbServer: MariadbServer
let mariadbClient: Awaited<ReturnType<typeof createConnection>>
let folder: string
let connection: DuckDBConnection
let fixture: Fixture
const clock = { now: () => Date.now() }
beforeAll(async () => {
  ;[server, mariadbServer] = await Promise.all([start(), startMariadb()])
  mariadbClient = await createConnection({ uri: mariadbServer.url, multipleStatements: true })
  await mariadbClient.query("SET sql_mode = 'ANSI_QUOTES,NO_BACKSLASH_ESCAPES', time_zone = '+00:00'")
  client = new pg.Client({ connectionString: server.url })
  await client.connect()
  folder = await mkdtemp(join(tmpdir(), 'assay-comparing-'))
  connection = await DuckDBConnection.create(await DuckDBInstance.create(':memory:'))
  await connection.run("SET TimeZone = 'UTC'")
  fixture = await openFixture()
})
afterAll(async () => {
  await Promise.all([client.end(), mariadbClient.end()])
  await Promise.all([server.stop(), mariadbServer.stop()])
  connection.closeSync()
  await fixture.close()
  await rm(folder, { recursive: true, force: true })
})

const cellOf = (text: string | undefined) =>
  text === undefined || text === '' ? null : text.startsWith('"') ? text.slice(1, -1) : text

async function inPostgres(
  name: string,
  text: string,
  types: readonly string[],
  source: number,
): Promise<DatasetLocator> {
  const [head = '', ...lines] = text.replace(/\n$/, '').split('\n')
  const columns = head.split(',')
  const typed = columns.map(
    (column, index) => `${quoteName(column)} ${formatPostgresType(parseType(types[index] ?? ''))}`,
  )
  await client.query(`CREATE TABLE ${quoteName(name)} (${typed.join(', ')})`)
  for (const line of lines) {
    const cells = line.split(',')
    const places = columns.map((_, index) => `$${index + 1}`).join(', ')
    await client.query(
      `INSERT INTO ${quoteName(name)} VALUES (${places})`,
      columns.map((_, index) => cellOf(cells[index])),
    )
  }
  const relation = { kind: 'relation', engine: 'POSTGRESQL', schema: 'public', table: name } as const
  return { ...relation, source, columns: [], fingerprint: '' }
}

async function inFile(name: string, text: string, types: readonly string[]): Promise<DatasetLocator> {
  const file = join(folder, `${name}.parquet`)
  await writeFile(join(folder, `${name}.csv`), text)
  const columns = (text.split('\n', 1)[0] ?? '')
    .split(',')
    .map((column, index) => `CAST(${quoteName(column)} AS ${types[index]}) AS ${quoteName(column)}`)
  await connection.run(
    `COPY (SELECT ${columns.join(', ')} FROM read_csv('${folder}/${name}.csv', header = true, delim = ',', all_varchar = true, allow_quoted_nulls = false, null_padding = true)) TO '${file}' (FORMAT parquet)`,
  )
  const [table] = await fixture.tables({ sourceType: 'FILE', path: file })
  if (table === undefined) throw new Error(`${file} holds no table.`)
  return table.locator
}

const { signal } = new AbortController()
/** A place of tables: files, MariaDB, or a source of PostgreSQL by its number. */
type Place = 'file' | 'mariadb' | 1 | 2
const postgres = () => createPostgresEngine({ reach: reachUrl('POSTGRESQL', server.url), clock })
const mariadb = () => createMysqlEngine({ reach: reachUrl('MARIADB', mariadbServer.url), clock })

for (const [name, left, right, isLater = false] of [
  ['a file with PostgreSQL', 'file', 1],
  ['two sources of PostgreSQL', 1, 2],
  ['rows of PostgreSQL that were stored earlier, with a file', 1, 'file', true],
] satisfies [string, Place, Place, boolean?][]) {
  const own = (table: string) => `${table}_${left}_${right}`
  const isFile = (table: string) => (table.startsWith('left') ? left : right) === 'file'
  comparingFeatures(name, async () => {
    const files = createEngineInProcess({ memoryMb: 300, threads: 2 })
    const engine = createEngineRouter({ files, databases: { POSTGRESQL: postgres() } })
    return {
      engine: isLater ? comparingLater(engine) : engine,
      knowsTouched: false,
      table: (table, text, types) =>
        isFile(table)
          ? inFile(own(table), text, types)
          : inPostgres(own(table), text, types, table.startsWith('left') ? 1 : 2),
      drop: async (table) =>
        isFile(table)
          ? rm(join(folder, `${own(table)}.parquet`))
          : void (await client.query(`DROP TABLE ${quoteName(own(table))}`)),
      stop: () => engine.close(),
    }
  })
}

/**
 * A column of random tables: its type in each place, and its values as literals. Values of one line are equal. MariaDB has
 * no NaN, no infinities and no times before the year 0.
 */
interface NastyColumn {
  name: string
  file: string
  postgres: string
  mariadb: string
  values: readonly (readonly [file: string, postgres: string, mariadb?: string])[]
}

const same = (...literals: string[]) => literals.map((text) => [text, text, text] as const)
const texts = same(
  "'a'",
  "'A'",
  "'a '",
  "''",
  "'1,11'",
  "'11,1'",
  "'é'",
  "'e\u0301'",
  "'😀'",
  `'"\n\\'`,
  "'NULL'",
  "'ß'",
)
const nasty: readonly NastyColumn[] = [
  { name: 'one', file: 'VARCHAR', postgres: 'text COLLATE ignoring', mariadb: 'text', values: texts },
  { name: 'other', file: 'VARCHAR', postgres: 'varchar(20)', mariadb: 'varchar(20)', values: texts },
  {
    ...{ name: 'price', file: 'DECIMAL(20,4)', postgres: 'numeric', mariadb: 'decimal(65,20)' },
    values: [...same('1', '0', '-0.5', '12345678901234.5678', '1.05'), ['1.5', '1.50000', '1.5']],
  },
  {
    ...{ name: 'ratio', file: 'DOUBLE', postgres: 'numeric(12,6)', mariadb: 'decimal(12,6)' },
    values: [...same('0.1', '-12.25'), ["'nan'", "'NaN'"], ['-0.0', '0', '0'], ['1e5', '100000', '100000']],
  },
  {
    ...{ name: 'float', file: 'DOUBLE', postgres: 'double precision', mariadb: 'double' },
    values: [
      ...same('0.1', '1e20', '1e-7', '1e-300', '0.30000000000000004'),
      ["'inf'", "'Infinity'"],
      ['-0.0', '0', '-0e0'],
    ],
  },
  {
    ...{ name: 'small', file: 'FLOAT', postgres: 'real', mariadb: 'float' },
    values: same('0.1', '1234567', '1e20', '-3'),
  },
  {
    ...{ name: 'whole', file: 'SMALLINT', postgres: 'bigint', mariadb: 'bigint unsigned' },
    values: [...same('1', '11', '111', '0'), ['-1', '-1']],
  },
  {
    ...{ name: 'at', file: 'TIMESTAMPTZ', postgres: 'timestamp', mariadb: 'datetime(6)' },
    values: [
      ["'2024-01-01 10:00:00+02'", "'2024-01-01 08:00:00'", "'2024-01-01 08:00:00'"],
      ["'2024-01-01 10:00:00+00'", "'2024-01-01 10:00:00'", "'2024-01-01 10:00:00'"],
      ["'2024-01-01 10:00:00.000001+00'", "'2024-01-01 10:00:00.000001'", "'2024-01-01 10:00:00.000001'"],
      ["'0044-03-15 (BC) 00:00:00+00'", "'0044-03-15 00:00:00 BC'"],
      ["'infinity'", "'infinity'"],
    ],
  },
  {
    ...{ name: 'day', file: 'DATE', postgres: 'timestamptz', mariadb: 'timestamp(3) NULL' },
    values: [
      ["'2024-02-29'", "'2024-02-29 00:00:00+00'", "'2024-02-29 00:00:00'"],
      ["'2024-03-01'", "'2024-03-01 02:00:00+02'", "'2024-03-01 00:00:00'"],
    ],
  },
  {
    ...{ name: 'clock', file: 'TIME', postgres: 'time', mariadb: 'time(6)' },
    values: same("'10:00:00'", "'10:00:00.5'", "'23:59:59.999999'"),
  },
  { name: 'flag', file: 'BOOLEAN', postgres: 'boolean', mariadb: 'tinyint(1)', values: same('true', 'false') },
  {
    ...{ name: 'ident', file: 'UUID', postgres: 'uuid', mariadb: 'char(36)' },
    values: same("'00000000-0000-0000-8000-000000000001'", "'00000000-0000-0001-8000-000000000000'"),
  },
  {
    ...{ name: 'bytes', file: 'BLOB', postgres: 'bytea', mariadb: 'blob' },
    values: [
      ["'\\x00\\xFF'", "'\\x00ff'", "x'00ff'"],
      ["'a'", "'\\x61'", "x'61'"],
    ],
  },
]

/** Rows as indexes of values by column; null is NULL. */
type NastyRow = readonly (number | null)[]

let made = 0
async function nastyTable(place: Place, rows: readonly NastyRow[]): Promise<DatasetLocator> {
  made += 1
  const name = `nasty_${made}`
  const at = place === 'file' ? 0 : place === 'mariadb' ? 2 : 1
  const typeIn = place === 'file' ? 'file' : place === 'mariadb' ? 'mariadb' : 'postgres'
  const typed = nasty.map((column) => `${quoteName(column.name)} ${column[typeIn]}`)
  const cellIn = (cell: number | null, index: number) =>
    (cell === null ? null : nasty[index]?.values[cell]?.[at]) ?? 'NULL'
  const lines = rows.map((row) => `(${row.map(cellIn).join(', ')})`)
  const create = [`CREATE TABLE ${name} (${typed.join(', ')})${place === 'mariadb' ? ' CHARACTER SET utf8mb4' : ''}`]
  if (lines.length > 0) create.push(`INSERT INTO ${name} VALUES ${lines.join(', ')}`)
  if (place !== 'file') {
    const isMariadb = place === 'mariadb'
    await (isMariadb ? mariadbClient.query(create.join('; ')) : client.query(create.join('; ')))
    const engine = isMariadb ? 'MARIADB' : 'POSTGRESQL'
    const relation = { kind: 'relation', engine, schema: isMariadb ? 'assay' : 'public', table: name } as const
    return { ...relation, source: isMariadb ? 3 : place, columns: [], fingerprint: '' }
  }
  const file = join(folder, `${name}.parquet`)
  for (const statement of [...create, `COPY ${name} TO ${textLiteral(file)} (FORMAT parquet)`])
    await connection.run(statement)
  const [table] = await fixture.tables({ sourceType: 'FILE', path: file })
  if (table === undefined) throw new Error(`${file} holds no table.`)
  return table.locator
}

/** A naive comparison of two multisets. */
function byHand(left: readonly NastyRow[], right: readonly NastyRow[]) {
  const rest = right.map((row) => JSON.stringify(row))
  const onlyLeft = left.filter((row) => {
    const at = rest.indexOf(JSON.stringify(row))
    if (at !== -1) rest.splice(at, 1)
    return at === -1
  }).length
  return { equal: left.length - onlyLeft, onlyLeft, onlyRight: rest.length, changed: 0 }
}

describe('a comparison across databases', () => {
  it.each([
    ['a file and PostgreSQL', 'file', 1],
    ['PostgreSQL and a file', 1, 'file'],
    ['two sources of PostgreSQL', 1, 2],
    ['two tables of a source', 1, 1],
    ['a file and MariaDB', 'file', 'mariadb'],
    ['MariaDB and PostgreSQL', 'mariadb', 1],
  ] satisfies [string, Place, Place][])(
    'given random rows of all types in %s, when compared, then the counts equal those of a naive comparison',
    async (_name, left, right) => {
      await client.query(
        "CREATE COLLATION IF NOT EXISTS ignoring (provider = icu, locale = 'und-u-ks-level1', deterministic = false)",
      )
      const databases = { POSTGRESQL: postgres(), MARIADB: mariadb() }
      const engine = createEngineRouter({ files: createEngineInProcess(), databases })
      const isIn = (values: NastyColumn['values']) =>
        [...values.keys()].filter((cell) =>
          right !== 'mariadb' && left !== 'mariadb' ? true : values[cell]?.length === 3,
        )
      const row = fc.tuple(...nasty.map(({ values }) => fc.option(fc.constantFrom(...isIn(values)), { nil: null })))
      const rowsOf = fc.array(row, { maxLength: 12, size: 'max' })
      await fc.assert(
        fc.asyncProperty(rowsOf, rowsOf, rowsOf, async (both, ofLeft, ofRight) => {
          const [mine, theirs] = [
            [...both, ...ofLeft],
            [...ofRight, ...both.toReversed()],
          ]
          const columns = nasty.map(({ name }): ComparedPair => ({ left: name, right: name, isKey: false }))
          const [first, ...more] = columns
          if (first === undefined) return
          const plan: ComparePlan = {
            left: { dataset: await nastyTable(left, mine) },
            right: { dataset: await nastyTable(right, theirs) },
            ...{ columns: [first, ...more], rows: null },
          }
          for (const one of [engine, comparingLater(engine)]) {
            const { equal, onlyLeft, onlyRight, changed } = await one.compare(plan, { rows: noRows, signal })
            expect({ equal, onlyLeft, onlyRight, changed }).toEqual(byHand(mine, theirs))
          }
        }),
        { numRuns: 5 },
      )
      await engine.close()
    },
  )

  it.each(['POSTGRESQL', 'MARIADB'] as const)(
    'given decimals of 40 digits in %s, when compared, then the last digit counts, and a tolerance is for numbers',
    async (name) => {
      const engine = createEngineRouter({
        ...{ files: createEngineInProcess(), databases: { POSTGRESQL: postgres(), MARIADB: mariadb() } },
      })
      const query = (text: string) => (name === 'MARIADB' ? mariadbClient.query(text) : client.query(text))
      const tableOf = async (table: string, last: number): Promise<DatasetLocator> => {
        await query(`CREATE TABLE ${table} (id int, n decimal(42, 1))`)
        await query(`INSERT INTO ${table} VALUES (1, ${10n ** 39n + 1n}.5), (2, ${10n ** 39n}${last}.5)`)
        const schema = name === 'MARIADB' ? 'assay' : 'public'
        return { kind: 'relation', engine: name, schema, table, columns: [], fingerprint: '' }
      }
      const [left, right] = [await tableOf('long_left', 1), await tableOf('long_right', 3)]
      const compared = (tolerance?: ComparedPair['tolerance']) => {
        const columns: ComparePlan['columns'] = [
          { left: 'id', right: 'id', isKey: true },
          { left: 'n', right: 'n', isKey: false, ...(tolerance && { tolerance }) },
        ]
        const plan: ComparePlan = { left: { dataset: left }, right: { dataset: right }, columns, rows: null }
        return engine.compare(plan, { rows: noRows, signal })
      }
      expect(await compared()).toMatchObject({ equal: 1, changed: 1 })
      expect(await compared({ absolute: '2' })).toMatchObject({ equal: 2, changed: 0 })
      await engine.close()
    },
  )

  it('given many scattered differences, when compared, then few rows besides them, and as many rows that agree as requested, are fetched', async () => {
    const rows = 120_000
    const fetched: Record<SideRequest['kind'], number> = { rows: 0, buckets: 0, repeated: 0, values: 0, count: 0 }
    const source = postgres()
    const { withSides } = source
    if (withSides === undefined) throw new Error('PostgreSQL cannot be compared.')
    const counting: typeof withSides = (tables, call, work) =>
      withSides(tables, call, ({ left, right }) => {
        const counted = (side: typeof left) =>
          side && {
            ...side,
            async *read(request: SideRequest) {
              for await (const part of side.read(request)) {
                fetched[request.kind] += part.length
                yield part
              }
            },
          }
        const [one, other] = [counted(left), counted(right)]
        return work({ ...(one ? { left: one } : {}), ...(other ? { right: other } : {}) })
      })
    const databases = { POSTGRESQL: { ...source, withSides: counting } }
    const engine = createEngineRouter({ files: createEngineInProcess(), databases })
    await client.query(
      `CREATE TABLE scattered AS SELECT i AS id, 'name ' || i AS name, CASE WHEN i % 40 = 0 THEN -1 ELSE i END AS n FROM generate_series(1, ${rows}) AS i`,
    )
    const file = join(folder, 'scattered.parquet')
    await connection.run(
      `COPY (SELECT i AS id, 'name ' || i AS name, i AS n FROM range(1, ${rows + 1}) AS t(i)) TO ${textLiteral(file)} (FORMAT parquet)`,
    )
    const [table] = await fixture.tables({ sourceType: 'FILE', path: file })
    if (table === undefined) throw new Error('There is no table.')
    const relation = { kind: 'relation', engine: 'POSTGRESQL', schema: 'public', table: 'scattered' } as const
    const pair = (name: string): ComparedPair => ({ left: name, right: name, isKey: name === 'id' })
    const plan: ComparePlan = {
      left: { dataset: table.locator },
      right: { dataset: { ...relation, columns: [], fingerprint: '' } },
      ...{ columns: [pair('id'), pair('name'), pair('n')], rows: null },
    }
    const found = await engine.compare(plan, { rows: noRows, signal })
    expect(found).toMatchObject({
      equal: rows - 3000,
      changed: 3000,
      columns: [{ changed: 0 }, { changed: 0 }, { changed: 3000 }],
    })
    // The other rows of a bucket of 1,048,576.
    expect(fetched.rows).toBeLessThan(3600)
    for (const [limit, most] of [
      [5000, 10_000],
      [130_000, rows],
    ] as const) {
      fetched.rows = 0
      const good = { agreeing: { format: 'PARQUET', limit, preview: 10 } } as const
      const { agreeing } = await engine.compare({ ...plan, ...good }, { rows: async () => undefined, signal })
      expect(agreeing).toMatchObject({ count: rows - 3000, stored: Math.min(limit, rows - 3000) })
      expect(agreeing?.preview).toHaveLength(10)
      expect(fetched.rows).toBeGreaterThanOrEqual(Math.min(limit, rows))
      expect(fetched.rows).toBeLessThanOrEqual(most)
    }
    await engine.close()
  })
})
