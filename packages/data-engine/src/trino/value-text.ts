import type { LogicalType } from '../types/logical-type.ts'
import { isNested } from '../types/logical-type.ts'

export const castText = (value: string) => `CAST(${value} AS varchar)`

/** A text of a number or time without trailing zeros after the point. */
export const withoutZeros = (text: string) =>
  `CASE WHEN position('.' IN ${text}) > 0 THEN TRIM(TRAILING '.' FROM TRIM(TRAILING '0' FROM ${text})) ELSE ${text} END`

/** A time with a zone as a time without zone, in UTC. */
export const inUtc = (value: string, { kind }: LogicalType) =>
  kind === 'timestamptz' ? `(${value} AT TIME ZONE 'UTC')` : value

/** A finite float in plain notation: the digits that identify it, without an exponent. */
export function plainFloat(value: string): string {
  // Java's notation: 12.5, 1.25E10, 1.25E-7. With an exponent, one digit precedes the point. A lambda names the parts, because
  // the server's planning time grows with the length of a statement.
  const whole = "split_part(p[1], '.', 1)"
  const fraction = "TRIM(TRAILING '0' FROM split_part(p[1], '.', 2))"
  const exponent = 'CAST(p[2] AS bigint)'
  const digits = `concat(${whole}, ${fraction})`
  const large = `CASE WHEN length(${fraction}) <= ${exponent} THEN rpad(${digits}, ${exponent} + 1, '0') ELSE concat(substr(${digits}, 1, ${exponent} + 1), '.', substr(${digits}, ${exponent} + 2)) END`
  const small = `concat('0.', rpad('', -${exponent} - 1, '0'), ${digits})`
  const plain = `CASE WHEN ${fraction} = '' THEN ${whole} ELSE concat(${whole}, '.', ${fraction}) END`
  const magnitude = `CASE WHEN cardinality(p) = 1 THEN ${plain} WHEN ${exponent} > 0 THEN ${large} ELSE ${small} END`
  const bound = `transform(ARRAY[split(format('%s', abs(${value})), 'E')], p -> ${magnitude})`
  return `concat(CASE WHEN ${value} < 0 THEN '-' ELSE '' END, ${bound}[1])`
}

/** A value of a type as text; NULL for NULL. */
export function valueText(value: string, type: LogicalType): string {
  switch (type.kind) {
    case 'text':
      return value
    case 'float':
      return `format('%s', ${value})`
    case 'timestamp':
    case 'time':
      return withoutZeros(castText(value))
    case 'timestamptz':
      // A text that ends with the name of the zone has no trailing zeros to remove.
      return `concat(${withoutZeros(castText(`CAST(${inUtc(value, type)} AS timestamp(6))`))}, '+00')`
    case 'binary':
      return `lower(to_hex(${value}))`
    case 'json':
      return `json_format(${value})`
    default:
      return isNested(type) ? `json_format(CAST(${value} AS json))` : castText(value)
  }
}
