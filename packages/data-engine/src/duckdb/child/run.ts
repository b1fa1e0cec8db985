import { AssayError, isAssayError } from '@assay/service-kit/errors'
import type { DuckDBValue } from '@duckdb/node-api'
import type { MeasurePlan, MetricResult } from '../../plan.ts'
import { readSlots, type Slot, type SlotValues } from '../../planner/slots.ts'
import type { Measured } from '../../port.ts'
import { aggregateCall, filterClause, fromRows, type Measurement, type Rows } from '../../sql/compile.ts'
import { type Fragment, raw, sql } from '../../sql/fragment.ts'
import { duckdbDialect } from '../dialect.ts'
import { bitmapDistinct } from '../sql/bitmap.ts'
import { exactText, instantText } from '../values.ts'
import { readRow } from './database.ts'
import { engineFailure, engineMessage } from './failure.ts'
import type { Footers } from './footer.ts'
import type { BitmapPlan } from './groups.ts'
import type { RunContext, Session } from './session.ts'

export type Outcome =
  | { failed: number }
  | { distinct: number; values: number }
  | { value: DuckDBValue }
  | { error: string }

/** A measuring run in progress, with its results so far. */
export interface Run {
  session: Session
  context: RunContext
  plan: MeasurePlan
  rows: Rows
  measurements: Measurement[]
  touched: Measured['touched']
  footers: Footers | null
  /** Number of rows after the plan's filter; `null` means not counted yet. */
  total: number | null
  /** Number of rows after a metric's own filter, by the metric's id. */
  scanned: Map<number, number>
  outcomes: Map<number, Outcome>
  /** Numbers of values and of different values from a bitmap, by measurement id. */
  bitmaps: Map<number, { distinct: number; values: number }>
}

/** Records an error as the message of one metric. */
export function setError(run: Run, id: number, error: unknown): void {
  run.outcomes.set(id, { error: engineMessage(error, run.session.hidden) })
}

export function scannedBy(run: Run, id: number): number {
  return run.scanned.get(id) ?? run.total ?? 0
}

function slotsOf(run: Run, measurement: Measurement, withConditions: boolean): Slot[] {
  if (measurement.kind === 'refused' || measurement.kind === 'select') return []
  const { id, filter, risky } = measurement
  const count = { key: `scanned ${id}`, aggregate: sql`count(*)${filterClause(filter)}`, risky: true }
  const slots: Slot[] = filter && !run.scanned.has(id) ? [count] : []
  if (run.outcomes.has(id)) return slots
  if (measurement.kind === 'condition' && withConditions) {
    slots.push({ key: `failed ${id}`, aggregate: sql`count(*)${filterClause(filter, measurement.fails)}`, risky })
  }
  if (measurement.kind === 'aggregate')
    slots.push({ key: `value ${id}`, aggregate: aggregateCall(measurement, duckdbDialect), risky })
  return slots
}

function bitmapSlots({ measurement, column, bounds }: BitmapPlan): Slot[] {
  const { id, filter } = measurement
  return [
    { key: `values ${id}`, aggregate: sql`count(${column.sql})${filterClause(filter)}`, risky: filter !== null },
    { key: `distinct ${id}`, aggregate: bitmapDistinct(column, bounds, measurement), risky: true },
  ]
}

function numberIn(values: SlotValues<DuckDBValue>, key: string): number | null {
  const slot = values.get(key)
  return slot && 'value' in slot ? Number(slot.value ?? 0) : null
}

/** Errors of the whole run. An error of Assay itself comes from a store whose objects cannot be read. */
export function isFatal(error: unknown): boolean {
  return (
    isAssayError(error) ||
    isAssayError(engineFailure(error), 'too-large') ||
    /^(INTERRUPT|IO|Fatal|Internal) Error/i.test(String(error).replace(/^Error: /, ''))
  )
}

/**
 * One scan for all metrics without a result. A metric that cannot be evaluated gets its error, without affecting the
 * other metrics.
 */
export async function scan(run: Run, options: { conditions: boolean; bitmaps: readonly BitmapPlan[] }): Promise<void> {
  const slots = run.measurements.flatMap((measurement) => slotsOf(run, measurement, options.conditions))
  slots.push(...options.bitmaps.flatMap(bitmapSlots))
  if (run.total === null) slots.unshift({ key: 'total', aggregate: raw('count(*)'), risky: false })
  const { connection } = run.session
  const reader = { readRow: (statement: Fragment) => readRow(connection, statement), isFatal }
  const values = await readSlots<DuckDBValue>(reader, slots, fromRows(run.rows))
  const total = values.get('total')
  if (total && 'error' in total) {
    const reason = engineMessage(total.error, run.session.hidden)
    throw new AssayError('unprocessable', `The rows could not be read: ${reason}`, { cause: total.error })
  }
  run.total = numberIn(values, 'total') ?? run.total
  for (const { key } of slots) take(run, key, values)
  for (const { measurement } of options.bitmaps) {
    const distinct = numberIn(values, `distinct ${measurement.id}`)
    const count = numberIn(values, `values ${measurement.id}`)
    // If a bitmap failed (because footers were wrong), grouping gives the answer.
    if (distinct !== null && count !== null) run.bitmaps.set(measurement.id, { distinct, values: count })
  }
}

function take(run: Run, key: string, values: SlotValues<DuckDBValue>): void {
  const [what, number] = key.split(' ')
  const id = Number(number)
  const slot = values.get(key)
  if (!slot || what === 'total' || what === 'values' || what === 'distinct') return
  if ('error' in slot) setError(run, id, slot.error)
  else if (what === 'scanned') run.scanned.set(id, Number(slot.value ?? 0))
  else if (run.outcomes.has(id)) return
  else run.outcomes.set(id, what === 'failed' ? { failed: Number(slot.value ?? 0) } : { value: slot.value })
}

/** The result of one metric. */
export function metricResult(run: Run, measurement: Measurement): MetricResult {
  const { id } = measurement
  const outcome = run.outcomes.get(id)
  if (measurement.kind === 'refused') return { id, kind: 'error', message: measurement.message }
  if (!outcome) return { id, kind: 'error', message: 'The metric was not evaluated.' }
  if ('error' in outcome) return { id, kind: 'error', message: outcome.error }
  if ('failed' in outcome) return { id, kind: 'rows', scanned: scannedBy(run, id), failed: outcome.failed }
  if ('distinct' in outcome)
    return { id, kind: 'rows', scanned: outcome.values, failed: outcome.values - outcome.distinct }
  const instant = measurement.kind === 'aggregate' && measurement.instant
  return {
    id,
    kind: 'value',
    value: instant ? instantText(outcome.value) : exactText(outcome.value),
    scanned: scannedBy(run, id),
    ...(typeof outcome.value === 'string' ? { isText: true } : {}),
  }
}
