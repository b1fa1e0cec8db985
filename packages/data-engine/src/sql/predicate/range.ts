import { AssayError } from '@assay/service-kit/errors'
import type { Bound } from '../../plan.ts'
import { integerLimits, type LogicalType } from '../../types/logical-type.ts'
import { type Decimal, parseDecimal, scaledFloor, scaledText } from '../decimal.ts'
import type { Side } from '../dialect.ts'
import { textLiteral } from '../quote.ts'
import { type Column, fitsFloat } from './column.ts'

type FloatType = Extract<LogicalType, { kind: 'float' }>

/**
 * SQL that is true if the column is outside of `limit`; null if no value can be outside. The SQL may be NULL for NULL.
 */
type Outside = (column: Column, limit: Bound, side: Side, inclusive: boolean) => string | null

function comparison(side: Side, inclusive: boolean): string {
  return `${side === 'min' ? '<' : '>'}${inclusive ? '' : '='}`
}

function requireNumber(limit: Bound): Decimal {
  const value = parseDecimal(limit.text)
  if (!value) throw new AssayError('invalid', `The bound "${limit.text}" is not a number.`)
  return value
}

/**
 * Integers and decimals are multiples of 10^-scale. So the bound is rounded to such a multiple and converted to the
 * column's own type. This is exact at any size, and needs no cast of rows. If the bound is outside of the type's range,
 * the result does not depend on the value.
 */
function outsideGrid(
  column: Column,
  grid: { scale: number; min: bigint; max: bigint },
  limit: Decimal,
  side: Side,
  inclusive: boolean,
): string | null {
  const { floor, exact } = scaledFloor(limit, grid.scale)
  const lowest = side === 'min' ? (exact && inclusive ? floor : floor + 1n) : grid.min
  const highest = side === 'max' ? (exact && !inclusive ? floor - 1n : floor) : grid.max
  if (lowest > grid.max || highest < grid.min) return `${column.presence} IS NOT NULL`
  const edge = side === 'min' ? lowest : highest
  if (side === 'min' ? edge <= grid.min : edge >= grid.max) return null
  return `${column.sql} ${side === 'min' ? '<' : '>'} ${column.dialect.number(scaledText(edge, grid.scale), column)}`
}

/**
 * Floats are compared with the bound rounded to the column's own type, because a value such as 0.1 is rounded in the
 * same way. NaN is outside (the engine sorts it as the greatest value). If the type has no finite value for the bound,
 * only an infinity can be beyond it.
 */
function outsideFloat(column: Column, type: FloatType, limit: Decimal, side: Side, inclusive: boolean): string {
  const text = scaledText(limit.digits, limit.scale)
  const finite = fitsFloat(type, text)
  const within = finite ? inclusive : (side === 'min') === limit.digits > 0n
  const beyond = `${column.sql} ${comparison(side, within)} ${column.dialect.number(text, column)}`
  return side === 'min' ? `(${column.dialect.isNan(column.sql)} OR ${beyond})` : beyond
}

/** Compares text as the number that it represents, at any length. Text that is not a number is outside. */
function outsideNumericText(column: Column, limit: Decimal, side: Side, inclusive: boolean): string {
  return `(${column.presence} IS NOT NULL AND ${column.dialect.isBeyond(column.text, limit, side, inclusive)})`
}

function outsideNumber(column: Column, limit: Bound, side: Side, inclusive: boolean): string | null {
  const value = requireNumber(limit)
  switch (column.type.kind) {
    case 'integer':
      return outsideGrid(column, { scale: 0, ...integerLimits(column.type) }, value, side, inclusive)
    case 'decimal': {
      const largest = 10n ** BigInt(column.type.precision) - 1n
      return outsideGrid(column, { scale: column.type.scale, min: -largest, max: largest }, value, side, inclusive)
    }
    case 'float':
      return outsideFloat(column, column.type, value, side, inclusive)
    case 'text':
      return outsideNumericText(column, value, side, inclusive)
    default:
      throw new AssayError(
        'invalid',
        `The column "${column.name}" is ${column.dataType}: it cannot be compared with a number.`,
      )
  }
}

/**
 * A bound that is a date compares days, so an inclusive last day includes the whole day. A bound that is a time
 * compares instants.
 */
function outsideTime(column: Column, limit: Bound, side: Side, inclusive: boolean): string {
  const byDay = limit.kind === 'date'
  const { dialect } = column
  const compare = comparison(side, inclusive)
  switch (column.type.kind) {
    case 'date':
      return `${column.sql} ${compare} ${byDay ? dialect.date(limit.text) : dialect.instant(limit.text)}`
    case 'timestamp':
    case 'timestamptz':
      return byDay
        ? outsideDay(column, column.sql, limit, { side, inclusive })
        : `${dialect.asTimestamp(column.sql)} ${compare} ${dialect.instant(limit.text)}`
    case 'time':
      return `${column.sql} ${compare} ${dialect.timeOfDay(limit.text)}`
    case 'text': {
      const value = dialect.timestamp(column.text)
      const beyond = byDay
        ? outsideDay(column, value, limit, { side, inclusive })
        : `${value} ${compare} ${dialect.instant(limit.text)}`
      return `(${column.presence} IS NOT NULL AND coalesce(${beyond}, true))`
    }
    default:
      throw new AssayError(
        'invalid',
        `The column "${column.name}" is ${column.dataType}: it cannot be compared with a date or time.`,
      )
  }
}

/** Compares days by their first instants, which saves a cast for each row. */
function outsideDay(
  { dialect }: Column,
  value: string,
  limit: Bound,
  { side, inclusive }: { side: Side; inclusive: boolean },
): string {
  const next = side === 'min' ? !inclusive : inclusive
  return `${dialect.asTimestamp(value)} ${side === 'min' ? '<' : '>='} ${dialect.startOfDay(limit.text, next)}`
}

const outside: Outside = (column, limit, side, inclusive) => {
  switch (limit.kind) {
    case 'number':
      return outsideNumber(column, limit, side, inclusive)
    case 'date':
    case 'time':
      return outsideTime(column, limit, side, inclusive)
    case 'text': {
      const edge = column.type.kind === 'text' ? textLiteral(limit.text) : column.dialect.bound(limit.text, column)
      return `${column.type.kind === 'text' ? column.text : column.sql} ${comparison(side, inclusive)} ${edge}`
    }
    default:
      return limit.kind satisfies never
  }
}

/** True if the column's value is not between the bounds. NaN is always outside. */
export function outsideRange(
  column: Column,
  range: { min?: Bound | undefined; max?: Bound | undefined; inclusive: boolean },
): string {
  const parts = [
    range.min && outside(column, range.min, 'min', range.inclusive),
    range.max && outside(column, range.max, 'max', range.inclusive),
    column.type.kind === 'float' && !range.min ? `${column.dialect.isNan(column.sql)}` : null,
  ].filter((part) => typeof part === 'string')
  return parts.length === 0 ? 'false' : `(${parts.join(' OR ')})`
}
