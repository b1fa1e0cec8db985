import { filterClause, type Measurement } from '../../sql/compile.ts'
import { type Fragment, sql } from '../../sql/fragment.ts'
import type { Column } from '../../sql/predicate/column.ts'

/** The least and greatest value of a column of whole numbers. */
export interface Bounds {
  min: bigint
  max: bigint
}

/** Maximum number of bits per row. With more, grouping is as fast. */
const bitsForEachRow = 64n
const maxBits = 999_999_999n

/**
 * Whether a bitmap over `bounds` is worth its memory. There is one bitmap per thread, and one for the merged result.
 */
export function bitmapFits(bounds: Bounds, rows: number, memoryMb: number, threads: number): boolean {
  const bits = bounds.max - bounds.min + 1n
  const budget = (BigInt(Math.floor(memoryMb)) * 8n * 1_048_576n) / (4n * BigInt(threads + 1))
  return bits > 0n && bits <= maxBits && bits <= budget && bits <= bitsForEachRow * BigInt(Math.max(rows, 1024))
}

/** Whether a column can have a bitmap: signed whole numbers up to 64 bits, whose values are bit positions. */
export function hasBitmap(column: Column): boolean {
  return column.type.kind === 'integer' && column.type.signed && column.type.bits <= 64
}

/**
 * The exact number of distinct non-null values: each value sets its bit. Fails at run time if a value is outside of
 * `bounds`.
 */
export function bitmapDistinct(
  column: Column,
  bounds: Bounds,
  measurement: Extract<Measurement, { kind: 'distinct' | 'duplicate' }>,
): Fragment {
  const type = column.dataType
  return sql`coalesce(bit_count(bitstring_agg(${column.sql}, CAST('${bounds.min}' AS ${type}), CAST('${bounds.max}' AS ${type}))${filterClause(measurement.filter)}), 0)`
}
