import type { HashedColumn } from '../compared-source.ts'
import type { ComparedForm } from '../sql/compared-form.ts'
import type { Column } from '../sql/predicate/column.ts'
import { isNumeric, type LogicalType } from '../types/logical-type.ts'
import { castText, inUtc, plainFloat, withoutZeros } from './value-text.ts'

/** A function takes at most 127 arguments. */
const mostArguments = 100

/** A number by its value. Equal numbers have equal texts, except where databases write them in different notations. */
function numberText({ sql: value, text, type }: Column): string {
  if (type.kind === 'decimal') return withoutZeros(text)
  if (type.kind !== 'float') return text
  const infinite = `CASE WHEN ${value} > 0 THEN 'inf' ELSE '-inf' END`
  return `CASE WHEN ${value} = 0 THEN '0' WHEN is_nan(${value}) THEN 'nan' WHEN is_infinite(${value}) THEN ${infinite} ELSE ${plainFloat(value)} END`
}

function timeText(column: Column, { timeUnit, offsetSeconds = 0 }: HashedColumn): string {
  const isMoved = offsetSeconds !== 0 && column.type.kind !== 'date'
  const time = `CAST(${inUtc(column.sql, column.type)} AS timestamp(6))`
  const moved = isMoved ? `date_add('second', ${offsetSeconds}, ${time})` : time
  return withoutZeros(castText(timeUnit === undefined ? moved : `date_trunc('${timeUnit}', ${moved})`))
}

function typedText(column: Column, type: LogicalType, rule: HashedColumn): string {
  return type.kind === 'timestamp' ? timeText(column, rule) : column.text
}

function textOf(column: Column, rule: HashedColumn): string {
  const { as, trim = false, ignoreCase = false } = rule
  if (isNumeric(column.type) && as.kind !== 'never' && as.kind !== 'text') return numberText(column)
  const isText = as.kind === 'text' || (as.kind === 'type' && as.type.kind === 'text')
  if (as.kind === 'type' && !isText) return typedText(column, as.type, rule)
  const bare = isText && trim ? `TRIM(BOTH ' ' FROM ${column.text})` : column.text
  // The server may lower-case some letters beyond ASCII differently from DuckDB, and would make texts equal that are not.
  return isText && ignoreCase
    ? `CASE WHEN length(${bare}) = length(to_utf8(${bare})) THEN lower(${bare}) ELSE ${bare} END`
    : bare
}

/** A concatenation needs two or more arguments, and takes a limited number of them. */
function concat(parts: readonly string[]): string {
  const [first = "''", ...others] = parts
  if (others.length === 0) return first
  if (parts.length <= mostArguments) return `concat(${parts.join(', ')})`
  const groups = Array.from({ length: Math.ceil(parts.length / mostArguments) }, (_, index) =>
    concat(parts.slice(index * mostArguments, (index + 1) * mostArguments)),
  )
  return concat(groups)
}

const md5 = (text: string) => `md5(to_utf8(${text}))`

/** Hashes of rows that are the same in all databases. The session's zone is UTC. */
export const trinoComparedForm: ComparedForm = {
  text: textOf,
  isWide: () => false,
  exported: ({ text }) => text,
  concat,
  length: (text) => castText(`length(${text})`),
  // As a decimal, because a sum of whole numbers of 60 bits overflows.
  hash: (text) => `CAST(bitwise_right_shift(from_big_endian_64(substr(${md5(text)}, 1, 8)), 4) AS decimal(38, 0))`,
  bucket: (text, bits) => `bitwise_and(from_big_endian_64(substr(${md5(text)}, 9, 8)), ${2 ** bits - 1})`,
}
