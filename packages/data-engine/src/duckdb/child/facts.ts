import type { DuckDBConnection, DuckDBValue } from '@duckdb/node-api'
import type { Measurement, Rows } from '../../sql/compile.ts'
import type { Column } from '../../sql/predicate/column.ts'
import type { Mounted } from '../mount.ts'
import { hasBitmap } from '../sql/bitmap.ts'
import { type Footers, readFooters } from './footer.ts'

/** Whether the footers describe the measured rows, which then are the whole dataset without filters. */
function isWhole(rows: Rows, measurement: Exclude<Measurement, { kind: 'select' | 'refused' }>): boolean {
  return rows.filter === null && measurement.filter === null
}

/** The columns of a measurement whose footers would save work: they give counts and bounds, or the size of a bitmap. */
function helpful(rows: Rows, measurement: Measurement): (Column | null)[] {
  if (measurement.kind === 'select' || measurement.kind === 'refused') return []
  switch (measurement.kind) {
    case 'distinct':
      return hasBitmap(measurement.column) ? [measurement.column] : []
    case 'duplicate':
      return measurement.columns.filter(hasBitmap)
    case 'condition':
      return isWhole(rows, measurement) ? [measurement.missing] : []
    case 'aggregate':
      return isWhole(rows, measurement) && /^(MIN|MAX|COUNT)$/.test(measurement.fn) ? [measurement.column] : []
    default:
      return measurement satisfies never
  }
}

/** The footers that help with these measurements; null if the dataset has none. */
export async function usefulFooters(
  connection: DuckDBConnection,
  mounted: Mounted,
  rows: Rows,
  measurements: readonly Measurement[],
): Promise<Footers | null> {
  const files = mounted.parquetFiles
  if (!files || files.length === 0) return null
  const columns = measurements.flatMap((measurement) => helpful(rows, measurement)).filter((column) => column !== null)
  // In a scan, the value in the folder name takes precedence over a column of the same name in the file.
  const partitions = new Set((mounted.partitionColumns ?? []).map((name) => name.toLowerCase()))
  const inFiles = columns.filter((column) => !column.isField && !partitions.has(column.name.toLowerCase()))
  const byName = new Map(inFiles.map((column) => [column.name, column]))
  return readFooters(connection, files, [...byName.values()])
}

/** The exact answer from the footers, for a count of missing values or an aggregate; undefined if it needs a scan. */
export function footerAnswer(
  footers: Footers | null,
  rows: Rows,
  measurement: Measurement,
): { failed: number } | { value: DuckDBValue } | undefined {
  if (!footers || measurement.kind === 'select' || measurement.kind === 'refused' || !isWhole(rows, measurement))
    return undefined
  if (measurement.kind === 'condition') {
    const nulls = measurement.missing && footers.columns.get(measurement.missing.name)?.nulls
    return typeof nulls === 'number' ? { failed: nulls } : undefined
  }
  if (measurement.kind !== 'aggregate') return undefined
  if (measurement.fn === 'COUNT' && !measurement.argument) return { value: BigInt(footers.rows) }
  const footer = measurement.column && footers.columns.get(measurement.column.name)
  if (!footer) return undefined
  if (measurement.fn === 'COUNT')
    return footer.nulls === null ? undefined : { value: BigInt(footers.rows - footer.nulls) }
  const value = measurement.fn === 'MIN' ? footer.min : measurement.fn === 'MAX' ? footer.max : null
  return value === null ? undefined : { value }
}
