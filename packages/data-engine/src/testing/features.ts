import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { DatasetLocator } from '../dataset.ts'
import { maxPeriods } from '../periods.ts'
import type { Metric } from '../plan.ts'
import type { DataEngine, MeasuringEngine, Progress } from '../port.ts'
import { noRows, rowsInto } from '../row-sink.ts'
import { type ContentSketch, noContent } from '../states/content-sketch.ts'
import { formatType } from '../types/format-type.ts'
import { parseType } from '../types/parse-type.ts'
import { notedStatements } from './noted-statements.ts'
import { expression, onlyTable, planFor, resultOf, rows, written } from './plans.ts'

const orders = `id,email,amount,made,code
1,a@b.c,10.5,2024-01-01 10:00:00,x
2,bad,,2024-01-02 10:00:00,=cmd()
2,c@d.e,99.25,1969-12-31 23:59:59,y
,f@g.h,-1,,y
9007199254740993,,0,2024-03-01 00:00:00,""
`

const checks = `n,d,x,t,day,made,yes,stamp,empty
1,0.1,nan,10,2024-01-01,2024-01-01 00:00:00,true,2024-03-01T10:00:00+02:00,
2,0.11,1.5,1e3,2024-02-29,2024-01-31 23:59:59.999999,false,soon,
-3,-5,-2,abc,2023-12-31,2024-02-01 00:00:00,true,2024-02-30,
9007199254740993,99999999.99,inf,2024-02-30,,,false,,
,,,,,,,,
`
const checkTypes = {
  ...{ n: 'BIGINT', d: 'DOUBLE', x: 'DOUBLE', t: 'VARCHAR', day: 'DATE', made: 'TIMESTAMP' },
  ...{ yes: 'BOOLEAN', stamp: 'VARCHAR', empty: 'BIGINT' },
}

/** An engine that measures, with data that the suite creates for it. */
export interface EngineSubject {
  engine: MeasuringEngine
  /** Creates a table from this CSV text. `types`: DuckDB's names of the types, by column. */
  table(name: string, text: string, types: Readonly<Record<string, string>>): Promise<DatasetLocator>
  /** Whether it can store rows. */
  keepsRows: boolean
  /** Whether its floats have NaN and infinities. If `false`, its tables have NULL instead of them. Default: true. */
  hasNan?: boolean
  /** Removes a table. */
  drop(name: string): Promise<void>
  stop(): Promise<void>
}

const orderTypes = { id: 'BIGINT', email: 'VARCHAR', amount: 'DOUBLE', made: 'TIMESTAMP', code: 'VARCHAR' }

