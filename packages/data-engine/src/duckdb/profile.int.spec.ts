import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { figuresOf } from '@assay/reliability'
import { DuckDBConnection, DuckDBInstance } from '@duckdb/node-api'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { DatasetLocator } from '../dataset.ts'
import type { ProfilePlan } from '../profile.ts'
import { createEngineInProcess } from '../testing/engine-in-process.ts'
import { onlyTable } from '../testing/plans.ts'
import { createDuckDbEngine, type DuckDbEngine } from './engine.ts'

const limits = { timeoutMs: 120_000, memoryMb: 400, threads: 1, maxTempMb: 1000 }
/**
 * Numbers that doubles round, repeated and missing ones, NaN and infinities, empty and long text in several scripts,
 * nested values.
 */
const nasty = `SELECT CASE WHEN i % 7 = 0 THEN NULL ELSE 9007199254740993 + i % 100 END AS id,
  CASE i % 11 WHEN 0 THEN 'NaN'::DOUBLE WHEN 1 THEN 'Infinity'::DOUBLE WHEN 2 THEN NULL ELSE (i * 37 % 101) / 4 END AS reading,
  CAST(i % 13 AS DECIMAL(38, 4)) / 3 AS price,
  CASE i % 5 WHEN 0 THEN '' WHEN 1 THEN 'Ünï' WHEN 2 THEN '日本語' WHEN 3 THEN repeat('x', 300) END AS "na""me",
  CAST(NULL AS VARCHAR) AS nothing,
  TIMESTAMP '1969-12-31 23:00:00' + to_minutes(i % 90) AS made,
  i % 2 = 0 AS flag,
  {'a': i % 3} AS nested,
  CASE WHEN i % 2 = 0 THEN 1e308 ELSE -1e308 END AS huge
FROM range(1000) t(i)`

let folder: string
let engine: DuckDbEngine
/** For tests that depend on processes. */
let inChildren: DuckDbEngine
let connection: DuckDBConnection
let dataset: DatasetLocator
const { signal } = new AbortController()

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'assay-profile-'))
  await mkdir(path.join(folder, 'data'))
  connection = await DuckDBConnection.create(await DuckDBInstance.create(':memory:'))
  await connection.run(`CREATE TABLE nasty AS ${nasty}`)
  await connection.run(`COPY nasty TO '${folder}/data/nasty.parquet' (FORMAT PARQUET)`)
  engine = createEngineInProcess({ memoryMb: 400 })
  inChildren = createDuckDbEngine({ memoryMb: 400, threads: 1, clock: Date })
  dataset = await onlyTable(engine, { sourceType: 'FILE', path: path.join(folder, 'data', 'nasty.parquet') })
})
afterAll(async () => {
  await Promise.all([engine.close(), inChildren.close()])
  connection.closeSync()
  await rm(folder, { recursive: true, force: true })
})

const profiled = async (more: Partial<ProfilePlan> = {}, most = limits, by = engine) => {
  const profile = await by.profile({ dataset, ...more }, { limits: most, signal })
  return { ...profile, columns: profile.columns.map(figuresOf) }
}
const columnOf = ({ columns }: Awaited<ReturnType<typeof profiled>>, name: string) =>
  columns.find((column) => column.name === name)
/** The result of plain SQL. */
async function queried(sql: string): Promise<unknown[]> {
  const reader = await connection.runAndReadAll(`SELECT ${sql} FROM nasty`)
  return (reader.getRowsJson()[0] ?? []).map((value) => value ?? null)
}

