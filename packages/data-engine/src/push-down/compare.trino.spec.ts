import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { figuresOf } from '@assay/reliability'
import { DuckDBConnection, DuckDBInstance } from '@duckdb/node-api'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { start, type TrinoServer, whyNot } from '../../../../tools/servers/trino.mjs'
import type { ComparedPair, ComparePlan } from '../compare.ts'
import type { DatasetLocator } from '../dataset.ts'
import { type Fixture, openFixture } from '../duckdb/sources/fixture.ts'
import type { ProfilePlan } from '../profile.ts'
import { createEngineRouter } from '../router.ts'
import { noRows } from '../row-sink.ts'
import { quoteName, textLiteral } from '../sql/quote.ts'
import { comparingFeatures } from '../testing/compare-features.ts'
import { comparingLater } from '../testing/compare-later.ts'
import { createEngineInProcess } from '../testing/engine-in-process.ts'
import { written } from '../testing/plans.ts'
import { inMemory, reachTrino, tableStatements, trinoAt, trinoStatements } from '../testing/trino.ts'
import { createTrinoEngine } from '../trino/engine.ts'
import { formatTrinoType } from '../trino/types.ts'
import { parseType } from '../types/parse-type.ts'

const reason = await whyNot()
if (reason !== undefined)
  process.stderr.write(`The suite of comparisons and profiles in Trino does not run. ${reason}\n`)

/** A column of random tables: its type in each place, and its values as literals. Values of one line are equal. */
interface NastyColumn {
  name: string
  file: string
  trino: string
  values: readonly (readonly [file: string, trino: string])[]
}

const same = (...literals: string[]) => literals.map((text) => [text, text] as const)
const nasty: readonly NastyColumn[] = [
  {
    ...{ name: 'one', file: 'VARCHAR', trino: 'varchar' },
    values: same(...["'a'", "'A'", "'a '", "''", "'1,11'", "'11,1'", "'é'", "'e\u0301'", "'😀'", "'NULL'", "'ß'"]),
  },
  {
    ...{ name: 'price', file: 'DECIMAL(20,4)', trino: 'decimal(38,10)' },
    values: same('0', '-0.5', '12345678901234.5678', '1.05', '1.5'),
  },
  {
    ...{ name: 'ratio', file: 'DOUBLE', trino: 'decimal(12,6)' },
    values: [...same('0.1', '-12.25'), ['-0.0', '0'], ['1e5', '100000']],
  },
  {
    ...{ name: 'float', file: 'DOUBLE', trino: 'double' },
    values: [
      ...same('0.1', '1e20', '1e-7', '1e-300', '0.30000000000000004', '12345678.5', '-0.00012'),
      ...[["'inf'", "'Infinity'"] as const, ["'nan'", "'NaN'"] as const, ['-0.0', '0'] as const],
    ],
  },
  { name: 'small', file: 'FLOAT', trino: 'real', values: same('0.1', '1234567', '1e20', '-3') },
  { name: 'whole', file: 'SMALLINT', trino: 'bigint', values: same('1', '11', '111', '0', '-1') },
  {
    ...{ name: 'at', file: 'TIMESTAMPTZ', trino: 'timestamp(6)' },
    values: [
      ["'2024-01-01 10:00:00+02'", "'2024-01-01 08:00:00'"],
      ["'2024-01-01 10:00:00.000001+00'", "'2024-01-01 10:00:00.000001'"],
    ],
  },
  {
    ...{ name: 'day', file: 'DATE', trino: 'timestamp(3) with time zone' },
    values: [
      ["'2024-02-29'", "'2024-02-29 00:00:00 UTC'"],
      ["'2024-03-01'", "'2024-03-01 05:00:00 Asia/Karachi'"],
    ],
  },
  { name: 'clock', file: 'TIME', trino: 'time(6)', values: same("'10:00:00'", "'10:00:00.5'", "'23:59:59.999999'") },
  { name: 'flag', file: 'BOOLEAN', trino: 'boolean', values: same("'true'", "'false'") },
  {
    ...{ name: 'ident', file: 'UUID', trino: 'uuid' },
    values: same("'00000000-0000-0000-8000-000000000001'", "'00000000-0000-0001-8000-000000000000'"),
  },
  {
    ...{ name: 'bytes', file: 'BLOB', trino: 'varbinary' },
    values: [
      ["'\\x00\\xFF'", "X'00ff'"],
      ["'a'", "X'61'"],
    ],
  },
]
/** Rows as indexes of values by column; null is NULL. */
type NastyRow = readonly (number | null)[]

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

