import type { ColumnInfo } from '../port.ts'
import type { Cell } from '../push-down/connection.ts'
import { parseMysqlType } from './types.ts'

/** Numbers of types in the protocol. */
const types = {
  tiny: 1,
  short: 2,
  long: 3,
  float: 4,
  double: 5,
  timestamp: 7,
  bigint: 8,
  medium: 9,
  date: 10,
  time: 11,
  datetime: 12,
  year: 13,
  varchar: 15,
  bit: 16,
  json: 245,
  decimal: 246,
  varString: 253,
  string: 254,
  geometry: 255,
} as const

const names: Readonly<Record<number, string>> = {
  ...{ [types.tiny]: 'TINYINT', [types.short]: 'SMALLINT', [types.long]: 'INT', [types.float]: 'FLOAT' },
  ...{
    [types.double]: 'DOUBLE',
    [types.timestamp]: 'TIMESTAMP',
    [types.bigint]: 'BIGINT',
    [types.medium]: 'MEDIUMINT',
  },
  ...{ [types.date]: 'DATE', [types.time]: 'TIME', [types.datetime]: 'DATETIME', [types.year]: 'YEAR' },
  ...{ [types.bit]: 'BIT', [types.json]: 'JSON', 0: 'DECIMAL', [types.decimal]: 'DECIMAL', 6: 'NULL' },
  ...{
    [types.varchar]: 'VARCHAR',
    [types.varString]: 'VARCHAR',
    [types.string]: 'VARCHAR',
    [types.geometry]: 'GEOMETRY',
  },
}
const integers: ReadonlySet<number> = new Set([
  types.tiny,
  types.short,
  types.long,
  types.bigint,
  types.medium,
  types.year,
])
const binaryCharset = 63

/** What the protocol says about a column of a result. */
export interface ResultField {
  type: number
  /** Number of the column's character set. */
  charset: number
  /** Length in bytes; for numbers, in characters. */
  length: number
  name: string
  /** Digits after the point. */
  decimals: number
  isUnsigned: boolean
}

export const noField: ResultField = { type: 0, charset: 0, length: 0, name: '', decimals: 0, isUnsigned: false }

/** The name of a type for messages. */
export const typeNameOf = ({ type }: ResultField): string =>
  names[type] ?? (type >= 249 && type <= 252 ? 'TEXT' : 'VALUE')

/** A condition is returned as a whole number of one digit. If it is a CASE, MariaDB also counts a sign. */
export function isCondition({ type, length }: ResultField): boolean {
  if (type === types.tiny || type === types.bit) return length === 1
  return (type === types.long || type === types.bigint) && length <= 2
}

const numbers: ReadonlySet<number> = new Set([...integers, types.float, types.double, 0, types.decimal])

export const isNumber = ({ type }: ResultField): boolean => numbers.has(type)

const longestCharacter = 4
const sizedIntegers: ReadonlySet<number> = new Set([types.tiny, types.short, types.medium, types.long, types.bigint])
const times: ReadonlySet<number> = new Set([types.datetime, types.timestamp, types.time])
const shortTexts: ReadonlySet<number> = new Set([types.varchar, types.varString, types.string])

/**
 * The type of a column of a result as the catalog of the server names it. Values of an ENUM, and the sizes of bytes and
 * long texts, are not sent.
 */
export function columnTypeOf(field: ResultField): string {
  const { type, length, decimals, isUnsigned } = field
  const name = typeNameOf(field).toLowerCase()
  if (type === types.bit) return `bit(${length})`
  if (sizedIntegers.has(type)) return `${name}(${length})${isUnsigned ? ' unsigned' : ''}`
  // The length includes a sign and a point.
  if (type === types.decimal || type === 0)
    return `decimal(${length - (decimals > 0 ? 1 : 0) - (isUnsigned ? 0 : 1)},${decimals})`
  if (times.has(type)) return decimals > 0 && decimals <= 6 ? `${name}(${decimals})` : name
  // NULL without a type.
  if (length === 0) return 'varchar(0)'
  if (type !== types.geometry && isBytes(field)) return 'longblob'
  if (shortTexts.has(type)) return `varchar(${Math.floor(length / longestCharacter)})`
  return name === 'text' ? 'longtext' : name
}

const isBytes = ({ type, charset }: ResultField) =>
  type === types.geometry || (charset === binaryCharset && (type === types.varchar || (type >= 249 && type <= 254)))

/** A value as the server sent it. Bytes are base64 (for a geometry, this includes its type), and a bit is a number. */
export function cellOf(bytes: Buffer | null, field: ResultField): Cell {
  const { type } = field
  if (bytes === null) return { text: null, type }
  if (type === types.bit) return { text: BigInt(`0x${bytes.toString('hex') || '0'}`).toString(), type: types.bigint }
  return isBytes(field)
    ? { text: bytes.toString('base64'), type: types.geometry }
    : { text: bytes.toString('utf8'), type }
}

/** Whether a value is text at the server. */
export const isText = ({ text, type }: Cell): boolean =>
  text !== null && (type === types.varchar || (type >= 249 && type <= types.string))

/** ISO 8601, without trailing zeros of the fraction of a second. */
const isoText = (text: string) =>
  text
    .replace(' ', 'T')
    .replace(/(\.\d*?)0+$/, '$1')
    .replace(/\.$/, '')

/** A value as exact text: numbers without loss, times ISO 8601. */
export function exactText({ text, type }: Cell, column: Pick<ColumnInfo, 'dataType'> | null): string | null {
  if (text === null) return null
  const kind = column === null ? undefined : parseMysqlType(column.dataType).kind
  if (kind === 'boolean') return Number(text) === 0 ? 'false' : 'true'
  if (type === types.float || type === types.double) return Number(text) === 0 ? '0' : String(Number(text))
  if (type === types.timestamp || kind === 'timestamptz') return `${isoText(text)}Z`
  if (type === types.datetime || type === types.date || type === types.time) return isoText(text)
  return text
}

/** The instant of a date or time, ISO 8601 UTC. */
export function instantText({ text, type }: Cell): string | null {
  if (text === null) return null
  return type === types.date ? `${text}T00:00:00Z` : `${isoText(text)}Z`
}

/** A double represents every decimal of up to 15 significant digits without loss. */
const exactDigits = 15

/** A value as JSON. Values that a JSON number cannot represent exactly are text. */
export function jsonValue(cell: Cell, column: ColumnInfo): null | boolean | number | string {
  const text = exactText(cell, column)
  if (text === null) return null
  const { kind } = parseMysqlType(column.dataType)
  if (kind === 'boolean') return text === 'true'
  if (integers.has(cell.type)) return Number.isSafeInteger(Number(text)) ? Number(text) : text
  if (cell.type === types.float || cell.type === types.double) return Number(text)
  const isShort = text.replace(/[-.]/g, '').replace(/^0+/, '').length <= exactDigits
  return kind === 'decimal' && isShort ? Number(text) : text
}
