import type { Clock } from '@assay/service-kit'
import { AssayError, isAssayError, messageOf } from '@assay/service-kit/errors'
import type { DatasetLocator } from '../dataset.ts'
import { nothingKnown } from '../last-change.ts'
import { type RelationLocator, readLocator } from '../locators.ts'
import type { MeasurePlan, Metric, MetricResult, SqlText } from '../plan.ts'
import { readSlots, type Slot, type SlotValues } from '../planner/slots.ts'
import type { CallLimits, EngineCall, MeasureCall, MeasuringEngine } from '../port.ts'
import { fromPeriods, readPeriods } from '../sql/by-period.ts'
import {
  aggregateCall,
  compileMetrics,
  duplicateCount,
  filterClause,
  fromRows,
  type Measurement,
  type Rows,
} from '../sql/compile.ts'
import { type Fragment, raw, sql } from '../sql/fragment.ts'
import { columnFinder } from '../sql/predicate/column.ts'
import { planParameters } from '../sql/written.ts'
import { type Cell, type Connection, connect } from './connection.ts'
import { describedColumns } from './describe.ts'
import { postgresDialect } from './dialect.ts'
import { openTable, type Session } from './session.ts'
import { booleanOid, exactText, instantText, jsonValue } from './values.ts'
import { writtenExpression } from './written.ts'

export interface PostgresEngineOptions {
  /** `postgres://user:password@host:port/database` */
  url: string
  clock: Clock
}

const usualLimits: Pick<CallLimits, 'timeoutMs'> = { timeoutMs: 3_600_000 }
const shortTaskMs = 120_000

/** The server's error about one metric, cut before any values. */
function sentenceOf(error: unknown): string {
  return isAssayError(error) ? messageOf(error) : `PostgreSQL Error: ${messageOf(error)}`
}

function relationOf(dataset: DatasetLocator): RelationLocator {
  const locator = readLocator(dataset)
  if (locator.kind === 'relation') return locator
  throw new AssayError('not-implemented', 'The PostgreSQL engine reads its own tables only.')
}

function requirePossible({ window, rows }: MeasurePlan): void {
  if (window !== undefined) throw new AssayError('not-implemented', 'Windows over PostgreSQL are not possible yet.')
  if (rows.bad !== null || rows.good !== null)
    throw new AssayError('not-implemented', 'Rows of PostgreSQL cannot be stored yet.')
}

interface Compiled {
  rows: Rows
  measurements: Measurement[]
  filterError: string | null
}

/** Rejects if a user's condition is not boolean. */
async function requireCondition({ connection, relation }: Session, condition: Fragment): Promise<void> {
  const oid = await connection.typeOf(sql`SELECT ${condition} FROM ${relation} AS asset`)
  if (oid === booleanOid) return
  const [[type] = []] = await connection.read(raw(`SELECT upper(format_type(${oid}, NULL))`))
  const name = (type?.text ?? '').replaceAll(' ', '')
  throw new AssayError('invalid', `The expression must be true or false, but is ${name}.`)
}

async function checked(session: Session, measurement: Measurement): Promise<Measurement> {
  if (measurement.kind === 'refused') return measurement
  try {
    if (measurement.kind === 'select')
      throw new AssayError('invalid', 'SQL metrics over PostgreSQL are not supported yet.')
    if (measurement.risky) for (const condition of measurement.conditions) await requireCondition(session, condition)
    if (measurement.kind === 'aggregate')
      await session.connection.typeOf(
        sql`SELECT ${aggregateCall(measurement, postgresDialect)} FROM ${session.relation} AS asset`,
      )
    return measurement
  } catch (error) {
    if (isRunError(error)) throw error
    return { kind: 'refused', id: measurement.id, message: sentenceOf(error) }
  }
}

/** Errors of the whole run: a smaller statement would not help. */
const isRunError = (error: unknown) =>
  ['timeout', 'unavailable', 'unprocessable', 'too-large'].some((code) => isAssayError(error, code as 'timeout'))

