import { AssayError } from '@assay/service-kit/errors'
import { type MeasuredPeriods, maxPeriods, type PeriodPlan } from '../periods.ts'
import type { MetricResult } from '../plan.ts'
import { readSlots, type Slot, type SlotReader } from '../planner/slots.ts'
import { aggregateCall, aggregateOf, fromRows, type Measurement, type Rows } from './compile.ts'
import type { Dialect } from './dialect.ts'
import { type Fragment, raw, sql } from './fragment.ts'
import type { Column } from './predicate/column.ts'
import { textLiteral } from './quote.ts'

const timeName = '__assay_time'
const periodName = '__assay_period'

/** The time of a row, without zone. */
function timeOf(
  { time, timeZone = 'UTC', bounds }: Pick<PeriodPlan, 'time' | 'timeZone' | 'bounds'>,
  column: (name: string) => Column,
  dialect: Dialect,
): string {
  const [first] = time
  if (first === undefined) throw new AssayError('invalid', 'Periods need a column with the time of a row.')
  const { sql: value, type, text, name, dataType } = column(first.column)
  if (time.length === 1 && first.format === null) {
    if (type.kind === 'text') return timeOfText(text, { timeZone, bounds }, dialect)
    if (type.kind === 'date' || type.kind === 'timestamp' || type.kind === 'timestamptz')
      return dialect.asTimestamp(value)
    throw new AssayError('invalid', `The column "${name}" is ${dataType}, which is neither a date nor a time.`)
  }
  const texts = time.map((part) => `trim(${column(part.column).text})`)
  const formats = time.map(({ format }) => format ?? '%Y-%m-%d')
  return dialect.timestamp(`concat_ws(' ', ${texts.join(', ')})`, formats.join(' '))
}

/** A date counts as the instant at which the day begins in the zone. */
function timeOfText(
  text: string,
  { timeZone, bounds }: { timeZone: string; bounds: readonly string[] },
  dialect: Dialect,
): string {
  const time = dialect.timestamp(text)
  if (timeZone === 'UTC') return time
  const start = dialect.fromZone(time, timeZone, { from: bounds[0] ?? '', to: bounds.at(-1) ?? '' })
  return `CASE WHEN length(trim(${text})) = 10 THEN ${start} ELSE ${time} END`
}

/** The number of the period between `low` and `high`, found by bisection: ten comparisons for 672 periods. */
function numberOf(bounds: readonly string[], low: number, high: number, literal: (time: string) => string): string {
  if (high - low <= 1) return String(low)
  const middle = (low + high) >> 1
  const [before, after] = [numberOf(bounds, low, middle, literal), numberOf(bounds, middle, high, literal)]
  return `CASE WHEN ${timeName} < ${literal(bounds[middle] ?? '')} THEN ${before} ELSE ${after} END`
}

/** The rows with a time, and how to find their columns. */
interface Timed {
  plan: Pick<PeriodPlan, 'time' | 'bounds' | 'timeZone' | 'asksOlder'>
  rows: Rows
  column: (name: string) => Column
}

/**
 * The statement over the rows of all periods, which groups them by the number of their period, after the selected
 * aggregates. `older` has a row if any row is older than the first period.
 */
function statementsOf({ plan, rows, column }: Timed, dialect: Dialect): { from: Fragment; older: Fragment } {
  const { bounds } = plan
  const [first, last] = [bounds[0], bounds.at(-1)]
  const isAscending = bounds.every((bound, index) => index === 0 || bound > (bounds[index - 1] ?? ''))
  if (first === undefined || last === undefined || bounds.length < 2 || bounds.length > maxPeriods + 1 || !isAscending)
    throw new AssayError('invalid', `A plan has 1 to ${maxPeriods} periods, in order.`)
  const literal = (time: string) => dialect.asTimestamp(textLiteral(time))
  const timed = sql`SELECT *, ${timeOf(plan, column, dialect)} AS ${timeName}${fromRows(rows)}`
  const numbered = sql`SELECT *, ${numberOf(bounds, 0, bounds.length - 1, literal)} AS ${periodName} FROM (${timed}) AS asset WHERE ${timeName} >= ${literal(first)} AND ${timeName} < ${literal(last)}`
  return {
    from: sql`, ${periodName} FROM (${numbered}) AS asset GROUP BY ${periodName}`,
    older: sql`SELECT 1 FROM (${timed}) AS asset WHERE ${timeName} < ${literal(first)} LIMIT 1`,
  }
}

