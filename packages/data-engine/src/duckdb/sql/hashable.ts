import { isNested, type LogicalType } from '../../types/logical-type.ts'
import { duckdbDialect } from '../dialect.ts'

const isWideNumber = (type: LogicalType) =>
  (type.kind === 'decimal' && type.precision > 18) || (type.kind === 'integer' && type.bits === 128)

/**
 * The expression to hash, so that different values have different hashes. DuckDB's `hash` is the same for 0 and -1 of
 * 128 bits, for UUIDs whose halves have the same exclusive or, and for NULL, an empty list and a structure of NULLs.
 * The texts of these values differ. Pure.
 */
export function hashable(type: LogicalType, value: string): string {
  const isAlike = isWideNumber(type) || type.kind === 'uuid' || isNested(type)
  return isAlike ? `CAST(${value} AS VARCHAR)` : value
}

/** The largest number of 63 bits, without a decimal point. */
const largest = '9223372036854775807'

function withPoint(scale: number): string {
  const digits = largest.padStart(scale + 1, '0')
  return scale === 0 ? digits : `${digits.slice(0, -scale)}.${digits.slice(-scale)}`
}

/**
 * Like `hashable`, as one or two arguments of `hash`. The second argument is the sign for a number of 128 bits that
 * fits into 63 bits: DuckDB hashes such numbers differently if their signs are equal. For other numbers of 128 bits it
 * is their text, which takes several times as long. Pure.
 */
export function hashArguments(type: LogicalType, value: string): string[] {
  if (!isWideNumber(type)) return [hashable(type, value)]
  const limit = (sign: string) =>
    `CAST('${sign}${withPoint(type.kind === 'decimal' ? type.scale : 0)}' AS ${duckdbDialect.typeName(type)})`
  const hasSign = type.kind === 'decimal' || (type.kind === 'integer' && type.signed)
  const [isLow, negative] = hasSign ? [` OR ${value} < ${limit('-')}`, ` WHEN ${value} < 0 THEN '-'`] : ['', '']
  return [value, `CASE WHEN ${value} > ${limit('')}${isLow} THEN ${hashable(type, value)}${negative} END`]
}