async function compiled(
  session: Session,
  clock: Clock,
  filter: SqlText | undefined,
  metrics: readonly Metric[],
): Promise<Compiled> {
  const parameters = planParameters(new Date(clock.now()).toISOString())
  const written = (given: SqlText) => writtenExpression(given, parameters)
  const rows: Rows = { relation: session.relation, filter: null }
  let filterError: string | null = null
  if (filter !== undefined) {
    try {
      const condition = written(filter)
      await requireCondition(session, condition)
      rows.filter = condition
    } catch (error) {
      if (isRunError(error)) throw error
      filterError = sentenceOf(error)
    }
  }
  const all = compileMetrics(metrics, session.columns, { checked: written, dialect: postgresDialect })
  const measurements: Measurement[] = []
  for (const measurement of all) measurements.push(await checked(session, measurement))
  return { rows, measurements, filterError }
}

/** The aggregates of a measurement, for a shared statement. */
function slotsOf(rows: Rows, measurement: Measurement): Slot[] {
  if (measurement.kind === 'refused' || measurement.kind === 'select') return []
  const { id, filter } = measurement
  const of = (what: string, aggregate: Fragment): Slot => ({ key: `${what} ${id}`, aggregate, risky: true })
  const scanned = filter === null ? [] : [of('scanned', sql`count(*)${filterClause(filter)}`)]
  switch (measurement.kind) {
    case 'condition':
      return [...scanned, of('failed', sql`count(*)${filterClause(filter, measurement.fails)}`)]
    case 'duplicate':
      return [...scanned, of('failed', sql`(${duplicateCount(rows, measurement)})`)]
    case 'aggregate':
      return [...scanned, of('value', aggregateCall(measurement, postgresDialect))]
    case 'distinct': {
      const { sql: value } = measurement.column
      return [
        of('values', sql`count(${value})${filterClause(filter)}`),
        of('distinct', sql`count(DISTINCT ${value})${filterClause(filter)}`),
      ]
    }
    default:
      return measurement satisfies never
  }
}

function resultOf(values: SlotValues<Cell>, total: number, measurement: Measurement): MetricResult {
  const { id } = measurement
  if (measurement.kind === 'refused') return { id, kind: 'error', message: measurement.message }
  const cells = ['scanned', 'failed', 'value', 'values', 'distinct'].map((what) => values.get(`${what} ${id}`))
  for (const slot of cells)
    if (slot !== undefined && 'error' in slot) return { id, kind: 'error', message: sentenceOf(slot.error) }
  const [scanned = total, failed, value, given, different] = cells.map((slot) =>
    slot === undefined || 'error' in slot ? undefined : slot.value,
  ) as [Cell | undefined, Cell | undefined, Cell | undefined, Cell | undefined, Cell | undefined]
  const count = (cell: Cell | number | undefined) => (typeof cell === 'number' ? cell : Number(cell?.text ?? 0))
  if (measurement.kind === 'aggregate') {
    const cell = value ?? { text: null, oid: 0 }
    return {
      id,
      kind: 'value',
      value: measurement.instant ? instantText(cell) : exactText(cell),
      scanned: count(scanned),
    }
  }
  if (measurement.kind === 'distinct')
    return { id, kind: 'rows', scanned: count(given), failed: count(given) - count(different) }
  return { id, kind: 'rows', scanned: count(scanned), failed: count(failed) }
}

/**
 * Measures tables in one PostgreSQL database: one statement over one snapshot measures all metrics of a plan; if it
 * fails, halving finds the failing metrics. Does not support windows, stored rows, users' SELECTs, lookups and fields.
 */