describe('a profile of a nasty table', () => {
  it('given numbers that doubles round, then statistics are exact, as in plain SQL', async () => {
    const profile = await profiled()
    expect(profile).toMatchObject({ rows: 1000, columnsLeftOut: 0 })
    expect(profile.columns.flatMap(({ error }) => error ?? [])).toEqual([])
    const [nulls, distinct, min, max, q] = await queried(
      'count(*) - count(id), count(DISTINCT id), min(id)::VARCHAR, max(id)::VARCHAR, quantile_disc(id, [0.05, 0.25, 0.5, 0.75, 0.95])::VARCHAR[]',
    )
    const id = columnOf(profile, 'id')
    expect(id).toMatchObject({ nulls: Number(nulls), distinct: Number(distinct), min, max, notFinite: null })
    expect(id?.quantiles.map(({ value }) => value)).toEqual(q)
    expect(id?.mostFrequent).toHaveLength(20)
    const [prices, mean, deviation] = await queried(
      'count(DISTINCT price), avg(price::DOUBLE), stddev_samp(price::DOUBLE)',
    )
    const price = columnOf(profile, 'price')
    expect(price).toMatchObject({ distinct: Number(prices), mean: expect.closeTo(Number(mean), 12) })
    expect(price?.standardDeviation).toBeCloseTo(Number(deviation), 12)
  })

  it('given NaN and infinities, then they are counted separately, and other statistics cover only finite values', async () => {
    const reading = columnOf(await profiled(), 'reading')
    const finite = 'FILTER (WHERE isfinite(reading))'
    const [nulls, distinct, min, max, mean, deviation, notFinite, q] = await queried(
      `count(*) - count(reading), count(DISTINCT reading), min(reading) ${finite}, max(reading) ${finite}, avg(reading) ${finite},
       stddev_samp(CASE WHEN isfinite(reading) THEN reading END), count(*) FILTER (WHERE NOT isfinite(reading)),
       quantile_disc(CASE WHEN isfinite(reading) THEN reading END, [0.05, 0.25, 0.5, 0.75, 0.95])`,
    )
    expect(reading).toMatchObject({ nulls: Number(nulls), distinct: Number(distinct), min, max })
    expect(reading).toMatchObject({ notFinite: Number(notFinite) })
    expect(reading?.mean).toBeCloseTo(Number(mean), 10)
    expect(reading?.standardDeviation).toBeCloseTo(Number(deviation), 10)
    expect(reading?.quantiles.map(({ value }) => value)).toEqual(q)
    expect(reading?.mostFrequent.map(({ count }) => count)).toEqual([91, 91, ...Array(18).fill(8)])
    expect(reading?.mostFrequent.map(({ value }) => value)).toEqual(expect.arrayContaining(['NaN', 'Infinity']))
  })

  it('given text, dates, booleans, nested and missing values, then each column has the statistics of its type', async () => {
    const profile = await profiled()
    expect(columnOf(profile, 'na"me')).toMatchObject({
      nulls: 200,
      distinct: 4,
      min: '',
      max: '日本語',
      minLength: 0,
      maxLength: 300,
      mean: null,
      quantiles: [],
      mostFrequent: [
        { value: '', count: 200 },
        { value: `${'x'.repeat(256)}…`, count: 200 },
        { value: 'Ünï', count: 200 },
        { value: '日本語', count: 200 },
      ],
    })
    expect(columnOf(profile, 'nothing')).toMatchObject({
      nulls: 1000,
      distinct: 0,
      min: null,
      max: null,
      minLength: null,
    })
    expect(columnOf(profile, 'nothing')).toMatchObject({ mostFrequent: [], quantiles: [] })
    expect(columnOf(profile, 'made')).toMatchObject({
      distinct: 90,
      min: '1969-12-31T23:00:00',
      max: '1970-01-01T00:29:00',
    })
    expect(columnOf(profile, 'flag')).toMatchObject({ distinct: 2, min: false, max: true })
    expect(columnOf(profile, 'nested')).toMatchObject({ distinct: 3, min: '{"a":0}', max: '{"a":2}' })
    const huge = columnOf(profile, 'huge')
    expect(huge).toMatchObject({ distinct: 2, min: -1e308, max: 1e308, mean: 0, error: null })
    expect(huge?.standardDeviation).toBe(1e308 * Math.sqrt(1000 / 999))
  })

  it('given a window and columns, then only their rows and columns are read', async () => {
    const window = {
      kind: 'column',
      column: 'id',
      max: { kind: 'number', text: '9007199254740993' },
      inclusive: true,
      follow: false,
    } as const
    const profile = await profiled({ window, columns: ['price'] })
    const [rows, distinct] = await queried(
      'count(*) FILTER (WHERE id <= 9007199254740993), count(DISTINCT price) FILTER (WHERE id <= 9007199254740993)',
    )
    expect(profile.rows).toBe(Number(rows))
    expect(profile.columns).toMatchObject([{ name: 'price', distinct: Number(distinct) }])
  })

  it('given a filter, then only rows for which it is true are read, and a wrong filter is refused', async () => {
    const filter = { sql: 'flag AND id > 9007199254741000', variables: {} }
    const profile = await profiled({ filter, columns: ['price'] })
    const [rows] = await queried('count(*) FILTER (WHERE flag AND id > 9007199254741000)')
    expect(profile.rows).toBe(Number(rows))
    expect(profile.touched?.columns).toEqual(expect.arrayContaining(['flag', 'id']))
    const wrong = profiled({ filter: { sql: 'nowhere > 1', variables: {} } })
    await expect(wrong).rejects.toMatchObject({ code: 'invalid' })
  })

  it('given text in several cases, then a profile counts text with letters of one case and of both', async () => {
    const file = path.join(folder, 'data', 'cases.parquet')
    const texts = ['ABC', 'ÄÖ', 'abc', 'Abc', 'iPhone', '12', '', 'X']
    await connection.run(
      `COPY (SELECT unnest([${texts.map((text) => `'${text}'`)}]) AS a) TO '${file}' (FORMAT PARQUET)`,
    )
    const cases = await onlyTable(engine, { sourceType: 'FILE', path: file })
    const { columns } = await engine.profile({ dataset: cases }, { limits, signal })
    expect(columns[0]?.known?.text).toMatchObject({ upper: 3, lower: 1, mixed: 2, empty: 1 })
  })

  it('given more values than fit into memory, then their quantiles are the same', async () => {
    const file = path.join(folder, 'data', 'many.parquet')
    const values = '(i * 7919) % 1000003 // 3'
    await connection.run(`COPY (SELECT ${values} AS a FROM range(1500000) t(i)) TO '${file}' (FORMAT PARQUET)`)
    const many = await onlyTable(engine, { sourceType: 'FILE', path: file })
    const { columns } = await profiled({ dataset: many }, { ...limits, memoryMb: 180 }, inChildren)
    const reader = await connection.runAndReadAll(
      `SELECT quantile_disc(a, [0.05, 0.25, 0.5, 0.75, 0.95]), count(DISTINCT a) FROM '${file}'`,
    )
    const [quantiles, distinct] = reader.getRowsJson()[0] ?? []
    expect(columns[0]?.error).toBeNull()
    expect(columns[0]?.quantiles.map(({ value }) => String(value))).toEqual(quantiles)
    expect(columns[0]?.distinct).toBe(Number(distinct))
  })

  it('given the same rows in another order, then all statistics are the same, and symmetric numbers have no skewness', async () => {
    const inOrder = async (order: string) => {
      const file = path.join(folder, 'data', 'ordered.parquet')
      const values = 'i / 7 AS a, (i % 5000) ** 3 / 1e7 AS b'
      await connection.run(
        `COPY (SELECT ${values} FROM range(-10000, 10001) t(i) ORDER BY ${order}) TO '${file}' (FORMAT PARQUET)`,
      )
      return profiled({ dataset: await onlyTable(engine, { sourceType: 'FILE', path: file }) })
    }
    const { columns } = await inOrder('i')
    expect(columns).toMatchObject([{ skewness: 0 }, {}])
    for (const order of ['hash(i)', 'abs(i), i', 'i % 100, i'])
      expect((await inOrder(order)).columns).toStrictEqual(columns)
  })

  it('given an unknown column, then the profile is refused', async () => {
    await expect(profiled({ columns: ['gone'] })).rejects.toMatchObject({ code: 'invalid' })
  })

  it('given CSV with broken lines, then the file is read once, all lines count, and warnings report the repairs', async () => {
    const file = path.join(folder, 'data', 'broken.csv')
    await writeFile(file, 'id,note\n1,"a"\n2\n3,"",surplus\n')
    const csv = await onlyTable(engine, { sourceType: 'FILE', path: file })
    const profile = await profiled({ dataset: csv })
    expect(profile).toMatchObject({ rows: 3, columns: [{ distinct: 3, mean: 2, standardDeviation: 1 }, { nulls: 1 }] })
    expect(profile.warnings.total).toBe(2)
  })

  it('given a profile that is aborted, then its child exits', async () => {
    const aborting = new AbortController()
    const file = path.join(folder, 'data', 'long.parquet')
    await connection.run(
      `COPY (SELECT hash(i) AS a, hash(i + 1) AS b FROM range(3000000) t(i)) TO '${file}' (FORMAT PARQUET)`,
    )
    const long = await onlyTable(engine, { sourceType: 'FILE', path: file })
    const measuring = inChildren.profile(
      { dataset: long },
      {
        signal: aborting.signal,
        onProgress: ({ stage }) => stage === 'MEASURING' && aborting.abort(new Error('enough')),
      },
    )
    await expect(measuring).rejects.toThrow('enough')
    await expect.poll(() => inChildren.children().length, { timeout: 20_000 }).toBeLessThanOrEqual(1)
  })
})
