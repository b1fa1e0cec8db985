import { type Bound, parseType } from '@assay/data-engine'
import { kindOfType, type ValueKind } from './column-types.ts'
import { ImpossibleDefinition, type PlannedColumn } from './definition.ts'
import { compareMeasured, parseExact, parseMeasured } from './exact.ts'
import { instantText, parseInstant } from './times.ts'

export type Operand = string | number

/**
 * A bound as the engine compares it. Numbers and numeric text are numbers; ISO dates and times are instants, in UTC
 * unless they name a zone; other text fits only a text column. Throws, with `path`, if the column cannot be compared
 * with the bound.
 */
export function boundFor(operand: Operand, column: PlannedColumn, path: string): Bound {
  const kind = kindOfType(column.dataType)
  const bound = readBound(operand)
  if (fits(bound, kind)) return bound
  if (kind === 'text' && typeof operand === 'string') return { kind: 'text', text: operand }
  throw new ImpossibleDefinition(
    path,
    `'${operand}' cannot be compared with the column '${column.name}' of type ${column.dataType}${formOf(kind)}`,
  )
}

/** A hint at the form of an operand for a column of that kind. */
function formOf(kind: ValueKind): string {
  if (kind === 'date') return ': write an ISO 8601 date, such as 2026-12-31'
  return kind === 'time' ? ': write an ISO 8601 date or time, such as 2026-12-31 or 2026-12-31T08:00:00Z' : ''
}

/**
 * Refuses the first listed value whose kind differs from that of the column, because no value of the column can equal it.
 */
export function checkListed(values: readonly (string | number | boolean)[], column: PlannedColumn, path: string): void {
  const canEqual = equalTo(column.dataType)
  const wrong = values.findIndex((value) => !canEqual(value))
  if (wrong === -1) return
  throw new ImpossibleDefinition(
    `${path}[${wrong}]`,
    `${JSON.stringify(values[wrong])} is never equal to a value of the column '${column.name}', which is ${column.dataType}`,
  )
}

/** Whether a value can equal one of a column of that type. */
function equalTo(dataType: string): (value: string | number | boolean) => boolean {
  if (parseType(dataType).kind === 'boolean') return (value) => /^(?:true|false)$/i.test(String(value))
  const kind = kindOfType(dataType)
  switch (kind) {
    case 'number':
      return (value) => typeof value !== 'boolean' && parseMeasured(String(value).trim()) !== undefined
    case 'date':
    case 'time':
      // Engines read more date formats than ISO 8601. All of them contain digits and a separator.
      return (value) => typeof value === 'string' && /\d[-/. :]\d/.test(value)
    case 'text':
    case 'other':
      return () => true
    default:
      return kind satisfies never
  }
}

/** A bound whose form alone determines its kind. */
export function readBound(operand: Operand): Bound {
  if (typeof operand === 'number') return { kind: 'number', text: String(operand) }
  if (parseExact(operand) !== undefined) return { kind: 'number', text: operand.trim() }
  const instant = parseInstant(operand)
  if (instant === undefined) return { kind: 'text', text: operand }
  const text = instantText(instant)
  return instant.isDate ? { kind: 'date', text: text.slice(0, 10) } : { kind: 'time', text }
}

function fits(bound: Bound, kind: ValueKind): boolean {
  switch (kind) {
    case 'number':
      return bound.kind === 'number'
    case 'date':
    case 'time':
      return bound.kind === 'date' || bound.kind === 'time'
    case 'text':
      return true
    case 'other':
      return bound.kind !== 'text'
    default:
      return kind satisfies never
  }
}

/** Whether `min` is above `max`, so that no value can lie between them. False for bounds of different kinds. */
export function isAbove(min: Bound, max: Bound): boolean {
  const order = compareText(min.text, max)
  return order !== undefined && order > 0
}

/** Refuses a pair of bounds if neither is given. */
export function checkEither(min: unknown, max: unknown): void {
  if (min === undefined && max === undefined) throw new ImpossibleDefinition('value', 'needs min, max or both')
}

/** The problem of a pair of bounds whose `min` is above `max`. */
export function impossibleOrder(min: Operand, max: Operand): ImpossibleDefinition {
  return new ImpossibleDefinition('value.min', `must not be above value.max (${min} > ${max})`)
}

/** Whether two bounds are the same number, instant or text. A date means a whole day, so it equals no instant. */
export function isEqual(min: Bound, max: Bound): boolean {
  return min.kind === max.kind && compareText(min.text, max) === 0
}

/**
 * Orders a measured text relative to a bound: negative, zero or positive. `undefined` if the text is NaN or is not of
 * the bound's kind. Numbers are compared exactly, instants to the microsecond, text character by character. A bound
 * that is a date compares days, as the data engine does: it equals every instant of that day.
 */
export function compareText(text: string, bound: Bound): number | undefined {
  switch (bound.kind) {
    case 'number': {
      const [left, right] = [parseMeasured(text), parseExact(bound.text)]
      return left === undefined || right === undefined ? undefined : compareMeasured(left, right)
    }
    case 'date':
      return orderOfInstants(text, bound.text, 86_400_000_000n)
    case 'time':
      return orderOfInstants(text, bound.text, 1n)
    case 'text':
      return text < bound.text ? -1 : text > bound.text ? 1 : 0
    default:
      return bound.kind satisfies never
  }
}

/** Compares instants rounded down to multiples of `micros` microseconds. */
function orderOfInstants(text: string, bound: string, micros: bigint): number | undefined {
  const [left, right] = [parseInstant(text), parseInstant(bound)]
  if (left === undefined || right === undefined) return undefined
  const whole = (instant: bigint) => instant - (((instant % micros) + micros) % micros)
  const difference = whole(left.micros) - whole(right.micros)
  return difference < 0n ? -1 : difference > 0n ? 1 : 0
}