export function createPostgresEngine({ url, clock }: PostgresEngineOptions): MeasuringEngine {
  const open = new Set<Promise<unknown>>()
  const stop = new AbortController()

  async function inSession<T>(
    { signal }: EngineCall,
    timeoutMs: number,
    dataset: DatasetLocator,
    work: (session: Session) => Promise<T>,
  ): Promise<T> {
    const connection: Connection = await connect(url, timeoutMs, AbortSignal.any([signal, stop.signal]))
    const working = openTable(connection, relationOf(dataset)).then(work)
    open.add(working)
    try {
      return await working
    } finally {
      open.delete(working)
      await connection.close()
    }
  }

  return {
    prepare: ({ dataset, filter, metrics }, call) => {
      call.onProgress?.({ stage: 'READING', fraction: null })
      return inSession(call, shortTaskMs, dataset, async (session) => {
        call.onProgress?.({ stage: 'MEASURING', fraction: null })
        const { measurements, filterError } = await compiled(session, clock, filter, metrics)
        const metricErrors = measurements.flatMap((one) =>
          one.kind === 'refused' ? [{ id: one.id, message: one.message }] : [],
        )
        return { columns: session.columns, filterError, metricErrors }
      })
    },
    async measure(plan, call: MeasureCall) {
      requirePossible(plan)
      const startedAt = performance.now()
      const { timeoutMs } = call.limits ?? usualLimits
      call.onProgress?.({ stage: 'READING', fraction: null })
      return inSession(call, timeoutMs, plan.dataset, async (session) => {
        const { rows, measurements, filterError } = await compiled(session, clock, plan.filter, plan.metrics)
        if (filterError !== null) throw new AssayError('invalid', `The filter cannot be used: ${filterError}`)
        call.onProgress?.({ stage: 'MEASURING', fraction: null })
        const total: Slot = { key: 'total', aggregate: raw('count(*)'), risky: false }
        const slots = [total, ...measurements.flatMap((measurement) => slotsOf(rows, measurement))]
        const readRow = async (statement: Fragment) => (await session.connection.read(statement))[0] ?? []
        const isFatal = (error: unknown) => isRunError(error) || call.signal.aborted || stop.signal.aborted
        const values = await readSlots<Cell>({ readRow, isFatal }, slots, fromRows(rows))
        const counted = values.get('total')
        if (counted === undefined || 'error' in counted)
          throw new AssayError('unprocessable', `The rows could not be read: ${sentenceOf(counted?.error)}`)
        const rowsScanned = Number(counted.value?.text ?? 0)
        return {
          rowsScanned,
          metrics: measurements.map((measurement) => resultOf(values, rowsScanned, measurement)),
          bad: null,
          good: null,
          columns: session.columns,
          warnings: { total: 0, first: [] },
          reached: null,
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
        const { rows, measurements, filterError } = await compiled(session, clock, plan.filter, plan.metrics)
        if (filterError !== null) throw new AssayError('invalid', `The filter cannot be used: ${filterError}`)
        call.onProgress?.({ stage: 'MEASURING', fraction: null })
        const column = columnFinder(session.columns, postgresDialect)
        const from = fromPeriods(plan, rows, { column, dialect: postgresDialect })
        const engine = {
          readAll: (statement: Fragment) => session.connection.read(statement),
          isFatal: (error: unknown) => isRunError(error) || call.signal.aborted || stop.signal.aborted,
          numberOf: ({ text }: Cell) => Number(text ?? 0),
          textOf: (cell: Cell, { instant }: { instant: boolean }) => (instant ? instantText(cell) : exactText(cell)),
          ...{ sentenceOf, dialect: postgresDialect },
        }
        const periods = await readPeriods<Cell>(engine, { from, count: plan.bounds.length - 1, measurements })
        const elapsedMs = Math.round(performance.now() - startedAt)
        return { periods, warnings: { total: 0, first: [] }, touched: [], elapsedMs }
      })
    },
    async describe({ dataset }, call) {
      const startedAt = performance.now()
      call.onProgress?.({ stage: 'READING', fraction: null })
      const { timeoutMs } = call.limits ?? usualLimits
      const columns = await inSession(call, timeoutMs, dataset, describedColumns)
      return { columns, warnings: { total: 0, first: [] }, elapsedMs: Math.round(performance.now() - startedAt) }
    },
    // PostgreSQL does not say when a table changed.
    lastChange: async () => nothingKnown(0),
    sample: ({ dataset, limit, filter }, call) =>
      inSession(call, shortTaskMs, dataset, async (session) => {
        const { rows, filterError } = await compiled(session, clock, filter, [])
        if (filterError !== null) throw new AssayError('invalid', `filter: ${filterError}`)
        const most = Math.max(0, Math.floor(limit))
        const found = await session.connection
          .read(sql`SELECT *${fromRows(rows)} LIMIT ${most}`)
          .catch((error: unknown) => {
            if (filter === undefined || isRunError(error)) throw error
            throw new AssayError('invalid', `filter: ${sentenceOf(error)}`, { cause: error })
          })
        return {
          fields: session.columns.map(({ name, dataType: type }) => ({ name, type, nullable: true })),
          rows: found.map((cells) =>
            Object.fromEntries(
              session.columns.map(({ name }, index) => [name, jsonValue(cells[index] ?? { text: null, oid: 0 })]),
            ),
          ),
          warnings: { total: 0, first: [] },
        }
      }),
    async close() {
      stop.abort(new AssayError('unavailable', 'The data engine is shutting down. Try again later.'))
      await Promise.allSettled(open)
    },
  }
}
