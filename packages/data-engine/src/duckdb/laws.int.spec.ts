import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { DatasetLocator } from '../dataset.ts'
import { openGuard } from '../path-access.ts'
import type { MeasurePlan, Metric } from '../plan.ts'
import type { Measured } from '../port.ts'
import { textLiteral } from '../sql/quote.ts'
import { expression, planFor, rows, written } from '../testing/plans.ts'
import { openDatabase } from './child/database.ts'
import { measure } from './child/measure.ts'
import { openFixture } from './sources/fixture.ts'
import { noStores } from './sources/index.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'assay-laws-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

interface Row {
  n: number | null
  t: string | null
  d: number | null
}

const row: fc.Arbitrary<Row> = fc.record({
  n: fc.option(fc.integer({ min: -3, max: 40 })),
  t: fc.option(fc.constantFrom('', ' ', 'a', 'b', 'abc', '12', '1.50', ' 12', "it's", '=x', 'NaN', '1e3')),
  d: fc.option(fc.constantFrom(0, -0, 1.5, 1e300, Number.NaN, Number.POSITIVE_INFINITY)),
})

/** All kinds of metrics of such rows; some cannot be evaluated, always or for some rows. */
const metricPool: ((id: number) => Metric)[] = [
  (id) => rows(id, { kind: 'missing', column: 't', blankToo: true }),
  (id) => rows(id, { kind: 'missing', column: 'n', blankToo: false }),
  (id) => rows(id, { kind: 'regex', column: 't', pattern: '[a-z]+', partial: false }),
  (id) => rows(id, { kind: 'regex', column: 't', pattern: '[a-z', partial: false }),
  (id) => rows(id, { kind: 'in-list', column: 't', values: ['a', 12], negate: false }, 'n > 3'),
  (id) => rows(id, { kind: 'in-list', column: 'n', values: [1, 2, 3], negate: true }),
  (id) => rows(id, { kind: 'datatype', column: 't', dataType: 'INTEGER' }),
  (id) => rows(id, { kind: 'datatype', column: 't', dataType: 'DECIMAL(4,1)' }),
  (id) =>
    rows(id, {
      kind: 'range',
      column: 'd',
      min: { kind: 'number', text: '0' },
      max: { kind: 'number', text: '2' },
      inclusive: true,
    }),
  (id) => rows(id, { kind: 'range', column: 't', max: { kind: 'number', text: '12' }, inclusive: true }),
  (id) => rows(id, { kind: 'text-length', column: 't', min: 1, max: 2 }),
  (id) => rows(id, { kind: 'precision-scale', column: 'd', precision: 3, scale: 1 }),
  (id) => rows(id, { kind: 'duplicate', columns: ['n'] }),
  (id) => rows(id, { kind: 'duplicate', columns: ['n', 't'] }, 'n IS NOT NULL'),
  (id) => rows(id, { kind: 'duplicate', columns: null }),
  (id) => rows(id, { kind: 'duplicate', columns: ['d'] }),
  (id) => expression(id, 'n > ${least}', { least: 10 }),
  (id) => expression(id, 'CAST(t AS INTEGER) > 3'),
  (id) => expression(id, 'n'),
  (id) => rows(id, { kind: 'missing', column: 'gone', blankToo: false }),
  (id) => ({ kind: 'distinct', id, column: 'n' }),
  (id) => ({ kind: 'distinct', id, column: 'n', filter: written('n % 2 = 0') }),
  (id) => ({ kind: 'distinct', id, column: 't' }),
  (id) => ({ kind: 'aggregate', id, fn: 'SUM', column: 'n' }),
  (id) => ({ kind: 'aggregate', id, fn: 'MIN', column: 'n' }),
  (id) => ({ kind: 'aggregate', id, fn: 'MAX', column: 't' }),
  (id) => ({ kind: 'aggregate', id, fn: 'COUNT', column: null, filter: written('CAST(t AS INTEGER) > 3') }),
  (id) => ({ kind: 'select', id, select: written('SELECT count(*) FROM asset a JOIN asset b USING (n)') }),
]

let files = 0
async function parquet(given: readonly Row[]): Promise<DatasetLocator> {
  files += 1
  const file = path.join(folder, `rows-${files}.parquet`)
  const values = given.map(
    ({ n, t, d }) =>
      `(${n ?? 'NULL'}, ${t === null ? 'NULL' : textLiteral(t)}, ${d === null ? 'NULL' : `CAST('${Object.is(d, -0) ? '-0' : d}' AS DOUBLE)`})`,
  )
  const instance = await DuckDBInstance.create(':memory:')
  const connection = await instance.connect()
  await connection.run('CREATE TABLE t (n BIGINT, t VARCHAR, d DOUBLE)')
  if (values.length > 0) await connection.run(`INSERT INTO t VALUES ${values.join(', ')}`)
  await connection.run(`COPY t TO '${file}' (FORMAT parquet)`)
  connection.closeSync()
  instance.closeSync()
  return {
    kind: 'files',
    root: folder,
    pattern: file,
    format: 'PARQUET',
    partitioned: false,
    columns: [],
    fingerprint: '',
  }
}

let runs = 0
/** Runs in this process: these properties are about results, not about processes. */
async function run(plan: MeasurePlan): Promise<Measured> {
  runs += 1
  const [tempFolder, outputFolder] = ['temp', 'out'].map((name) => path.join(folder, `${name}-${runs}`))
  if (!tempFolder || !outputFolder) throw new Error('There are two names.')
  await mkdir(tempFolder)
  await mkdir(outputFolder)
  const instance = await openDatabase()
  const context = {
    instance,
    limits: { memoryMb: 500, threads: 2, maxTempMb: 1000 },
    tempFolder,
    guard: openGuard,
    brokers: null,
    stores: noStores,
    signal: new AbortController().signal,
    progress: () => undefined,
    startedAt: 0,
    startedTick: 0,
    onConnection: () => undefined,
  }
  const measured = await measure(context, plan, outputFolder)
  instance.closeSync()
  return measured
}

