import { mkdir, mkdtemp, readFile, rm, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { type ColumnFigures, canMerge, figuresOf, mergeProfiles, type ProfileState } from '@assay/reliability'
import { DuckDBConnection, DuckDBInstance } from '@duckdb/node-api'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { keptLimits } from '../profile.ts'
import { rowsInto } from '../row-sink.ts'
import { createEngineInProcess } from '../testing/engine-in-process.ts'
import { onlyTable } from '../testing/plans.ts'
import { parseType } from '../types/parse-type.ts'
import { groups } from './child/exact-sums.ts'
import { openKeptValues } from './child/kept-values.ts'
import type { DuckDbEngine } from './engine.ts'

let folder: string
let engine: DuckDbEngine
let connection: DuckDBConnection
const { signal } = new AbortController()

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'assay-kept-'))
  connection = await DuckDBConnection.create(await DuckDBInstance.create(':memory:'))
  engine = createEngineInProcess({ threads: 2 })
})
afterAll(async () => {
  await engine.close()
  connection.closeSync()
  await rm(folder, { recursive: true, force: true })
})

/** One column of each type, from the whole number `k`. */
const columns: Readonly<Record<string, string>> = {
  integer: 'k - 700',
  wide: '9007199254740993 + k * 7919',
  unsigned: 'CAST(18446744073709551615 - k AS UBIGINT)',
  decimal: 'CAST(k AS DECIMAL(18, 3)) / 8',
  long: "CAST(k || '12345678901234567890.0123456789' AS DECIMAL(38, 10))",
  double:
    "CASE k % 97 WHEN 0 THEN 'NaN' WHEN 1 THEN 'Infinity' WHEN 2 THEN '-Infinity' WHEN 3 THEN (CASE WHEN i % 2 = 0 THEN 0.0 ELSE '-0'::DOUBLE END) WHEN 4 THEN 5e-324 * k WHEN 5 THEN -1.7e308 + k ELSE k / 7 - 100 END::DOUBLE",
  tiny: 'CAST((k - 500) ** 3 / 1e7 AS FLOAT)',
  text: "CASE WHEN k % 3 = 0 THEN 'Ünï ' || k WHEN k % 3 = 1 THEN '日本' || chr(CAST(128512 + k % 40 AS INTEGER)) || k ELSE repeat('x', CAST(k % 300 AS INTEGER)) || k % 5 END",
  code: "format('AB-{:04d}', k)",
  day: "CASE k WHEN 1 THEN DATE 'infinity' ELSE DATE '1968-02-29' + CAST(k AS INTEGER) END",
  made: "TIMESTAMP '1969-12-31 23:59:00' + to_microseconds(k * 61000001)",
  zoned: "TIMESTAMPTZ '2024-03-31 00:30:00+01' + to_minutes(k)",
  nano: 'make_timestamp_ns(1700000000000000000 + k)',
  clock: "TIME '00:00:00' + to_seconds(k % 86400)",
  flag: 'k % 2 = 0',
  bytes: "encode('é' || k)",
  id: "md5('' || k)::UUID",
  nested: "{'a': k, 'b': [k % 3, NULL]}",
  listed: '[k % 40, k]',
  empty: 'CAST(NULL AS VARCHAR)',
  random: 'd',
  word: 's',
}
/** A hundred of the rows lack a value. */
const query = (names: readonly string[], source: string) =>
  `SELECT ${names.map((name) => `CASE WHEN i % 29 > 0 THEN ${columns[name]} END AS "${name}"`)} FROM (${source})`

const table = fc.record({
  names: fc.subarray(Object.keys(columns), { minLength: 4, maxLength: 5 }),
  rows: fc.nat(3000),
  spread: fc.oneof(fc.constantFrom(5, 999, 1000, 1001, 1199, 1200, 1201, 1202), fc.integer({ min: 1, max: 3000 })),
  seed: fc.nat(1_000_000),
  parts: fc.integer({ min: 2, max: 4 }),
  doubles: fc.array(fc.double(), { minLength: 1, maxLength: 30 }),
  words: fc.array(fc.string({ unit: 'grapheme' }), { minLength: 1, maxLength: 30 }),
})
type Table = typeof table extends fc.Arbitrary<infer T> ? T : never