/** The guarantees of every measuring engine, tested with one adapter. */
export function measuringFeatures(name: string, make: () => Promise<EngineSubject>): void {
  describe(`measuring engine: ${name}`, () => {
    let subject: EngineSubject
    let engine: MeasuringEngine
    let dataset: DatasetLocator
    const { signal } = new AbortController()

    beforeAll(async () => {
      subject = await make()
      engine = subject.engine
      dataset = await subject.table('orders', orders, orderTypes)
    })
    afterAll(() => subject.stop())

    it('given metrics of all kinds, when measured, then every result is exact, in order', async () => {
      const plan = planFor(dataset, [
        rows(1, { kind: 'missing', column: 'amount', blankToo: false }),
        rows(2, { kind: 'regex', column: 'email', pattern: '[^@]+@[^@]+', partial: false }),
        rows(3, { kind: 'duplicate', columns: ['id'] }),
        rows(4, { kind: 'duplicate', columns: null }),
        rows(5, { kind: 'missing', column: 'code', blankToo: true }),
        expression(6, 'amount >= ${least}', { least: 0 }),
        { kind: 'distinct', id: 7, column: 'id' },
        { kind: 'aggregate', id: 8, fn: 'COUNT', column: null },
        { kind: 'aggregate', id: 9, fn: 'COUNT', column: 'amount' },
        { kind: 'aggregate', id: 10, fn: 'MAX', column: 'id' },
        { kind: 'aggregate', id: 11, fn: 'MIN', column: 'made' },
        { kind: 'aggregate-expression', id: 12, fn: 'SUM', expression: written('id % 10') },
        { kind: 'newest', id: 13, column: 'made' },
      ])
      const measured = await engine.measure(plan, { rows: noRows, signal })
      expect(measured.rowsScanned).toBe(5)
      expect(measured.metrics).toEqual([
        { id: 1, kind: 'rows', scanned: 5, failed: 1 },
        { id: 2, kind: 'rows', scanned: 5, failed: 1 },
        { id: 3, kind: 'rows', scanned: 5, failed: 2 },
        { id: 4, kind: 'rows', scanned: 5, failed: 0 },
        { id: 5, kind: 'rows', scanned: 5, failed: 1 },
        { id: 6, kind: 'rows', scanned: 5, failed: 2 },
        { id: 7, kind: 'rows', scanned: 4, failed: 1 },
        { id: 8, kind: 'value', value: '5', scanned: 5 },
        { id: 9, kind: 'value', value: '4', scanned: 5 },
        { id: 10, kind: 'value', value: '9007199254740993', scanned: 5 },
        { id: 11, kind: 'value', value: '1969-12-31T23:59:59', scanned: 5 },
        { id: 12, kind: 'value', value: '8', scanned: 5 },
        { id: 13, kind: 'value', value: '2024-03-01T00:00:00Z', scanned: 5 },
      ])
    })

    it('given texts of several bytes per character, when lengths are measured, then characters count', async () => {
      const measured = await subject.table('measured', 'word\nü\na日\n', { word: 'VARCHAR' })
      const ofLengths = { kind: 'aggregate', column: 'word', ofLengths: true } as const
      const plan = planFor(measured, [
        { id: 1, fn: 'MIN', ...ofLengths },
        { id: 2, fn: 'MAX', ...ofLengths },
        { id: 3, fn: 'SUM', ...ofLengths },
      ])
      const { metrics } = await engine.measure(plan, { rows: noRows, signal })
      expect(metrics.map((found) => found.kind === 'value' && Number(found.value))).toEqual([1, 2, 3])
    })

    it('given a statement of another engine is left, when measured, then the result is the same', async () => {
      const { statements } = notedStatements([{ digest: 'of another', reference: 'https://db.example/1' }])
      const plan = planFor(dataset, [rows(1, { kind: 'missing', column: 'amount', blankToo: false })])
      const { metrics } = await engine.measure(plan, { rows: noRows, signal, statements })
      expect(metrics).toEqual([{ id: 1, kind: 'rows', scanned: 5, failed: 1 }])
    })

    it('given checks of every kind of column, when measured, then each fails the expected rows', async () => {
      const checked = await subject.table('checked', checks, checkTypes)
      const range = (id: number, column: string, bounds: object) =>
        rows(id, { kind: 'range', column, inclusive: true, ...bounds })
      const number = (text: string) => ({ kind: 'number', text }) as const
      const metrics = [
        range(1, 'n', { min: number('0') }),
        range(2, 'n', { max: number('9007199254740992') }),
        range(3, 'd', { min: number('0.1'), max: number('0.105') }),
        range(4, 'x', { min: number('0') }),
        range(5, 't', { min: number('11') }),
        range(6, 'day', { max: { kind: 'date', text: '2024-01-01' } }),
        range(7, 'made', { max: { kind: 'date', text: '2024-01-31' } }),
        range(8, 'made', { min: { kind: 'time', text: '2024-01-01T00:00:00Z' }, inclusive: false }),
        range(9, 't', { max: { kind: 'text', text: 'a' } }),
        rows(10, { kind: 'in-list', column: 't', values: ['abc', 1000], negate: false }),
        rows(11, { kind: 'in-list', column: 'n', values: [1, '2', 'x'], negate: false }),
        rows(12, { kind: 'in-list', column: 'yes', values: ['TRUE'], negate: false }),
        rows(13, { kind: 'in-list', column: 'day', values: ['2024-01-01', '2024-02-30'], negate: true }),
        rows(14, { kind: 'in-list', column: 'x', values: ['NaN', 1.5], negate: false }),
        rows(15, { kind: 'text-length', column: 't', min: 3, max: 3 }),
        rows(16, { kind: 'datatype', column: 't', dataType: 'INTEGER' }),
        rows(17, { kind: 'datatype', column: 't', dataType: 'DATE' }),
        rows(18, { kind: 'datatype', column: 'x', dataType: 'INTEGER' }),
        rows(19, { kind: 'datatype', column: 't', dataType: 'DECIMAL(4,0)' }),
        rows(20, { kind: 'precision-scale', column: 'd', precision: 4, scale: 1 }),
        rows(21, { kind: 'precision-scale', column: 'n', precision: 3, scale: 0 }),
        rows(22, { kind: 'regex', column: 't', pattern: '^[0-9]+$', partial: true }),
        rows(23, { kind: 'missing', column: 't', blankToo: true }),
        rows(24, { kind: 'duplicate', columns: ['yes', 'empty'] }),
      ]
      const measured = await engine.measure(planFor(checked, metrics), { rows: noRows, signal })
      const failed = measured.metrics.map((metric) => [metric.id, metric.kind === 'rows' ? metric.failed : metric])
      const ofFloats = subject.hasNan === false ? { 4: 1, 14: 1, 18: 1 } : { 4: 2, 14: 2, 18: 3 }
      const expected = [
        1,
        1,
        3,
        ofFloats[4],
        3,
        1,
        1,
        1,
        1,
        2,
        2,
        2,
        1,
        ofFloats[14],
        2,
        3,
        4,
        ofFloats[18],
        2,
        2,
        1,
        3,
        1,
        4,
      ]
      expect(failed).toEqual(expected.map((count, index) => [index + 1, count]))
    })

    it('given aggregates of every kind of column, when measured, then each is exact', async () => {
      const checked = await subject.table('checked', checks, checkTypes)
      const aggregate = (id: number, fn: 'SUM' | 'AVG' | 'MIN' | 'MAX' | 'COUNT', column: string) =>
        ({ kind: 'aggregate', id, fn, column }) as const
      const metrics = [
        aggregate(1, 'SUM', 'n'),
        aggregate(2, 'MIN', 't'),
        aggregate(3, 'MAX', 't'),
        aggregate(4, 'MAX', 'made'),
        aggregate(5, 'MIN', 'day'),
        aggregate(6, 'AVG', 'd'),
        { ...aggregate(7, 'SUM', 'n'), filter: written('n = 5') },
        aggregate(8, 'MAX', 'x'),
        { kind: 'newest', id: 9, column: 'day' } as const,
        { kind: 'newest', id: 10, column: 'stamp' } as const,
        { kind: 'distinct', id: 11, column: 'yes' } as const,
        { kind: 'aggregate', id: 12, fn: 'COUNT', column: null, filter: written('yes') } as const,
      ]
      const { metrics: found } = await engine.measure(planFor(checked, metrics), { rows: noRows, signal })
      const values = found.map((metric) => (metric.kind === 'value' ? metric.value : metric))
      expect(values).toEqual([
        '9007199254740993',
        '10',
        'abc',
        '2024-02-01T00:00:00',
        '2023-12-31',
        '24999998.799999997',
        null,
        subject.hasNan === false ? '1.5' : 'NaN',
        '2024-02-29T00:00:00Z',
        '2024-03-01T08:00:00Z',
        { id: 11, kind: 'rows', scanned: 4, failed: 2 },
        '2',
      ])
    })

    it("given filters, when measured, then the plan's filter applies to all and a metric's filter to that metric", async () => {
      const plan = planFor(
        dataset,
        [
          rows(1, { kind: 'missing', column: 'id', blankToo: false }, 'amount < 0'),
          rows(2, { kind: 'duplicate', columns: ['id'] }, "code = 'y'"),
          { kind: 'aggregate', id: 3, fn: 'SUM', column: 'amount' },
          { kind: 'distinct', id: 5, column: 'code' },
        ],
        { filter: written('code <> ${code} AND amount IS NOT NULL', { code: '' }) },
      )
      const measured = await engine.measure(plan, { rows: noRows, signal })
      expect(measured.rowsScanned).toBe(3)
      expect(measured.metrics).toEqual([
        { id: 1, kind: 'rows', scanned: 1, failed: 1 },
        { id: 2, kind: 'rows', scanned: 2, failed: 0 },
        { id: 3, kind: 'value', value: '108.75', scanned: 3 },
        { id: 5, kind: 'rows', scanned: 3, failed: 1 },
      ])
    })

    it('given metrics that cannot be evaluated, when measured, then they have errors and the other metrics have results', async () => {
      const plan = planFor(dataset, [
        rows(1, { kind: 'missing', column: 'amount', blankToo: false }),
        rows(2, { kind: 'missing', column: 'nope', blankToo: false }),
        expression(3, 'CAST(code AS INTEGER) > 1'),
        expression(4, 'error(code) IS NULL'),
        expression(5, 'amount > '),
        rows(6, { kind: 'regex', column: 'email', pattern: '(', partial: false }),
        { kind: 'aggregate', id: 7, fn: 'SUM', column: 'code' },
        { kind: 'select', id: 8, select: written('SELECT 1, 2') },
        { kind: 'select', id: 9, select: written('SELECT id FROM asset') },
        expression(10, 'amount'),
        { kind: 'aggregate', id: 11, fn: 'COUNT', column: null },
        expression(12, '${unknown} > 1'),
      ])
      for (const bad of subject.keepsRows ? [null, { format: 'PARQUET', limit: null } as const] : [null]) {
        const kept = { ...plan, rows: { bad, good: null, preview: 10 } }
        const measured = await engine.measure(kept, { rows: async () => undefined, signal })
        expect(resultOf(measured, 1)).toEqual({ id: 1, kind: 'rows', scanned: 5, failed: 1 })
        expect(resultOf(measured, 11)).toEqual({ id: 11, kind: 'value', value: '5', scanned: 5 })
        const wrong = measured.metrics.filter((metric) => metric.kind === 'error').map((metric) => metric.id)
        expect(wrong).toEqual([2, 3, 4, 5, 6, 7, 8, 9, 10, 12])
      }
    })

    it('given a table without rows, when measured, then nothing is scanned and nothing fails', async () => {
      const empty = await subject.table('empty', 'a,b\n', { a: 'VARCHAR', b: 'VARCHAR' })
      const metrics = [
        rows(1, { kind: 'missing', column: 'a', blankToo: true }),
        { kind: 'aggregate', id: 2, fn: 'MAX', column: 'b' } as const,
      ]
      const measured = await engine.measure(planFor(empty, metrics), { rows: noRows, signal })
      expect(measured.metrics).toEqual([
        { id: 1, kind: 'rows', scanned: 0, failed: 0 },
        { id: 2, kind: 'value', value: null, scanned: 0 },
      ])
    })

    it('given rows over several days, when measured by period, then each period has its own figures, and other rows none', async () => {
      const daily = await subject.table(
        'daily',
        [
          'made,day,amount,code',
          '2024-01-01 00:00:00,2024-01-01,1,x',
          '2024-01-01 23:59:59.999999,2024-01-01,3,x',
          '2024-01-02 00:00:00,2024-01-02,,y',
          '2024-01-04 12:00:00,2024-01-04,10,z',
          '2024-01-05 00:00:00,2024-01-05,100,z',
          ',,1000,z',
          '2023-12-31 23:59:59,2023-12-31,1000,z',
        ].join('\n'),
        { made: 'TIMESTAMP', day: 'DATE', amount: 'BIGINT', code: 'VARCHAR' },
      )
      const metrics: Metric[] = [
        rows(1, { kind: 'missing', column: 'amount', blankToo: false }),
        { kind: 'aggregate', id: 2, fn: 'SUM', column: 'amount' },
        { kind: 'distinct', id: 3, column: 'code' },
        { kind: 'aggregate', id: 4, fn: 'COUNT', column: 'amount', filter: written("code <> 'z'") },
        rows(5, { kind: 'duplicate', columns: ['code'] }),
        expression(6, 'amount >= ${least}', { least: 2 }),
        { kind: 'aggregate', id: 7, fn: 'SUM', column: 'no such column' },
      ]
      const bounds = ['01', '02', '03', '04', '05'].map((day) => `2024-01-${day}T00:00:00`)
      for (const column of ['made', 'day']) {
        const time = [{ column, format: null }]
        const { periods, hasOlder } = await engine.measurePeriods({ dataset: daily, time, bounds, metrics }, { signal })
        expect(hasOlder).toBeUndefined()
        expect(periods.map((period) => period.rows)).toEqual([2, 1, 0, 1])
        const ofMetric = (id: number) => periods.map((period) => period.metrics.find((one) => one.id === id))
        expect(ofMetric(1)).toEqual([
          { id: 1, kind: 'rows', scanned: 2, failed: 0 },
          { id: 1, kind: 'rows', scanned: 1, failed: 1 },
          { id: 1, kind: 'rows', scanned: 0, failed: 0 },
          { id: 1, kind: 'rows', scanned: 1, failed: 0 },
        ])
        expect(ofMetric(2)).toMatchObject([{ value: '4' }, { value: null }, { value: null }, { value: '10' }])
        expect(ofMetric(3)).toMatchObject([
          { scanned: 2, failed: 1 },
          { scanned: 1, failed: 0 },
          { scanned: 0, failed: 0 },
          { scanned: 1, failed: 0 },
        ])
        expect(ofMetric(4)).toMatchObject([
          { value: '2', scanned: 2 },
          { value: '0', scanned: 1 },
          { value: '0', scanned: 0 },
          { value: '0', scanned: 0 },
        ])
        expect(ofMetric(6)).toMatchObject([{ failed: 1 }, { failed: 1 }, { failed: 0 }, { failed: 0 }])
        for (const id of [5, 7]) expect(ofMetric(id).every((one) => one?.kind === 'error')).toBe(true)
        const hasOlderThan = async (from: string, only: object = {}) => {
          const since = { dataset: daily, time, bounds: [from, '2024-02-01T00:00:00'], metrics: [], asksOlder: true }
          return (await engine.measurePeriods({ ...since, ...only }, { signal })).hasOlder
        }
        expect(await hasOlderThan('2023-12-31T00:00:00')).toBe(false)
        expect(await hasOlderThan('2024-01-01T00:00:00')).toBe(true)
        expect(await hasOlderThan('2024-01-01T00:00:00', { filter: written('amount < 1000') })).toBe(false)
      }
    })

    it('given dates and times as text, when measured by period, then a date begins in the zone and a time is in UTC', async () => {
      const texts = await subject.table(
        'texts',
        ['made', '2024-01-02', '2024-01-03', '2024-01-02 04:59:59', '2024-01-02 05:00:00', 'no time', ''].join('\n'),
        { made: 'VARCHAR' },
      )
      const time = [{ column: 'made', format: null }]
      const rowsIn = async (bounds: string[], timeZone?: string) => {
        const plan = { dataset: texts, time, bounds, metrics: [], ...(timeZone === undefined ? {} : { timeZone }) }
        return (await engine.measurePeriods(plan, { signal })).periods.map((period) => period.rows)
      }
      const inNewYork = ['01', '02', '03', '04'].map((day) => `2024-01-${day}T05:00:00`)
      expect(await rowsIn(inNewYork, 'America/New_York')).toEqual([1, 2, 1])
      const inUtc = ['02', '03', '04'].map((day) => `2024-01-${day}T00:00:00`)
      expect(await rowsIn(inUtc)).toEqual([3, 1])
    })

    it('given as many periods as possible and a filter, when measured by period, then each row is in its period', async () => {
      const start = Date.UTC(2024, 0, 1)
      const at = (day: number) => new Date(start + day * 86_400_000).toISOString().slice(0, 19)
      const lines = Array.from({ length: maxPeriods + 2 }, (_, day) => `${at(day - 1).replace('T', ' ')},${day - 1}`)
      const long = await subject.table('long', ['made,n', ...lines].join('\n'), { made: 'TIMESTAMP', n: 'BIGINT' })
      const bounds = Array.from({ length: maxPeriods + 1 }, (_, day) => at(day))
      const metrics: Metric[] = [{ kind: 'aggregate', id: 1, fn: 'MAX', column: 'n' }]
      const plan = { dataset: long, time: [{ column: 'made', format: null }], bounds, metrics }
      const { periods } = await engine.measurePeriods({ ...plan, filter: written('n <> 7') }, { signal })
      const found = periods.map(({ metrics: [one] }) => (one?.kind === 'value' ? one.value : undefined))
      expect(found).toEqual(bounds.slice(1).map((_, day) => (day === 7 ? null : String(day))))
      const tooMany = { ...plan, bounds: [...bounds, at(maxPeriods + 1)] }
      await expect(engine.measurePeriods(tooMany, { signal })).rejects.toMatchObject({ code: 'invalid' })
    })

    it('given a definition, when prepared, then errors are reported and nothing runs', async () => {
      const metrics = [
        expression(1, 'amount > 1'),
        expression(2, 'nope > 1'),
        { kind: 'select', id: 3, select: written('DROP TABLE asset') } as const,
      ]
      const stages: string[] = []
      const onProgress = ({ stage }: Progress) => stages.push(stage)
      const prepared = await engine.prepare({ dataset, filter: written('amount'), metrics }, { signal, onProgress })
      expect([...new Set(stages)]).toEqual(['READING', 'MEASURING'])
      expect(prepared.columns.map((column) => column.name)).toEqual(['id', 'email', 'amount', 'made', 'code'])
      expect(prepared.filterError).toEqual(expect.any(String))
      expect(prepared.metricErrors.map((error) => error.id)).toEqual([2, 3])
    })

    it.each(['id - 5', "'yes'", 'code'])(
      'given %s instead of a condition, when prepared, then it is refused with a message',
      async (sql) => {
        const metrics = [
          expression(1, sql),
          expression(2, 'amount > 1'),
          rows(3, { kind: 'missing', column: 'id', blankToo: false }, sql),
          { kind: 'aggregate', id: 4, fn: 'COUNT', column: null, filter: written(sql) } as const,
        ]
        const prepared = await engine.prepare({ dataset, filter: written(sql), metrics }, { signal })
        expect(prepared.metricErrors.map((error) => error.id)).toEqual([1, 3, 4])
        for (const message of [prepared.filterError, ...prepared.metricErrors.map((error) => error.message)])
          expect(message).toMatch(/^The expression must be true or false, but is [A-Z]+\.$/)
        const measured = await engine.measure(planFor(dataset, metrics), { rows: noRows, signal })
        expect(measured.metrics.map((metric) => metric.kind)).toEqual(['error', 'rows', 'error', 'error'])
      },
    )

    it('given an invalid filter, when measured, then the run is refused', async () => {
      const plan = planFor(dataset, [], { filter: written('1=1) OR (1=1') })
      await expect(engine.measure(plan, { rows: noRows, signal })).rejects.toMatchObject({
        code: 'invalid',
      })
    })

    it('given a table, when described, then it has its columns in order, with sketches of their values', async () => {
      const { columns } = await engine.describe({ dataset }, { signal })
      const types = columns.map(({ name, dataType }) => [name, formatType(parseType(dataType))])
      expect(types).toEqual(Object.entries(orderTypes))
      expect(columns.map(({ nullable }) => nullable)).toEqual([true, true, true, true, true])
      const content = Object.fromEntries(columns.map((column) => [column.name, column.content]))
      const counts = ({ values, hashes }: ContentSketch) => [values, hashes.map(({ count }) => count).sort()]
      expect(counts(content.id ?? noContent)).toEqual([4, [1, 1, 2]])
      const { columns: again } = await engine.describe({ dataset }, { signal, purpose: 'check' })
      expect(again).toEqual(columns)
    })

    it('given a sample, then values are exact in JSON', async () => {
      const { rows: read, fields } = await engine.sample({ dataset, limit: 100 }, { signal })
      expect(fields.map((field) => field.name)).toEqual(['id', 'email', 'amount', 'made', 'code'])
      expect(read[4]).toEqual({ id: '9007199254740993', email: null, amount: 0, made: '2024-03-01T00:00:00', code: '' })
    })

    it('given a sample with a filter, then it has only matching rows', async () => {
      const filtered = (sql: string, limit = 100) => engine.sample({ dataset, limit, filter: written(sql) }, { signal })
      const ids = async (sql: string, limit?: number) => (await filtered(sql, limit)).rows.map(({ id }) => id)
      const { rows: all } = await engine.sample({ dataset, limit: 100 }, { signal })
      const expected = all.filter(({ email }) => email !== null).map(({ id }) => id)
      expect(await ids('email IS NOT NULL')).toEqual(expected)
      expect(await ids('email IS NOT NULL', 1)).toEqual(expected.slice(0, 1))
      expect(await ids('email <> email')).toEqual([])
      for (const bad of [
        'nothing = 1',
        'id',
        'true) OR (true',
        'true; DROP TABLE x',
        'email = (SELECT content FROM read_text($' + '{path}))',
        "error('no')",
      ])
        await expect(filtered(bad), bad).rejects.toMatchObject({
          code: 'invalid',
          message: expect.stringMatching(/^filter: /),
        })
    })

    it('given a missing source, when measured, then it fails with unprocessable and the reason', async () => {
      const gone = await subject.table('gone', 'a\n1\n', { a: 'BIGINT' })
      await subject.drop('gone')
      const plan = planFor(gone, [])
      await expect(engine.measure(plan, { rows: noRows, signal })).rejects.toMatchObject({
        code: 'unprocessable',
      })
      await expect(engine.describe({ dataset: gone }, { signal })).rejects.toMatchObject({ code: 'unprocessable' })
    })
  })
}