const filters = fc.constantFrom(undefined, 'n IS NOT NULL', "t <> 'a'", 'n > 1000')

/** Parquet files in `year=` folders that also have a column of that name with other values. */
async function partitioned(): Promise<DatasetLocator> {
  const root = path.join(folder, 'partitioned')
  const instance = await DuckDBInstance.create(':memory:')
  const connection = await instance.connect()
  for (const [year, values] of [
    [2024, '(1, 1999), (2, NULL)'],
    [2025, '(3, 1998)'],
  ] as const) {
    await mkdir(path.join(root, `year=${year}`), { recursive: true })
    const file = path.join(root, `year=${year}`, 'p.parquet')
    await connection.run(`COPY (SELECT * FROM (VALUES ${values}) t(id, year)) TO '${file}' (FORMAT parquet)`)
  }
  connection.closeSync()
  instance.closeSync()
  const found: DatasetLocator[] = []
  const fixture = await openFixture()
  for (const table of await fixture.tables({ sourceType: 'FILE', path: root })) found.push(table.locator)
  await fixture.close()
  const [locator] = found
  if (!locator || found.length > 1) throw new Error('There is one table.')
  return locator
}

describe('properties of a measuring run', () => {
  it('a column in folder names and in files has the value of the folder names, in footers and in scans', async () => {
    const metrics: Metric[] = [
      { kind: 'aggregate', id: 1, fn: 'MIN', column: 'year' },
      { kind: 'aggregate', id: 2, fn: 'MAX', column: 'year' },
      { kind: 'aggregate', id: 3, fn: 'COUNT', column: 'year' },
      rows(4, { kind: 'missing', column: 'year', blankToo: false }),
      { kind: 'distinct', id: 5, column: 'year' },
      rows(6, { kind: 'duplicate', columns: ['year'] }),
      { kind: 'aggregate', id: 7, fn: 'MAX', column: 'id' },
    ]
    const measured = await run(planFor(await partitioned(), metrics))
    expect(measured.metrics).toEqual([
      { id: 1, kind: 'value', value: '2024', scanned: 3 },
      { id: 2, kind: 'value', value: '2025', scanned: 3 },
      { id: 3, kind: 'value', value: '3', scanned: 3 },
      { id: 4, kind: 'rows', scanned: 3, failed: 0 },
      { id: 5, kind: 'rows', scanned: 3, failed: 1 },
      { id: 6, kind: 'rows', scanned: 3, failed: 2 },
      { id: 7, kind: 'value', value: '3', scanned: 3 },
    ])
  })

  it('a metric has the same result alone and in any plan', async () => {
    const chosen = fc.uniqueArray(fc.integer({ min: 0, max: metricPool.length - 1 }), { minLength: 1, maxLength: 8 })
    await fc.assert(
      fc.asyncProperty(
        fc.array(row, { maxLength: 25 }),
        chosen,
        filters,
        fc.boolean(),
        async (given, indexes, filter, keep) => {
          const dataset = await parquet(given)
          const metrics = indexes.flatMap((at, index) => metricPool[at]?.(index + 1) ?? [])
          const more = filter === undefined ? {} : { filter: written(filter) }
          const bad = keep ? ({ format: 'PARQUET', limit: null } as const) : null
          const together = await run(planFor(dataset, metrics, { ...more, rows: { bad, good: null, preview: 5 } }))
          for (const [index, metric] of metrics.entries()) {
            const alone = await run(planFor(dataset, [metric], more))
            const [left, right] = [together.metrics[index], alone.metrics[0]]
            if (left?.kind === 'error' && right?.kind === 'error') continue
            expect(left).toEqual(right)
          }
        },
      ),
      { numRuns: 4 },
    )
  })

  it('passed and failed rows add up to the scanned rows, and so do good and bad rows; bad rows have the ids of failed metrics', async () => {
    const chosen = fc.uniqueArray(fc.integer({ min: 0, max: metricPool.length - 1 }), { maxLength: 8 })
    const limits = fc.option(fc.integer({ min: 0, max: 6 }))
    await fc.assert(
      fc.asyncProperty(
        fc.array(row, { maxLength: 25 }),
        chosen,
        filters,
        limits,
        limits,
        async (given, indexes, filter, badLimit, goodLimit) => {
          const metrics = indexes.flatMap((at, index) => metricPool[at]?.(index + 1) ?? [])
          const keep = {
            bad: { format: 'PARQUET', limit: badLimit },
            good: { format: 'PARQUET', limit: goodLimit },
            preview: 100,
          } as const
          const more = filter === undefined ? {} : { filter: written(filter) }
          const measured = await run(planFor(await parquet(given), metrics, { ...more, rows: keep }))
          expect((measured.bad?.count ?? 0) + (measured.good?.count ?? 0)).toBe(measured.rowsScanned)
          for (const metric of measured.metrics) {
            if (metric.kind !== 'rows') continue
            expect(metric.failed).toBeGreaterThanOrEqual(0)
            expect(metric.failed).toBeLessThanOrEqual(metric.scanned)
            expect(metric.scanned).toBeLessThanOrEqual(measured.rowsScanned)
            if (badLimit !== null || metrics.find(({ id }) => id === metric.id)?.kind !== 'rows') continue
            const naming = measured.bad?.preview.filter((kept) => kept.ruleItemIds.includes(metric.id)).length
            expect(naming).toBe(metric.failed)
          }
        },
      ),
      { numRuns: 5 },
    )
  })
})
