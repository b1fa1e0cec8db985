import type { HashedColumn } from '../compared-source.ts'
import type { ComparedForm } from '../sql/compared-form.ts'
import type { Column } from '../sql/predicate/column.ts'
import { isNumeric, type LogicalType } from '../types/logical-type.ts'

const castText = (value: string) => `CAST(${value} AS text)`

/** A number without trailing zeros after the point. */
const trimmed = (text: string) =>
  `CASE WHEN strpos(${text}, '.') > 0 THEN rtrim(rtrim(${text}, '0'), '.') ELSE ${text} END`

const named = (text: string) => `replace(lower(${text}), 'infinity', 'inf')`

/** A numeric without precision, or with more digits than DuckDB supports. */
const isWide = ({ dataType, type }: Pick<Column, 'dataType' | 'type'>) =>
  type.kind === 'float' && dataType.startsWith('numeric')

/** A number by its value. Equal numbers have equal texts, except where databases write them in different notations. */
function numberText({ sql: value, type, dataType }: Column): string {
  const text = castText(value)
  if (type.kind === 'integer') return text
  if (type.kind === 'decimal' || isWide({ dataType, type })) return trimmed(text)
  // The server writes a real of 1,000,000 or more with an exponent.
  const plain = type.kind === 'float' && type.bits === 32 ? castText(`CAST(${text} AS numeric)`) : text
  const isPlain = `abs(${value}) >= 0.0001 AND abs(${value}) < 1e15`
  return `CASE WHEN ${value} = 0 THEN '0' WHEN ${isPlain} THEN ${plain} ELSE ${named(text)} END`
}

function typedText(column: Column, type: LogicalType, { timeUnit, offsetSeconds = 0 }: HashedColumn): string {
  const { sql: value } = column
  if (type.kind === 'binary') return `encode(${value}, 'hex')`
  if (type.kind !== 'timestamp') return castText(value)
  const time = `CAST(${value} AS timestamp)`
  const isMoved = offsetSeconds !== 0 && column.type.kind !== 'date'
  const moved = isMoved ? `(${time} + ${offsetSeconds} * interval '1 second')` : time
  return castText(timeUnit === undefined ? moved : `date_trunc('${timeUnit}', ${moved})`)
}

function textOf(column: Column, rule: HashedColumn): string {
  const { as, trim = false, ignoreCase = false } = rule
  if (isNumeric(column.type) && as.kind !== 'never' && as.kind !== 'text') return numberText(column)
  const isText = as.kind === 'text' || (as.kind === 'type' && as.type.kind === 'text')
  if (as.kind === 'type' && !isText) return typedText(column, as.type, rule)
  // Other collations may treat different texts as equal, and lower-case some letters differently from DuckDB.
  const text = `(${castText(column.sql)} COLLATE "C")`
  if (!isText) return text
  const bare = trim ? `btrim(${text}, ' ')` : text
  return ignoreCase ? `lower(${bare})` : bare
}

const utf8 = (text: string) => `md5(convert_to(${text}, 'UTF8'))`

/** Hashes of rows that are the same in all databases. The session's zone is UTC. */
export const postgresComparedForm: ComparedForm = {
  text: textOf,
  isWide,
  exported: ({ sql: value, type }) =>
    type.kind === 'binary' ? `encode(${value}, 'hex')` : `(${castText(value)} COLLATE "C")`,
  concat: (parts) => `(${parts.join(' || ')})`,
  length: (text) => castText(`length(${text})`),
  hash: (text) => `CAST(CAST('x0' || left(${utf8(text)}, 15) AS bit(64)) AS bigint)`,
  bucket: (text, bits) => `(CAST(CAST('x0' || right(${utf8(text)}, 7) AS bit(32)) AS int) & ${2 ** bits - 1})`,
}
