import type { MetricResult } from '../plan.ts'
import type { Slot, SlotValues } from '../planner/slots.ts'
import { aggregateCall, aggregateOf, duplicateCount, type Measurement, type Rows } from '../sql/compile.ts'
import type { Dialect } from '../sql/dialect.ts'
import { type Fragment, raw, sql } from '../sql/fragment.ts'
import type { Cell } from './connection.ts'
import type { Database } from './database.ts'

const count = (argument: Fragment) => sql`count(${argument})`
const countDistinct = (argument: Fragment) => sql`count(DISTINCT ${argument})`

/** The aggregates of a measurement, for a shared statement. */
export function slotsOf(dialect: Dialect, rows: Rows, measurement: Measurement): Slot[] {
  if (measurement.kind === 'refused' || measurement.kind === 'select') return []
  const { id, filter } = measurement
  const of = (what: string, aggregate: Fragment): Slot => ({ key: `${what} ${id}`, aggregate, risky: true })
  const scanned = filter === null ? [] : [of('scanned', aggregateOf(dialect, count, null, filter))]
  switch (measurement.kind) {
    case 'condition':
      return [...scanned, of('failed', aggregateOf(dialect, count, null, filter, measurement.fails))]
    case 'duplicate':
      return [...scanned, of('failed', sql`(${duplicateCount(rows, measurement)})`)]
    case 'aggregate':
      return [...scanned, of('value', aggregateCall(measurement, dialect))]
    case 'distinct': {
      const value = raw(measurement.column.sql)
      return [
        of('values', aggregateOf(dialect, count, value, filter)),
        of('distinct', aggregateOf(dialect, countDistinct, value, filter)),
      ]
    }
    default:
      return measurement satisfies never
  }
}

/** The number in a cell; 0 if it has no value. */
export const numberOf = (cell: Cell | null | undefined): number => Number(cell?.text ?? 0)

/** The value of an aggregate as exact text. A count is a number, whatever the type of its column. */
export function aggregateText(
  database: Pick<Database, 'instantText' | 'exactText'>,
  cell: Cell,
  { fn, instant, column }: Pick<Extract<Measurement, { kind: 'aggregate' }>, 'fn' | 'instant' | 'column'>,
): string | null {
  return instant ? database.instantText(cell) : database.exactText(cell, fn === 'COUNT' ? null : column)
}

/** The result of a measurement. `total`: the number of rows of the plan. */
export function resultOf(
  database: Database,
  { values, total, sentenceOf }: { values: SlotValues<Cell>; total: number; sentenceOf: (error: unknown) => string },
  measurement: Measurement,
): MetricResult {
  const { id } = measurement
  if (measurement.kind === 'refused') return { id, kind: 'error', message: measurement.message }
  const cells = new Map<string, Cell | null>()
  for (const what of ['scanned', 'failed', 'value', 'values', 'distinct']) {
    const slot = values.get(`${what} ${id}`)
    if (slot === undefined) continue
    if ('error' in slot) return { id, kind: 'error', message: sentenceOf(slot.error) }
    cells.set(what, slot.value)
  }
  const counted = (what: string) => numberOf(cells.get(what))
  const scanned = cells.has('scanned') ? counted('scanned') : total
  if (measurement.kind === 'aggregate') {
    const cell = cells.get('value') ?? { text: null, type: 0 }
    const value = aggregateText(database, cell, measurement)
    return { id, kind: 'value', value, scanned, ...(database.isText(cell) ? { isText: true } : {}) }
  }
  if (measurement.kind === 'distinct')
    return { id, kind: 'rows', scanned: counted('values'), failed: counted('values') - counted('distinct') }
  return { id, kind: 'rows', scanned, failed: counted('failed') }
}
