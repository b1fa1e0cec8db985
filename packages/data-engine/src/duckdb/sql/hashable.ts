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