/** Stores the rows in as many files. The values of a row do not depend on its file. */
async function stored(of: Table): Promise<string> {
  const data = await mkdtemp(path.join(folder, 'data-'))
  const double = (value: number) => `CAST('${Object.is(value, -0) ? '-0' : value}' AS DOUBLE)`
  const text = (value: string) => `decode(unhex('${Buffer.from(value.replaceAll('\0', ''), 'utf8').toString('hex')}'))`
  const some = (list: readonly string[]) => `([${list}])[1 + CAST(hash(i + ${of.seed}) % ${list.length} AS INTEGER)]`
  const source = `SELECT i, CAST(hash(i * 31 + ${of.seed}) % ${of.spread} AS BIGINT) AS k, ${some(of.doubles.map(double))} AS d, ${some(of.words.map(text))} AS s FROM range(${of.rows}) t(i)`
  for (let part = 0; part < of.parts; part += 1)
    await connection.run(
      `COPY (${query(of.names, source)} WHERE hash(i * 7 + ${of.seed}) % ${of.parts} = ${part}) TO '${data}/${part}.parquet' (FORMAT PARQUET)`,
    )
  return data
}

const located = (of: string) => onlyTable(engine, { sourceType: 'FILE', path: of })

/** The figures of all parts, read one after the other, and of all rows, read at once. */
async function bothWays(
  of: Table,
  valuesOfColumn: number,
): Promise<{ merged: ColumnFigures[]; full: ColumnFigures[] }> {
  const data = await stored(of)
  const limits = { ...keptLimits, valuesOfColumn }
  let before: ProfileState | undefined
  let earlier: string | undefined
  for (let part = 0; part < of.parts; part += 1) {
    const into = path.join(data, `kept-${part}`)
    await mkdir(into)
    const dataset = await located(path.join(data, `${part}.parquet`))
    const found = await engine.profile({ dataset, keepValues: { earlier, limits } }, { signal, rows: rowsInto(into) })
    expect(before === undefined || canMerge(before, found)).toBe(true)
    before = before === undefined ? found : mergeProfiles(before, found, found.whole)
    // States are stored as JSON.
    before = JSON.parse(JSON.stringify(before))
    earlier = path.join(into, found.keptValues ?? '')
  }
  const full = await engine.profile({ dataset: await located(path.join(data, '*.parquet')) }, { signal })
  const figures = (state: ProfileState | undefined): ColumnFigures[] =>
    JSON.parse(JSON.stringify(state?.columns.map(figuresOf)))
  return { merged: figures(before), full: figures(full) }
}

/** The figures that are estimates beyond the limit. */
const estimated = [
  'distinct',
  'distinctMethod',
  'unique',
  'duplicates',
  'quantiles',
  'mostFrequent',
  'histogram',
  'skewness',
  'kurtosis',
  'interquartileRange',
]
const others = (column: ColumnFigures) => Object.entries(column).filter(([name]) => !estimated.includes(name))

/** Up to the limit of values, all figures are the same; beyond it, all but the estimates. */
async function expectSame(of: Table): Promise<void> {
  const { merged, full } = await bothWays(of, 1200)
  expect(merged).toHaveLength(of.names.length)
  for (const [index, column] of full.entries()) {
    const found = merged[index]
    expect(column.error).toBeNull()
    if ((column.distinct ?? 0) <= 1200) expect(found).toStrictEqual(column)
    else if (found !== undefined) expect(others(found)).toStrictEqual(others(column))
  }
}