describe.skipIf(reason !== undefined)('comparisons and profiles in Trino', () => {
  let server: TrinoServer
  let admin: ReturnType<typeof trinoStatements>
  let folder: string
  let connection: DuckDBConnection
  let fixture: Fixture
  const { signal } = new AbortController()
  beforeAll(async () => {
    ;[server, folder] = await Promise.all([start(), mkdtemp(join(tmpdir(), 'assay-comparing-'))])
    admin = trinoStatements(trinoAt(server.url, 'memory'))
    connection = await DuckDBConnection.create(await DuckDBInstance.create(':memory:'))
    await connection.run("SET TimeZone = 'UTC'")
    fixture = await openFixture()
  }, 300_000)
  afterAll(async () => {
    await admin?.close()
    await server?.stop()
    connection?.closeSync()
    await fixture?.close()
    if (folder !== undefined) await rm(folder, { recursive: true, force: true })
  })

  const trino = () => createTrinoEngine({ reach: reachTrino(trinoAt(server.url, 'memory')), clock: Date })
  const routed = (memoryMb = 512) =>
    createEngineRouter({ files: createEngineInProcess({ memoryMb }), databases: { TRINO: trino() } })

  const cellOf = (text: string | undefined) =>
    text === undefined || text === '' ? null : text.startsWith('"') ? text.slice(1, -1) : text
  /** Names of special floats, as the server writes them. */
  const special: Readonly<Record<string, string>> = { inf: 'Infinity', '-inf': '-Infinity', nan: 'NaN' }

  async function inTrino(name: string, text: string, types: readonly string[]) {
    const [head = '', ...lines] = text.replace(/\n$/, '').split('\n')
    const columns = head
      .split(',')
      .map((column, index) => ({ name: column, type: formatTrinoType(parseType(types[index] ?? '')) }))
    const rows = lines.map((line) => {
      const cells = line.split(',')
      return columns.map(({ type }, index) => {
        const cell = cellOf(cells[index])
        if (cell === null) return null
        if (type === 'double' || type === 'real') return special[cell] ?? cell
        return type.includes('time zone') ? cell.replace(/([+-]\d\d)$/, '$1:00') : cell
      })
    })
    for (const statement of tableStatements(name, columns, rows)) await admin.run(statement)
    return inMemory(name, 1)
  }

  async function tableIn(file: string): Promise<DatasetLocator> {
    const [table] = await fixture.tables({ sourceType: 'FILE', path: file })
    if (table === undefined) throw new Error(`${file} holds no table.`)
    return table.locator
  }

  async function inFile(name: string, text: string, types: readonly string[]): Promise<DatasetLocator> {
    await writeFile(join(folder, `${name}.csv`), text)
    const columns = (text.split('\n', 1)[0] ?? '')
      .split(',')
      .map((column, index) => `CAST(${quoteName(column)} AS ${types[index]}) AS ${quoteName(column)}`)
    const file = join(folder, `${name}.parquet`)
    await connection.run(
      `COPY (SELECT ${columns.join(', ')} FROM read_csv('${folder}/${name}.csv', header = true, delim = ',', all_varchar = true, allow_quoted_nulls = false, null_padding = true)) TO '${file}' (FORMAT parquet)`,
    )
    return tableIn(file)
  }

  comparingFeatures('a file with Trino', async () => {
    const engine = routed(300)
    const isFile = (table: string) => table.startsWith('left')
    return {
      engine,
      knowsTouched: false,
      table: (table, text, types) => (isFile(table) ? inFile(table, text, types) : inTrino(table, text, types)),
      drop: async (table) =>
        isFile(table)
          ? rm(join(folder, `${table}.parquet`))
          : void (await admin.run(`DROP TABLE memory.default.${table}`)),
      stop: () => engine.close(),
    }
  })

  let made = 0
  async function nastyTable(place: 'file' | 'trino', rows: readonly NastyRow[]): Promise<DatasetLocator> {
    made += 1
    const [name, at] = [`nasty_${made}`, place === 'file' ? 0 : 1]
    const cellIn = (cell: number | null, index: number) => {
      const literal = cell === null ? undefined : nasty[index]?.values[cell]?.[at]
      if (literal === undefined) return 'NULL'
      const text = /^['X]/.test(literal) ? literal : `'${literal}'`
      return place === 'file' ? text : `CAST(${text} AS ${nasty[index]?.trino})`
    }
    const typed = nasty.map((column) => `${quoteName(column.name)} ${column[place]}`)
    const lines = rows.map((row) => `(${row.map(cellIn).join(', ')})`)
    const table = place === 'file' ? name : `memory.default.${name}`
    const create = [`CREATE TABLE ${table} (${typed.join(', ')})`]
    if (lines.length > 0) create.push(`INSERT INTO ${table} VALUES ${lines.join(', ')}`)
    if (place === 'trino') {
      for (const statement of create) await admin.run(statement)
      return inMemory(name, 1)
    }
    const file = join(folder, `${name}.parquet`)
    for (const statement of [...create, `COPY ${name} TO ${textLiteral(file)} (FORMAT parquet)`])
      await connection.run(statement)
    return tableIn(file)
  }

  it('given random rows of all types in a file and Trino, when compared, then the counts equal those of a naive comparison', async () => {
    const engine = routed()
    const row = fc.tuple(...nasty.map(({ values }) => fc.option(fc.constantFrom(...values.keys()), { nil: null })))
    const rowsOf = fc.array(row, { maxLength: 12, size: 'max' })
    const [first, ...more] = nasty.map(({ name }): ComparedPair => ({ left: name, right: name, isKey: false }))
    if (first === undefined) throw new Error('No column is named.')
    await fc.assert(
      fc.asyncProperty(rowsOf, rowsOf, rowsOf, async (both, ofLeft, ofRight) => {
        const [mine, theirs] = [
          [...both, ...ofLeft],
          [...ofRight, ...both.toReversed()],
        ]
        const plan: ComparePlan = {
          left: { dataset: await nastyTable('file', mine) },
          right: { dataset: await nastyTable('trino', theirs) },
          ...{ columns: [first, ...more], rows: null },
        }
        for (const one of [engine, comparingLater(engine)]) {
          const { equal, onlyLeft, onlyRight, changed } = await one.compare(plan, { rows: noRows, signal })
          expect({ equal, onlyLeft, onlyRight, changed }).toEqual(byHand(mine, theirs))
        }
      }),
      { numRuns: 3 },
    )
    await engine.close()
  })

  it('given the same rows in a file and in Trino, when profiled, then all figures are the same', async () => {
    const rowsOf = (text: string, at: string) => `i AS id,
      CASE WHEN i % 7 = 0 THEN NULL ELSE CONCAT('Näme ', CAST(i % 1300 AS ${text})) END AS name,
      CASE i % 4 WHEN 0 THEN '' WHEN 1 THEN ' ' WHEN 2 THEN 'a1 B2' ELSE '2024-01-31' END AS form,
      CAST(i % 300 AS DECIMAL(12, 2)) - CAST(7.25 AS DECIMAL(3, 2)) AS price,
      CAST(i AS DOUBLE) / 7 AS reading, ${at} AS made, CAST('2024-01-31' AS DATE) AS day, i % 2 = 0 AS flag`
    const atTrino = "date_add('minute', i, TIMESTAMP '2024-01-01 00:00:00.000000')"
    await admin.run(
      `CREATE TABLE memory.default.profiled AS SELECT ${rowsOf('varchar', atTrino)} FROM UNNEST(sequence(1, 2500)) AS t(i)`,
    )
    const file = join(folder, 'profiled.parquet')
    await connection.run(
      `COPY (SELECT ${rowsOf('VARCHAR', "TIMESTAMP '2024-01-01' + to_minutes(i)")} FROM range(1, 2501) AS t(i)) TO '${file}' (FORMAT parquet)`,
    )
    const engine = routed()
    const rounded = (value: unknown) => (typeof value === 'number' ? Number(value.toFixed(9)) + 0 : value)
    const figures = async (dataset: DatasetLocator, more: Partial<ProfilePlan> = {}) => {
      const { rows, columns, reached } = await engine.profile({ dataset, ...more }, { signal })
      const all = columns.map((column) => [column.name, { ...figuresOf(column), dataType: '' }] as const)
      const text = JSON.stringify(Object.fromEntries(all), (key, value: unknown) =>
        key === 'skewness' || key === 'kurtosis' ? rounded(value) : value,
      )
      return { rows, reached, columns: JSON.parse(text) }
    }
    expect(await figures(inMemory('profiled'))).toEqual(await figures(await tableIn(file)))
    const more: Partial<ProfilePlan> = {
      window: { kind: 'column', column: 'id', min: { kind: 'number', text: '2000' }, inclusive: false, follow: true },
      filter: written('price > ${least}', { least: 100 }),
      columns: ['price', 'made'],
    }
    const followed = await figures(inMemory('profiled'), more)
    expect(followed.reached).toBe('2500')
    expect(followed).toEqual(await figures(await tableIn(file), more))
    const sampled = await figures(inMemory('profiled'), { maxRows: 100 })
    expect(sampled.rows).toBe(100)
    expect(await figures(inMemory('profiled'), { maxRows: 100 })).toEqual(sampled)
    await engine.close()
  })
})
