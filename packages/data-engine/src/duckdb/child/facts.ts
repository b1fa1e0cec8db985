import type { DuckDBConnection } from '@duckdb/node-api'
import type { Measurement, Rows } from '../../sql/compile.ts'
import type { Column } from '../../sql/predicate/column.ts'
import type { Mounted } from '../mount.ts'
import { type Footers, readFooters } from './footer.ts'

/** Whether footers may answer: they know the whole dataset and nothing of filters. */
function isWhole(rows: Rows, measurement: Exclude<Measurement, { kind: 'select' | 'refused' }>): boolean {
  return rows.filter === null && measurement.filter === null
}

/** Columns whose footers would spare work. Counts and bounds of filtered rows only need the bounds. */
function columnsOfInterest(measurements: readonly Measurement[]): Column[] {
  const found = new Map<string, Column>()
  for (const measurement of measurements) {
    if (measurement.kind === 'select' || measurement.kind === 'refused') continue
    const columns =
      measurement.kind === 'duplicate'
        ? measurement.columns
        : measurement.kind === 'condition'
          ? [measurement.missing]
          : [measurement.column]
    for (const column of columns) if (column) found.set(column.name, column)
  }
  return [...found.values()]
}

/** The footers that help with these measurements; null where the dataset has none. */
export async function usefulFooters(
  connection: DuckDBConnection,
  mounted: Mounted,
  measurements: readonly Measurement[],
): Promise<Footers | null> {
  const files = mounted.parquetFiles
  if (!files || files.length === 0) return null
  return readFooters(connection, files, columnsOfInterest(measurements))
}

/** The answer that the footers give exactly: a count of missing values, or an aggregate's value. undefined: it has to be scanned. */
export function footerAnswer(
  footers: Footers | null,
  rows: Rows,
  measurement: Measurement,
): { failed: number } | { value: import('@duckdb/node-api').DuckDBValue } | undefined {
  if (!footers || measurement.kind === 'select' || measurement.kind === 'refused' || !isWhole(rows, measurement)) return undefined
  if (measurement.kind === 'condition') {
    const nulls = measurement.missing && footers.columns.get(measurement.missing.name)?.nulls
    return typeof nulls === 'number' ? { failed: nulls } : undefined
  }
  if (measurement.kind !== 'aggregate') return undefined
  if (measurement.fn === 'COUNT' && !measurement.argument) return { value: BigInt(footers.rows) }
  const footer = measurement.column && footers.columns.get(measurement.column.name)
  if (!footer) return undefined
  if (measurement.fn === 'COUNT') return footer.nulls === null ? undefined : { value: BigInt(footers.rows - footer.nulls) }
  const value = measurement.fn === 'MIN' ? footer.min : measurement.fn === 'MAX' ? footer.max : null
  return value === null ? undefined : { value }
}