/**
 * The guarantees of an engine over files, beyond measuring. `make` creates an engine for one test; it must be able to
 * read files that the suite writes.
 */
export function dataEngineFeatures(name: string, make: (tempFolder: string) => Promise<DataEngine>): void {
  describe(`data engine: ${name}`, () => {
    let folder: string
    let engine: DataEngine
    let dataset: DatasetLocator
    const { signal } = new AbortController()
    const newFolder = () => mkdtemp(path.join(folder, 'out-'))
    const table = async (file: string, text: string) => {
      const target = path.join(folder, 'data', file)
      await writeFile(target, text)
      return onlyTable(engine, { sourceType: 'FILE', path: target })
    }

    beforeAll(async () => {
      folder = await mkdtemp(path.join(tmpdir(), 'assay-engine-'))
      await mkdir(path.join(folder, 'data'))
      engine = await make(path.join(folder, 'temp'))
      dataset = await table('orders.csv', orders)
    })
    afterAll(async () => {
      await engine.close()
      await rm(folder, { recursive: true, force: true })
    })

    it("given users' SELECTs and filters, when measured, then the result lists the columns and tables that each reads", async () => {
      const plan = planFor(
        dataset,
        [
          rows(1, { kind: 'missing', column: 'id', blankToo: false }, 'amount < 0'),
          rows(2, { kind: 'duplicate', columns: ['id'] }, "code = 'y'"),
          { kind: 'select', id: 4, select: written('SELECT count(DISTINCT code) FROM asset;') },
        ],
        { filter: written('code <> ${code} AND amount IS NOT NULL', { code: '' }) },
      )
      const measured = await engine.measure(plan, { rows: noRows, signal })
      expect(resultOf(measured, 4)).toEqual({ id: 4, kind: 'value', value: '2', scanned: 3 })
      const touched = (columns: string[], tables: string[] = []) => ({ columns, fields: [], allColumns: false, tables })
      expect(measured.touched).toEqual([
        { metric: null, touched: touched(['code', 'amount']) },
        { metric: 1, touched: touched(['amount']) },
        { metric: 2, touched: touched(['code']) },
        { metric: 4, touched: touched(['code'], ['asset']) },
      ])
    })

    it.each(['PARQUET', 'CSV', 'JSON'] as const)(
      'given rows to store as %s, when measured, then bad and good rows together are all rows',
      async (format) => {
        const keep = { bad: { format, limit: null }, good: { format, limit: null }, preview: 2 }
        const metrics = [
          rows(1, { kind: 'duplicate', columns: ['id'] }),
          rows(2, { kind: 'missing', column: 'amount', blankToo: false }),
          rows(3, { kind: 'missing', column: 'made', blankToo: false }),
        ]
        const outputFolder = await newFolder()
        const measured = await engine.measure(planFor(dataset, metrics, { rows: keep, ignoreRowsOf: [3] }), {
          rows: rowsInto(outputFolder),
          signal,
        })
        expect(measured.metrics.map((metric) => metric.kind === 'rows' && metric.failed)).toEqual([2, 1, 1])
        const extension = format.toLowerCase()
        expect(measured.bad).toMatchObject({ count: 2, files: [`bad/part-0.${extension}`] })
        expect(measured.good).toMatchObject({ count: 3, files: [`good/part-0.${extension}`] })
        const byEmail = new Map(measured.bad?.preview.map((row) => [row.values.email, row]))
        expect(byEmail.get('bad')).toEqual({
          values: { id: 2, email: 'bad', amount: null, made: '2024-01-02T10:00:00', code: '=cmd()' },
          ruleItemIds: [1, 2],
        })
        expect(byEmail.get('c@d.e')?.ruleItemIds).toEqual([1])
        expect(measured.good?.preview).toHaveLength(2)
        const stored = await onlyTable(engine, {
          sourceType: 'FILE',
          path: path.join(outputFolder, `bad/part-0.${extension}`),
        })
        const { rows: read } = await engine.sample({ dataset: stored, limit: 10 }, { signal })
        expect(read.map((row) => row.code).sort()).toEqual(format === 'CSV' ? ["'=cmd()", 'y'] : ['=cmd()', 'y'])
        if (format === 'CSV')
          expect(await readFile(path.join(outputFolder, 'bad/part-0.csv'), 'utf8')).toContain("'=cmd()")
      },
    )

    it('given a limit, when rows are stored, then counts cover all rows and the file has only the limit', async () => {
      const keep = { bad: { format: 'JSON', limit: 1 }, good: { format: 'JSON', limit: 2 }, preview: 100 } as const
      const outputFolder = await newFolder()
      const metrics = [rows(1, { kind: 'duplicate', columns: ['id'] })]
      const measured = await engine.measure(planFor(dataset, metrics, { rows: keep }), {
        rows: rowsInto(outputFolder),
        signal,
      })
      expect([measured.bad?.count, measured.good?.count]).toEqual([2, 3])
      const lines = async (file: string) =>
        (await readFile(path.join(outputFolder, file), 'utf8')).trim().split('\n').length
      expect([await lines('bad/part-0.json'), await lines('good/part-0.json')]).toEqual([1, 2])
    })

    it('given rows to store as JSON, when measured, then each line is JSON without loss', async () => {
      const odd = await table(
        'odd.csv',
        'n,x,at,day,text,d\n9007199254740993,nan,2024-01-01 10:00:00,2024-01-01,"a ""b"" ü\n",12345678901234567.25\n1,1.5,,,,0.5\n',
      )
      const keep = { bad: { format: 'JSON', limit: null }, good: { format: 'JSON', limit: null }, preview: 5 } as const
      const metrics = [rows(1, { kind: 'missing', column: 'at', blankToo: false })]
      const outputFolder = await newFolder()
      const measured = await engine.measure(planFor(odd, metrics, { rows: keep }), {
        rows: rowsInto(outputFolder),
        signal,
      })
      const lines = async (file: string) => {
        const text = await readFile(path.join(outputFolder, file), 'utf8')
        return text
          .trim()
          .split('\n')
          .map((line): unknown => JSON.parse(line))
      }
      expect(await lines('good/part-0.json')).toEqual([
        {
          n: '9007199254740993',
          x: 'NaN',
          at: '2024-01-01T10:00:00',
          day: '2024-01-01',
          text: 'a "b" ü\n',
          d: '12345678901234567.25',
        },
      ])
      expect(await lines('good/part-0.json')).toEqual(measured.good?.preview.map((row) => row.values))
      expect(await lines('bad/part-0.json')).toEqual(
        measured.bad?.preview.map((row) => ({ ...row.values, __rule_item_ids: row.ruleItemIds })),
      )
    })

    it('given more checks than a number has bits and columns with reserved names, when bad rows are stored, then each has the ids of all failed checks and its values', async () => {
      const numbers = await table('numbers.csv', '__rule_item_ids,__rule_item_ids_source,n\na,x,1\nb,y,70\nc,z,200\n')
      const metrics = Array.from({ length: 130 }, (_, index) =>
        rows(index + 1, { kind: 'in-list', column: 'n', values: [index + 1], negate: true }),
      )
      const keep = { bad: { format: 'PARQUET', limit: null }, good: null, preview: 5 } as const
      const both = [...metrics, expression(131, 'n <> 70'), expression(132, 'n < 100')]
      const outputFolder = await newFolder()
      const measured = await engine.measure(planFor(numbers, both, { rows: keep }), {
        rows: rowsInto(outputFolder),
        signal,
      })
      const kept = measured.bad?.preview.map(({ values, ruleItemIds }) => ({
        row: [values.__rule_item_ids_source, values.__rule_item_ids_source_source],
        ruleItemIds,
      }))
      expect(kept).toHaveLength(3)
      expect(kept).toEqual(
        expect.arrayContaining([
          { row: ['a', 'x'], ruleItemIds: [1] },
          { row: ['b', 'y'], ruleItemIds: [70, 131] },
          { row: ['c', 'z'], ruleItemIds: [132] },
        ]),
      )
    })

    it('given two statements as a SELECT, when prepared, then the error asks for one SELECT', async () => {
      const metrics = [{ kind: 'select', id: 1, select: written('SELECT 1; SELECT 2') } as const]
      const prepared = await engine.prepare({ dataset, metrics }, { signal })
      expect(prepared.metricErrors).toEqual([{ id: 1, message: 'Write one SELECT only, without a semicolon.' }])
    })

    it('given an endless run, when aborted, then it rejects with the reason and the next run works', async () => {
      const endless = {
        kind: 'select',
        id: 1,
        select: written('SELECT sum(a.range * b.range) FROM range(10000000) a, range(10000000) b'),
      } as const
      const stop = new AbortController()
      const reason = new Error('changed my mind')
      const onProgress = ({ stage }: { stage: string }) => stage === 'MEASURING' && stop.abort(reason)
      await expect(
        engine.measure(planFor(dataset, [endless]), { rows: noRows, signal: stop.signal, onProgress }),
      ).rejects.toBe(reason)
      const limits = { timeoutMs: 500, memoryMb: 500, threads: 2, maxTempMb: 100 }
      await expect(engine.measure(planFor(dataset, [endless]), { rows: noRows, limits, signal })).rejects.toMatchObject(
        { code: 'timeout' },
      )
      expect((await engine.measure(planFor(dataset, []), { rows: noRows, signal })).rowsScanned).toBe(5)
    })
  })
}
