import { isNested, type LogicalType } from '../../types/logical-type.ts'

const isWide = (type: LogicalType) =>
  (type.kind === 'decimal' && type.precision > 18) || (type.kind === 'integer' && type.bits === 128)

/**
 * The expression to hash, so that different values have different hashes. DuckDB's `hash` is equal for 0 and -1 of 128
 * bits, and for NULL, an empty list and a structure of NULLs; their texts differ. Pure.
 */
export function hashable(type: LogicalType, value: string): string {
  return isWide(type) || isNested(type) ? `CAST(${value} AS VARCHAR)` : value
}

/**
 * Like `hashable`, as one or two arguments of `hash`: numbers of 128 bits are hashed as 64 bits if they fit, which is several
 * times faster than their texts. Pure.
 */
export function hashArguments(type: LogicalType, value: string): string[] {
  // A longer fraction would be rounded.
  const isRounded = type.kind === 'decimal' && type.scale > 18
  if (!isWide(type) || isRounded) return [hashable(type, value)]
  const narrow = `TRY_CAST(${value} AS ${type.kind === 'decimal' ? `DECIMAL(18,${type.scale})` : 'BIGINT'})`
  return [narrow, `CASE WHEN ${narrow} IS NULL THEN ${hashable(type, value)} END`]
}
