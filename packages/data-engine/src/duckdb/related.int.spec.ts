import { mkdir, mkdtemp, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { DatasetLocator } from '../dataset.ts'
import type { MeasurePlan, Metric, Variable, Window } from '../plan.ts'
import type { DataEngine, Measured } from '../port.ts'
import { rowsInto } from '../row-sink.ts'
import { createEngineInProcess } from '../testing/engine-in-process.ts'
import { onlyTable, planFor, resultOf, rows } from '../testing/plans.ts'

const count: Metric = { kind: 'aggregate', id: 1, fn: 'COUNT', column: null }
const { signal } = new AbortController()

describe('windows, lookups, other tables and variables', () => {
  let folder: string
  let engine: DataEngine
  let orders: DatasetLocator

  const table = async (file: string, text: string) => {
    const target = path.join(folder, 'data', file)
    await writeFile(target, text)
    return onlyTable(engine, { sourceType: 'FILE', path: target })
  }
  const measure = async (plan: MeasurePlan): Promise<Measured> =>
    engine.measure(plan, { rows: rowsInto(await mkdtemp(path.join(folder, 'out-'))), signal })
  const windowed = async (dataset: DatasetLocator, window: Window) => {
    const { rowsScanned, reached } = await measure({ ...planFor(dataset, [count]), window })
    return { rowsScanned, reached }
  }

  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'assay-related-'))
    await mkdir(path.join(folder, 'data'))
    engine = createEngineInProcess({ tempRoot: path.join(folder, 'temp') })
    orders = await table(
      'orders.csv',
      'id,made,country,amount\n1,2024-01-01 10:00:00,DE,1.5\n2,2024-01-02 23:30:00,FR,2\n3,2024-01-03 00:00:00,XX,3\n,2024-01-04 00:00:00,,4\n',
    )
  })
  afterAll(async () => {
    await engine.close()
    await rm(folder, { recursive: true, force: true })
  })

  it('given a followed window on numbers, then rows above the mark are read, NULL is not, and the highest value is returned', async () => {
    const from = (min: string | undefined, inclusive: boolean): Window => ({
      kind: 'column',
      column: 'id',
      ...(min === undefined ? {} : { min: { kind: 'number', text: min } }),
      inclusive,
      follow: true,
    })
    expect(await windowed(orders, from(undefined, true))).toEqual({ rowsScanned: 3, reached: '3' })
    expect(await windowed(orders, from('2', true))).toEqual({ rowsScanned: 2, reached: '3' })
    expect(await windowed(orders, from('2', false))).toEqual({ rowsScanned: 1, reached: '3' })
    expect(await windowed(orders, from('3', false))).toEqual({ rowsScanned: 0, reached: null })
  })

  it('given bounds on times, then both are inclusive, and a date as the upper bound includes its whole day', async () => {
    const window: Window = {
      kind: 'column',
      column: 'made',
      min: { kind: 'time', text: '2024-01-01T10:00:00Z' },
      max: { kind: 'date', text: '2024-01-02' },
      inclusive: true,
      follow: true,
    }
    expect(await windowed(orders, window)).toEqual({ rowsScanned: 2, reached: '2024-01-02T23:30:00Z' })
  })

  it('given files that changed at different times, then only files within the window are read', async () => {
    const parts = path.join(folder, 'parts')
    await mkdir(parts)
    for (const [name, time] of [
      ['part-1', '2024-01-01T00:00:00Z'],
      ['part-2', '2024-02-01T00:00:00Z'],
    ] as const) {
      const file = path.join(parts, `${name}.csv`)
      await writeFile(file, 'a\n1\n2\n')
      await utimes(file, new Date(time), new Date(time))
    }
    const dataset = await onlyTable(engine, { sourceType: 'FILE', path: path.join(parts, 'part-*.csv') })
    const after = (min: string): Window => ({ kind: 'files', min, inclusive: false, follow: true })
    const all: Window = { kind: 'files', inclusive: true, follow: true }
    expect(await windowed(dataset, all)).toEqual({ rowsScanned: 4, reached: '2024-02-01T00:00:00.000Z' })
    expect(await windowed(dataset, after('2024-01-01T00:00:00Z'))).toEqual({
      rowsScanned: 2,
      reached: '2024-02-01T00:00:00.000Z',
    })
    expect(await windowed(dataset, after('2024-02-01T00:00:00.000Z'))).toEqual({ rowsScanned: 0, reached: null })

    const empty = path.join(parts, 'part-3.csv')
    await writeFile(empty, '')
    await utimes(empty, new Date('2024-03-01T00:00:00Z'), new Date('2024-03-01T00:00:00Z'))
    for (const [from, rowsScanned] of [
      ['2024-01-01T00:00:00Z', 2],
      ['2024-02-01T00:00:00Z', 0],
    ] as const)
      expect(await windowed(dataset, after(from))).toEqual({ rowsScanned, reached: '2024-03-01T00:00:00.000Z' })
  })

  it('given a lookup, then values that it does not contain fail and NULL passes, for any two types', async () => {
    const dataset = await table('lookup.csv', 'code,number,text\nDE,1.0,a1\nFR,3,3.00\n,,\n')
    const within = (id: number, column: string, other: string): Metric =>
      rows(id, { kind: 'in-lookup', column, lookup: { dataset, column: other } })
    const gone = { ...dataset, pattern: path.join(folder, 'data', 'gone.csv') } as DatasetLocator
    const measured = await measure(
      planFor(orders, [
        within(1, 'country', 'code'),
        within(2, 'id', 'number'),
        within(3, 'id', 'text'),
        within(4, 'id', 'nothing'),
        rows(5, { kind: 'in-lookup', column: 'id', lookup: { dataset: gone, column: 'code' } }),
      ]),
    )
    expect(resultOf(measured, 1)).toMatchObject({ scanned: 4, failed: 1 })
    expect(resultOf(measured, 2)).toMatchObject({ scanned: 4, failed: 1 })
    expect(resultOf(measured, 3)).toMatchObject({ scanned: 4, failed: 2 })
    expect(resultOf(measured, 4)).toMatchObject({ kind: 'error', message: expect.stringContaining('"nothing"') })
    expect(resultOf(measured, 5)).toMatchObject({ kind: 'error', message: expect.stringContaining('crawl the source') })
  })

  it('given values for a lookup in another source, then they are listed once, or the reason says that there are too many', async () => {
    const engine = createEngineInProcess()
    const listed = await table('listed.csv', 'code,number,day\nDE,1.0,2024-01-31\nDE,3,\n,,\n')
    const list = (dataset: DatasetLocator, column: string) => engine.listValues({ dataset, column }, { signal })
    expect(await list(listed, 'code')).toEqual({ dataType: 'VARCHAR', values: ['DE'] })
    expect(await list(listed, 'DAY')).toEqual({ dataType: 'DATE', values: ['2024-01-31'] })
    await expect(list(listed, 'gone')).rejects.toMatchObject({ code: 'invalid' })
    const many = await table('many.csv', `code\n${Array.from({ length: 100_001 }, (_, index) => index).join('\n')}\n`)
    await expect(list(many, 'code')).rejects.toMatchObject({
      ...{ code: 'too-large', message: expect.stringContaining('more than 100000 different values') },
    })
    await engine.close()
  })

  it('given another table with a quoted name, then a SELECT can join it with asset', async () => {
    const countries = await table('countries.csv', 'code\nDE\nFR\n')
    const sql = 'SELECT count(*) FROM asset JOIN "countries.csv" c ON asset.country = c.code'
    const plan = planFor(orders, [
      {
        kind: 'select',
        id: 1,
        select: { sql, variables: {} },
        tables: [{ name: 'countries.csv', dataset: countries }],
      },
      { kind: 'select', id: 2, select: { sql: 'SELECT count(*) FROM "elsewhere.csv"', variables: {} } },
      {
        kind: 'select',
        id: 3,
        select: { sql: sql.replace('c.code', 'c.cdoe'), variables: {} },
        tables: [{ name: 'countries.csv', dataset: countries }],
      },
    ])
    const measured = await measure(plan)
    expect(resultOf(measured, 1)).toMatchObject({ value: '2' })
    expect(resultOf(measured, 2)).toMatchObject({ kind: 'error' })
    const misspelt = 'There is no column "cdoe"; did you mean "code"? (character 70)'
    expect(resultOf(measured, 3)).toMatchObject({ kind: 'error', message: misspelt })
  })

  it.each<[string, string, Record<string, Variable>, number]>([
    ['a number by its text', 'amount <= ${x}', { x: { text: '2' } }, 2],
    ['a fraction by its text', 'amount = ${x}', { x: { text: '1.5' } }, 3],
    [
      'text unchanged',
      "country = ${x} OR country IS NULL AND ${y:text} = '007'",
      { x: { text: "D'E" }, y: { text: '007' } },
      3,
    ],
    ['text of a number, forced', "${x:text} = '1.50'", { x: { text: '1.50' } }, 0],
    ['true', '${x}', { x: { text: 'true' } }, 0],
    ['text that tries to leave the expression', 'country = ${x}', { x: { text: "DE') OR (1=1" } }, 4],
    ['an integer beyond 2^53', '${x} = 9007199254740993', { x: { text: '9007199254740993' } }, 0],
    ['a column', '${c} > 1', { c: { column: 'amount' } }, 0],
    ['a column with a strange name', '${c} > 1', { c: { column: 'amount" > 0 OR "id' } }, -1],
  ])('given a variable that is %s, then it is bound', async (_name, sql, variables, failed) => {
    const measured = await measure(planFor(orders, [rows(1, { kind: 'expression', expression: { sql, variables } })]))
    expect(resultOf(measured, 1)).toMatchObject(failed < 0 ? { kind: 'error' } : { failed })
  })
})
