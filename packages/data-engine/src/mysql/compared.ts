import type { HashedColumn } from '../compared-source.ts'
import type { ComparedForm } from '../sql/compared-form.ts'
import type { Column } from '../sql/predicate/column.ts'
import { isNumeric, type LogicalType } from '../types/logical-type.ts'

const castText = (value: string) => `CAST(${value} AS CHAR)`

/** DuckDB's decimals have at most 38 digits. */
const isWide = ({ type }: Pick<Column, 'type'>) => type.kind === 'decimal' && type.precision > 38

/** A number by its value. Equal numbers have equal texts, except where databases write them in different notations. */
function numberText({ sql: value, type }: Column): string {
  const text = castText(value)
  if (type.kind === 'decimal' && type.scale > 0) return `TRIM(TRAILING '.' FROM TRIM(TRAILING '0' FROM ${text}))`
  return type.kind === 'float' ? `CASE WHEN ${value} = 0 THEN '0' ELSE ${text} END` : text
}

/** The first characters of `2026-01-31 10:00:00.123456` that a unit keeps, and the text that replaces the others. */
const kept = {
  millisecond: [23, ''],
  second: [19, ''],
  minute: [16, ':00'],
  hour: [13, ':00:00'],
  day: [10, ' 00:00:00'],
} as const

function timeText(column: Column, { timeUnit, offsetSeconds = 0 }: HashedColumn): string {
  const isMoved = offsetSeconds !== 0 && column.type.kind !== 'date'
  const time = `CAST(${column.sql} AS DATETIME(6))`
  const whole = castText(isMoved ? `(${time} + INTERVAL ${offsetSeconds} SECOND)` : time)
  const [characters, rest] = timeUnit === undefined ? ([26, ''] as const) : kept[timeUnit]
  const cut = `left(${whole}, ${characters})`
  // Trailing zeros of the fraction of a second are removed.
  if (characters > 19) return `TRIM(TRAILING '.' FROM TRIM(TRAILING '0' FROM ${cut}))`
  return rest === '' ? cut : `concat(${cut}, '${rest}')`
}

function typedText(column: Column, type: LogicalType, rule: HashedColumn): string {
  if (type.kind === 'binary') return `lower(hex(${column.sql}))`
  return type.kind === 'timestamp' ? timeText(column, rule) : column.text
}

function textOf(column: Column, rule: HashedColumn): string {
  const { as, trim = false, ignoreCase = false } = rule
  if (isNumeric(column.type) && as.kind !== 'never' && as.kind !== 'text') return numberText(column)
  const isText = as.kind === 'text' || (as.kind === 'type' && as.type.kind === 'text')
  if (as.kind === 'type' && !isText) return typedText(column, as.type, rule)
  const bare = isText && trim ? `TRIM(BOTH ' ' FROM ${column.text})` : column.text
  // The server lower-cases some letters beyond ASCII differently from DuckDB, and would make texts equal that are not.
  return isText && ignoreCase
    ? `CASE WHEN char_length(${bare}) = length(${bare}) THEN lower(${bare}) ELSE ${bare} END`
    : bare
}

const wholeOf = (digits: string) => `CAST(conv(${digits}, 16, 10) AS UNSIGNED)`

/** Hashes of rows that are the same in all databases. The session's zone is UTC, and its texts are UTF-8. */
export const mysqlComparedForm: ComparedForm = {
  text: textOf,
  isWide,
  exported: ({ sql: value, text, type }) =>
    type.kind === 'binary' ? `lower(hex(${value}))` : isNumeric(type) ? castText(value) : text,
  concat: (parts) => `concat(${parts.join(', ')})`,
  length: (text) => castText(`char_length(${text})`),
  hash: (text) => wholeOf(`left(md5(${text}), 15)`),
  bucket: (text, bits) => `(${wholeOf(`right(md5(${text}), 7)`)} & ${2 ** bits - 1})`,
}
