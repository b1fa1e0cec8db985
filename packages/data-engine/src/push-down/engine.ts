import type { Clock } from '@assay/service-kit'
import { AssayError } from '@assay/service-kit/errors'
import type { DatasetLocator } from '../dataset.ts'
import { nothingKnown } from '../last-change.ts'
import type { MetricResult } from '../plan.ts'
import { readSlots, type Slot } from '../planner/slots.ts'
import type { CallLimits, DataEngine, EngineCall, KeptRowFiles, MeasureCall, MeasuringEngine } from '../port.ts'
import { readPeriods } from '../sql/by-period.ts'
import { fromRows, type Rows } from '../sql/compile.ts'
import { type Fragment, raw, sql } from '../sql/fragment.ts'
import { columnFinder } from '../sql/predicate/column.ts'
import { compiled } from './compiled.ts'
import { isRunError, sentenceFor } from './compiling.ts'
import type { Cell, Session } from './connection.ts'
import type { Database } from './database.ts'
import { openDataset } from './dataset.ts'
import { keepRows } from './kept-rows.ts'
import { aggregateText, numberOf, resultOf, slotsOf } from './results.ts'
import { parseIn, selectOver, selectResult } from './selects.ts'
import { openWindow } from './window.ts'

/** Functions of other engines that this one uses. */
export interface Tools {
  rewrite?: KeptRowFiles['rewrite'] | undefined
  touches?: DataEngine['touches'] | undefined
}

const usualLimits: Pick<CallLimits, 'timeoutMs'> = { timeoutMs: 3_600_000 }
const shortTaskMs = 120_000
const noWarnings = () => ({ total: 0, first: [] })

/**
 * Measures tables in one database. One statement over one snapshot measures all metrics of a plan; if it fails, halving
 * finds the failing metrics. Users' SELECTs follow, one at a time. Fields are not supported. `rewrite`: converts stored
 * rows; without it, plans that store rows are refused. `touches`: parses users' SELECTs.
 */
