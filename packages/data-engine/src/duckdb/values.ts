import {
  DuckDBArrayValue,
  DuckDBBlobValue,
  DuckDBDateValue,
  DuckDBDecimalValue,
  DuckDBListValue,
  DuckDBMapValue,
  type DuckDBResultReader,
  DuckDBStructValue,
  DuckDBTimestampMillisecondsValue,
  DuckDBTimestampNanosecondsValue,
  DuckDBTimestampSecondsValue,
  DuckDBTimestampTZValue,
  DuckDBTimestampValue,
  DuckDBUnionValue,
  type DuckDBValue,
} from '@duckdb/node-api'

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json }

/** A double represents every decimal of up to 15 significant digits without loss. */
const exactDigits = 15

/**
 * A value as JSON. Values that a JSON number cannot represent exactly (integers beyond 2^53, long decimals, NaN,
 * infinities) are text; times are ISO 8601, with `Z` only if the type has a zone; binary is base64; nested values are
 * JSON.
 */
export function jsonValue(value: DuckDBValue | undefined): Json {
  if (value === null || value === undefined) return null
  switch (typeof value) {
    case 'boolean':
    case 'string':
      return value
    case 'bigint':
      return Number.isSafeInteger(Number(value)) ? Number(value) : value.toString()
    case 'number':
      return Number.isFinite(value) ? value : floatText(value)
    default:
      return jsonObject(value)
  }
}

function jsonObject(value: Exclude<DuckDBValue, null | boolean | string | bigint | number>): Json {
  if (value instanceof DuckDBDecimalValue) return jsonDecimal(value.toString())
  if (value instanceof DuckDBBlobValue) return Buffer.from(value.bytes).toString('base64')
  if (value instanceof DuckDBListValue || value instanceof DuckDBArrayValue) return value.items.map(jsonValue)
  if (value instanceof DuckDBStructValue) {
    return Object.fromEntries(Object.entries(value.entries).map(([name, entry]) => [name, jsonValue(entry)]))
  }
  if (value instanceof DuckDBMapValue) return jsonMap(value)
  if (value instanceof DuckDBUnionValue) return jsonValue(value.value)
  return exactText(value) ?? null
}

function jsonDecimal(text: string): Json {
  const digits = text.replace(/[-.]/g, '').replace(/^0+/, '')
  return digits.length <= exactDigits ? Number(text) : text
}

/** A map as JSON. With text keys it is an object; with other keys, which JSON does not support, a list of pairs. */
function jsonMap(map: DuckDBMapValue): Json {
  if (map.entries.every((entry) => typeof entry.key === 'string')) {
    return Object.fromEntries(map.entries.map((entry) => [String(entry.key), jsonValue(entry.value)]))
  }
  return map.entries.map((entry) => ({ key: jsonValue(entry.key), value: jsonValue(entry.value) }))
}

/** A value as exact text: numbers without loss, times as ISO 8601. Null for NULL. */
export function exactText(value: DuckDBValue | undefined): string | null {
  if (value === null || value === undefined) return null
  if (typeof value === 'number') return floatText(value)
  if (typeof value !== 'object') return String(value)
  if (value instanceof DuckDBTimestampTZValue)
    return withZone(isoText(new DuckDBTimestampValue(value.micros).toString()))
  if (value instanceof DuckDBDateValue || isTimestamp(value))
    return value.isFinite ? isoText(value.toString()) : `${unitsOf(value) < 0 ? '-' : ''}infinity`
  if (value instanceof DuckDBBlobValue) return Buffer.from(value.bytes).toString('base64')
  return String(value)
}

/** The instant of a date or time, ISO 8601 UTC. A time without a zone counts as UTC; a date is its first instant. */
export function instantText(value: DuckDBValue | undefined): string | null {
  const text = exactText(value)
  if (text === null || /^-?infinity$/.test(text) || text.endsWith('Z')) return text
  return value instanceof DuckDBDateValue ? `${text}T00:00:00Z` : `${text}Z`
}

type Timestamp =
  | DuckDBTimestampValue
  | DuckDBTimestampSecondsValue
  | DuckDBTimestampMillisecondsValue
  | DuckDBTimestampNanosecondsValue

function isTimestamp(value: unknown): value is Timestamp {
  return (
    value instanceof DuckDBTimestampValue ||
    value instanceof DuckDBTimestampSecondsValue ||
    value instanceof DuckDBTimestampMillisecondsValue ||
    value instanceof DuckDBTimestampNanosecondsValue
  )
}

/** A date or time as the driver holds it: the number of its units since 1970. */
function unitsOf(value: DuckDBDateValue | Timestamp): bigint | number {
  if (value instanceof DuckDBDateValue) return value.days
  if (value instanceof DuckDBTimestampSecondsValue) return value.seconds
  if (value instanceof DuckDBTimestampMillisecondsValue) return value.millis
  return value instanceof DuckDBTimestampNanosecondsValue ? value.nanos : value.micros
}

function floatText(value: number): string {
  if (Number.isNaN(value)) return 'NaN'
  if (!Number.isFinite(value)) return value > 0 ? 'Infinity' : '-Infinity'
  return Object.is(value, -0) ? '0' : String(value)
}

/** Converts `2024-01-01 10:00:00` and `0044-03-15 (BC) 10:00:00` to ISO 8601, whose year 0 is 1 BC. */
function isoText(text: string): string {
  const beforeChrist = /^(\d+)(-\d\d-\d\d) \(BC\)(.*)$/.exec(text)
  const [, year = '', day = '', time = ''] = beforeChrist ?? []
  const plain = beforeChrist ? `${isoYear(1 - Number(year))}${day}${time}` : text
  return plain.replace(/^(\S+) (\d\d:)/, '$1T$2')
}

function isoYear(year: number): string {
  return year === 0 ? '0000' : `-${String(-year).padStart(4, '0')}`
}

function withZone(text: string): string {
  return /infinity$/.test(text) ? text : `${text}Z`
}

/** One row as JSON, by column name. */
export function jsonRow(names: readonly string[], values: readonly DuckDBValue[]): { [column: string]: Json } {
  const row: { [column: string]: Json } = Object.create(null)
  for (const [index, name] of names.entries()) row[name] = jsonValue(values[index])
  return { ...row }
}

/** All rows read so far as JSON. The driver has made repeated column names unique. */
export function jsonRows(reader: DuckDBResultReader): { [column: string]: Json }[] {
  const names = reader.deduplicatedColumnNames()
  return reader.getRows().map((values) => jsonRow(names, values))
}
