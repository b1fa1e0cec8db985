import type { DuckDBValue } from '@duckdb/node-api'
import type { Measurement, Rows } from '../../sql/compile.ts'
import type { Column } from '../../sql/predicate/column.ts'
import type { Limits } from '../protocol.ts'
import { type Bounds, bitmapFits, hasBitmap } from '../sql/bitmap.ts'
import type { Footers } from './footer.ts'

export type Grouped = Extract<Measurement, { kind: 'distinct' | 'duplicate' }>

export interface BitmapPlan {
  measurement: Grouped
  column: Column
  bounds: Bounds
}

export function boundsOf(min: DuckDBValue, max: DuckDBValue): Bounds | null {
  const whole = (value: DuckDBValue): value is number | bigint => typeof value === 'number' || typeof value === 'bigint'
  return whole(min) && whole(max) ? { min: BigInt(min), max: BigInt(max) } : null
}

/**
 * Plans the bitmap that counts distinct values. The bitmap needs the column's bounds from file footers. If one column
 * of a duplicate check never repeats, no two rows are equal.
 */
export function planBitmap(
  measurement: Grouped,
  rows: Rows,
  footers: Footers | null,
  limits: Limits,
): BitmapPlan | null {
  if (!footers) return null
  const columns = measurement.kind === 'distinct' ? [measurement.column] : measurement.columns
  for (const column of columns) {
    const footer = footers.columns.get(column.name)
    const bounds = footer && hasBitmap(column) ? boundsOf(footer.min, footer.max) : null
    if (!bounds || !bitmapFits(bounds, footers.rows, limits.memoryMb, limits.threads)) continue
    const whole = rows.filter === null && measurement.filter === null
    const couldBeUnique = !whole || bounds.max - bounds.min + 1n >= BigInt(footers.rows - (footer?.nulls ?? 0))
    if (measurement.kind === 'duplicate' && !couldBeUnique) continue
    return { measurement, column, bounds }
  }
  return null
}