describe('profiles of parts', () => {
  it('given a column of each type, then the merged figures are those of one read', async () => {
    const [doubles, words] = [
      [-0, 0, Number.NaN],
      ['é', 'e\u0301', ''],
    ]
    await expectSame({ names: Object.keys(columns), rows: 3000, spread: 1150, seed: 1, parts: 2, doubles, words })
  })

  it('given any table in any parts, then the merged figures are those of one read, up to the limit of values', async () => {
    await fc.assert(fc.asyncProperty(table, expectSame), { numRuns: 6 })
  })

  it('given more values than the limit, then the figures are estimates and say so', async () => {
    const of: Table = { names: ['integer'], rows: 3000, spread: 3000, seed: 3, parts: 3, doubles: [1], words: ['a'] }
    const { merged, full } = await bothWays(of, 1200)
    const [integer] = merged
    expect(full[0]).toMatchObject({ distinctMethod: 'EXACT' })
    expect(integer).toMatchObject({ distinctMethod: 'ESTIMATED', unique: null, mostFrequent: [] })
    expect(Math.abs((integer?.distinct ?? 0) / (full[0]?.distinct ?? 1) - 1)).toBeLessThan(0.03)
  })

  it.each([
    ['gone', (file: string) => rm(file)],
    ['cut off', (file: string) => truncate(file, 20_000)],
    ['no database', (file: string) => writeFile(file, 'x'.repeat(50_000))],
    ['damaged', damageBlocks],
  ])('given an earlier file that is %s, then the profile says that its values are missing', async (_, damage) => {
    const of: Table = { names: ['text'], rows: 3000, spread: 3000, seed: 3, parts: 1, doubles: [1], words: ['a'] }
    const data = await stored(of)
    const dataset = await located(path.join(data, '*.parquet'))
    const profile = async (name: string, earlier?: string) => {
      const into = path.join(data, name)
      await mkdir(into)
      const plan = { dataset, keepValues: { earlier, limits: keptLimits } }
      const { keptValues = '', whole } = await engine.profile(plan, { signal, rows: rowsInto(into) })
      return { file: path.join(into, keptValues), whole }
    }
    const first = await profile('first')
    expect((await profile('second', first.file)).whole).toHaveLength(1)
    await damage(first.file)
    expect((await profile('third', first.file)).whole).toBeUndefined()
  })

  it('given a failure that ends the run, then the values of the column are not left out', async () => {
    const own = await DuckDBConnection.create(await DuckDBInstance.create(':memory:'))
    const values = await openKeptValues(own, await mkdtemp(path.join(folder, 'own-')), {
      earlier: undefined,
      limits: keptLimits,
    })
    await own.run(`CREATE TEMP TABLE ${groups} AS SELECT 1::INTEGER AS v, 1 AS n`)
    const of: Table = { names: ['integer'], rows: 1, spread: 1, seed: 3, parts: 1, doubles: [1], words: ['a'] }
    const dataset = await located(path.join(await stored(of), '*.parquet'))
    const [state] = (await engine.profile({ dataset }, { signal })).columns
    if (state === undefined) throw new Error('There is no column.')
    for (const text of [
      'INTERRUPT Error: Interrupted!',
      'Out of Memory Error: full',
      'IO Error: No space left on device',
    ]) {
      const known = { count: 1, notFinite: null, least: null, greatest: null, text: null, number: null }
      const run = vi.spyOn(own, 'run').mockRejectedValueOnce(new Error(text))
      const added = values.add(
        0,
        { ...state, known: state.known ?? { ...known, values: { kind: 'each', values: [] } } },
        parseType('INTEGER'),
      )
      await expect(added).rejects.toThrow(text)
      run.mockRestore()
    }
    own.closeSync()
  })
})

/** Overwrites all blocks after the headers. */
async function damageBlocks(file: string): Promise<void> {
  const bytes = await readFile(file)
  await writeFile(file, bytes.fill(7, 12_288 + 8))
}
