import type { ColumnInfo } from '../port.ts'
import type { Cell } from '../push-down/connection.ts'
import { isNumeric, type LogicalKind } from '../types/logical-type.ts'
import { parseTrinoType } from './types.ts'

/** Numbers for types, because a cell has a number for its type. */
const types = {
  boolean: 1,
  integer: 2,
  decimal: 3,
  float: 4,
  text: 5,
  date: 6,
  timestamp: 7,
  timestamptz: 8,
  other: 9,
} as const

const numbers: Readonly<Partial<Record<LogicalKind, number>>> = types

/** The number for a type, by its name. */
export const typeNumberOf = (type: string): number => numbers[parseTrinoType(type).kind] ?? types.other

/** The name of a type for messages. */
export const typeNameOf = (type: string): string => /^\w*/.exec(type.toUpperCase())?.[0] || 'VALUE'

export const isNumberType = (type: string): boolean => isNumeric(parseTrinoType(type))

/** A value of an answer, with the number for its type. Arrays, maps and rows are JSON. */
export function cellOf(value: unknown, type: number): Cell {
  if (value === null || value === undefined) return { text: null, type }
  return { text: typeof value === 'object' ? JSON.stringify(value) : String(value), type }
}

/** Whether a value is text at the server. */
export const isText = ({ text, type }: Cell): boolean => text !== null && type === types.text

/** ISO 8601, without trailing zeros of the fraction of a second. Times with a zone are in UTC. */
const isoText = (text: string) =>
  text
    .replace(/ UTC$/, 'Z')
    .replace(' ', 'T')
    .replace(/(\.\d*?)0+(Z?)$/, '$1$2')
    .replace(/\.(Z?)$/, '$1')

/** A value as exact text: numbers without loss, times ISO 8601. */
export function exactText({ text, type }: Cell): string | null {
  if (text === null) return null
  if (type === types.float) return Number(text) === 0 ? '0' : String(Number(text))
  return type === types.timestamp || type === types.timestamptz ? isoText(text) : text
}

/** The instant of a date or time, ISO 8601 UTC. */
export function instantText(cell: Cell): string | null {
  const text = exactText(cell)
  if (text === null || text.endsWith('Z')) return text
  return cell.type === types.date ? `${text}T00:00:00Z` : `${text}Z`
}

/** A double represents every decimal of up to 15 significant digits without loss. */
const exactDigits = 15

/** A value as JSON. Values that a JSON number cannot represent exactly are text. */
export function jsonValue(cell: Cell, _column: ColumnInfo): null | boolean | number | string {
  const text = exactText(cell)
  if (text === null) return null
  const number = Number(text)
  switch (cell.type) {
    case types.boolean:
      return text === 'true'
    case types.integer:
      return Number.isSafeInteger(number) ? number : text
    case types.float:
      return Number.isFinite(number) ? number : text
    case types.decimal:
      return text.replace(/[-.]/g, '').replace(/^0+/, '').length <= exactDigits ? number : text
    default:
      return text
  }
}