/** The aggregates of a measurement; none if it cannot be grouped by period. */
function slotsOf(measurement: Measurement, dialect: Dialect): Slot[] {
  if (measurement.kind === 'duplicate' || measurement.kind === 'select' || measurement.kind === 'refused') return []
  const { id, filter } = measurement
  const slot = (what: string, aggregate: Fragment): Slot => ({ key: `${what} ${id}`, aggregate, risky: true })
  switch (measurement.kind) {
    case 'condition':
      return [
        slot('scanned', aggregateOf(dialect, count, null, filter)),
        slot('failed', aggregateOf(dialect, count, null, filter, measurement.fails)),
      ]
    case 'aggregate':
      return [
        slot('scanned', aggregateOf(dialect, count, null, filter)),
        slot('value', aggregateCall(measurement, dialect)),
      ]
    case 'distinct': {
      const value = raw(measurement.column.sql)
      return [
        slot('values', aggregateOf(dialect, count, value, filter)),
        slot('distinct', aggregateOf(dialect, countDistinct, value, filter)),
      ]
    }
    default:
      return measurement satisfies never
  }
}

const count = (argument: Fragment) => sql`count(${argument})`
const countDistinct = (argument: Fragment) => sql`count(DISTINCT ${argument})`

type Cells<V> = ReadonlyMap<number, V | null>

/** How an engine runs the grouped statement. */
export interface GroupedEngine<V> {
  /** All rows of a statement. */
  readAll(statement: Fragment): Promise<readonly (readonly (V | null | undefined)[])[]>
  isFatal: SlotReader<V>['isFatal']
  numberOf(cell: V): number
  textOf(cell: V, measurement: Extract<Measurement, { kind: 'aggregate' }>): string | null
  sentenceOf(error: unknown): string
  dialect: Dialect
}

/** Measures all periods with one scan. `unprocessable` if the rows cannot be read. */
export async function readPeriods<V>(
  engine: GroupedEngine<V>,
  { measurements, ...timed }: Timed & { measurements: readonly Measurement[] },
): Promise<Pick<MeasuredPeriods, 'periods' | 'hasOlder'>> {
  const { from, older } = statementsOf(timed, engine.dialect)
  const slots: Slot[] = [
    { key: 'total', aggregate: raw('count(*)'), risky: false },
    ...measurements.flatMap((measurement) => slotsOf(measurement, engine.dialect)),
  ]
  const values = await readSlots<Cells<V>>(
    {
      isFatal: engine.isFatal,
      async readRow(statement) {
        const rows = await engine.readAll(statement)
        const width = rows[0] === undefined ? 0 : rows[0].length - 1
        const periods = rows.map((row) => {
          const period = row[width]
          return period == null ? -1 : engine.numberOf(period)
        })
        return Array.from(
          { length: width },
          (_, at): Cells<V> => new Map(rows.map((row, index) => [periods[index] ?? -1, row[at] ?? null])),
        )
      },
    },
    slots,
    from,
  )
  const total = values.get('total')
  if (total === undefined || 'error' in total)
    throw new AssayError('unprocessable', `The rows could not be read: ${engine.sentenceOf(total?.error)}`)
  const cellOf = (key: string, period: number) => {
    const found = values.get(key)
    return found === undefined || 'error' in found ? null : (found.value?.get(period) ?? null)
  }
  const countOf = (key: string, period: number) => {
    const cell = cellOf(key, period)
    return cell === null ? 0 : engine.numberOf(cell)
  }
  const resultOf = (measurement: Measurement, period: number): MetricResult => {
    const { id } = measurement
    const failed = ['scanned', 'failed', 'value', 'values', 'distinct'].flatMap((what) => {
      const found = values.get(`${what} ${id}`)
      return found !== undefined && 'error' in found ? [found.error] : []
    })
    if (failed.length > 0) return { id, kind: 'error', message: engine.sentenceOf(failed[0]) }
    switch (measurement.kind) {
      case 'refused':
        return { id, kind: 'error', message: measurement.message }
      case 'condition':
        return { id, kind: 'rows', scanned: countOf(`scanned ${id}`, period), failed: countOf(`failed ${id}`, period) }
      case 'distinct': {
        const scanned = countOf(`values ${id}`, period)
        return { id, kind: 'rows', scanned, failed: scanned - countOf(`distinct ${id}`, period) }
      }
      case 'aggregate': {
        const cell = cellOf(`value ${id}`, period)
        const empty = measurement.fn === 'COUNT' ? '0' : null
        const value = cell === null ? empty : engine.textOf(cell, measurement)
        return { id, kind: 'value', value, scanned: countOf(`scanned ${id}`, period) }
      }
      case 'duplicate':
      case 'select':
        return { id, kind: 'error', message: 'This cannot be measured by period.' }
      default:
        return measurement satisfies never
    }
  }
  const periods = timed.plan.bounds.slice(1).map((_, period) => ({
    rows: countOf('total', period),
    metrics: measurements.map((measurement) => resultOf(measurement, period)),
  }))
  const hasOlder = timed.plan.asksOlder === true ? await hasRow(engine, older) : undefined
  return { periods, ...(hasOlder === undefined ? {} : { hasOlder }) }
}

/** `undefined` if the rows cannot be read, for example because the filter fails at one of them. */
async function hasRow<V>(engine: GroupedEngine<V>, statement: Fragment): Promise<boolean | undefined> {
  try {
    return (await engine.readAll(statement)).length > 0
  } catch (error) {
    if (engine.isFatal(error)) throw error
    return undefined
  }
}