export function createPushDownEngine(
  database: Database,
  clock: Clock,
  { rewrite, touches }: Tools = {},
): MeasuringEngine {
  const open = new Set<Promise<unknown>>()
  const stop = new AbortController()
  const given = (call: EngineCall) => ({ database, clock, parse: parseIn(touches, call) })
  const sentenceOf = sentenceFor(database)

  async function inSession<T>(
    call: MeasureCall,
    timeoutMs: number,
    dataset: DatasetLocator,
    work: (session: Session) => Promise<T>,
  ): Promise<T> {
    const { signal, statements } = call
    const working = (async () => {
      const connection = await database.connect(timeoutMs, AbortSignal.any([signal, stop.signal]), statements)
      try {
        return await work(await openDataset(given(call), connection, dataset))
      } finally {
        await connection.close()
      }
    })()
    open.add(working)
    try {
      return await working
    } finally {
      open.delete(working)
    }
  }

  const isFatal = (signal: AbortSignal) => (error: unknown) =>
    isRunError(error) || signal.aborted || stop.signal.aborted

  return {
    prepare: ({ dataset, filter, metrics }, call) => {
      call.onProgress?.({ stage: 'READING', fraction: null })
      return inSession(call, shortTaskMs, dataset, async (session) => {
        call.onProgress?.({ stage: 'MEASURING', fraction: null })
        const { measurements, filterError } = await compiled(given({ purpose: 'check', ...call }), session, {
          filter,
          metrics,
        })
        const metricErrors = measurements.flatMap((one) =>
          one.kind === 'refused' ? [{ id: one.id, message: one.message }] : [],
        )
        return { columns: session.columns, filterError, metricErrors }
      })
    },
    async measure(plan, call) {
      const startedAt = performance.now()
      const { timeoutMs } = call.limits ?? usualLimits
      call.onProgress?.({ stage: 'READING', fraction: null })
      return inSession(call, timeoutMs, plan.dataset, async (session) => {
        const { rows: all, measurements, filterError, named } = await compiled(given(call), session, plan)
        if (filterError !== null) throw new AssayError('invalid', `The filter cannot be used: ${filterError}`)
        call.onProgress?.({ stage: 'MEASURING', fraction: null })
        const { condition, reached } = await openWindow(database, session, plan.window)
        const both = condition && all.filter ? sql`${condition} AND ${all.filter}` : (condition ?? all.filter)
        const rows: Rows = { ...all, filter: both }
        const total: Slot = { key: 'total', aggregate: raw('count(*)'), risky: false }
        const slots = [total, ...measurements.flatMap((measurement) => slotsOf(session.dialect, rows, measurement))]
        const readRow = async (statement: Fragment) => (await session.connection.read(statement))[0] ?? []
        const values = await readSlots<Cell>({ readRow, isFatal: isFatal(call.signal) }, slots, fromRows(rows))
        const counted = values.get('total')
        if (counted === undefined || 'error' in counted)
          throw new AssayError('unprocessable', `The rows could not be read: ${sentenceOf(counted?.error)}`)
        const rowsScanned = numberOf(counted.value)
        const read = { values, total: rowsScanned, sentenceOf }
        const results: MetricResult[] = []
        for (const measurement of measurements) {
          if (measurement.kind !== 'select') {
            results.push(resultOf(database, read, measurement))
            continue
          }
          const { id, select } = measurement
          const statement = selectOver(database, { session, rows, tables: named.get(id) ?? [] }, select)
          const found = selectResult(database, session, { id, statement, scanned: rowsScanned })
          results.push(
            await found.catch((error: unknown) => {
              if (isFatal(call.signal)(error)) throw error
              return { id, kind: 'error' as const, message: sentenceOf(error) }
            }),
          )
        }
        const kept = { session, rows, plan, measurements, results }
        return {
          rowsScanned,
          metrics: results,
          ...(await keepRows({ database, rewrite }, kept, call)),
          columns: session.columns,
          warnings: noWarnings(),
          reached,
          touched: [],
          elapsedMs: Math.round(performance.now() - startedAt),
        }
      })
    },
    async measurePeriods(plan, call) {
      const startedAt = performance.now()
      const { timeoutMs } = call.limits ?? usualLimits
      call.onProgress?.({ stage: 'READING', fraction: null })
      return inSession(call, timeoutMs, plan.dataset, async (session) => {
        const { rows, measurements, filterError } = await compiled(given(call), session, plan)
        if (filterError !== null) throw new AssayError('invalid', `The filter cannot be used: ${filterError}`)
        call.onProgress?.({ stage: 'MEASURING', fraction: null })
        const { dialect, columns, connection } = session
        const engine = {
          readAll: (statement: Fragment) => connection.read(statement),
          isFatal: isFatal(call.signal),
          numberOf,
          textOf: (cell: Cell, measurement: Parameters<typeof aggregateText>[2]) =>
            aggregateText(database, cell, measurement),
          ...{ sentenceOf, dialect },
        }
        const column = columnFinder(columns, dialect)
        const answer = await readPeriods<Cell>(engine, { plan, rows, column, measurements })
        return { ...answer, warnings: noWarnings(), touched: [], elapsedMs: Math.round(performance.now() - startedAt) }
      })
    },
    async describe({ dataset }, call) {
      const startedAt = performance.now()
      call.onProgress?.({ stage: 'READING', fraction: null })
      const { timeoutMs } = call.limits ?? usualLimits
      const columns = await inSession(call, timeoutMs, dataset, database.describedColumns)
      return { columns, warnings: noWarnings(), elapsedMs: Math.round(performance.now() - startedAt) }
    },
    async lastChange({ dataset }, call) {
      const { changedAt } = database
      // A SELECT changes with any of its tables, and with time.
      if (changedAt === undefined || dataset.kind === 'query') return nothingKnown(0)
      const startedAt = performance.now()
      const at = await inSession(call, shortTaskMs, dataset, ({ connection, locator }) =>
        changedAt(connection, locator),
      )
      const elapsedMs = Math.round(performance.now() - startedAt)
      return { ...nothingKnown(elapsedMs), at, source: at === null ? null : 'INFORMATION_SCHEMA' }
    },
    sample: ({ dataset, limit, filter }, call) =>
      inSession(call, shortTaskMs, dataset, async (session) => {
        const { rows, filterError } = await compiled(given(call), session, { filter, metrics: [] })
        if (filterError !== null) throw new AssayError('invalid', `filter: ${filterError}`)
        const most = Math.max(0, Math.floor(limit))
        const found = await session.connection
          .read(sql`SELECT ${database.allColumns(session)}${fromRows(rows)} LIMIT ${most}`)
          .catch((error: unknown) => {
            if (isFatal(call.signal)(error)) throw error
            const sentence = sentenceOf(error)
            if (filter !== undefined) throw new AssayError('invalid', `filter: ${sentence}`, { cause: error })
            throw new AssayError('unprocessable', `The rows could not be read: ${sentence}`, { cause: error })
          })
        const none: Cell = { text: null, type: 0 }
        return {
          fields: session.columns.map(({ name, dataType: type }) => ({ name, type, nullable: true })),
          rows: found.map((cells) =>
            Object.fromEntries(
              session.columns.map((column, index) => [column.name, database.jsonValue(cells[index] ?? none, column)]),
            ),
          ),
          warnings: noWarnings(),
        }
      }),
    async close() {
      stop.abort(new AssayError('unavailable', 'The data engine is shutting down. Try again later.'))
      await Promise.allSettled(open)
    },
  }
}
