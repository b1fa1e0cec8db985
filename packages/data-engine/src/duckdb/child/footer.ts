import type { DuckDBConnection, DuckDBValue } from '@duckdb/node-api'
import { footerColumns, footerTotals, valuesOfColumn } from '../../sql/footer.ts'
import { readRow } from './database.ts'

export interface ColumnFooter {
  nulls: number | null
  /** Both null where footers do not say, or there is no value. */
  min: DuckDBValue
  max: DuckDBValue
}

/** What Parquet footers say about a whole dataset. */
export interface Footers {
  rows: number
  columns: Map<string, ColumnFooter>
}

/**
 * Reads the footers for `columns`. A column that is nested, missing in one of the files or without statistics has no entry, so that
 * it is scanned. null: the footers could not be read at all.
 */
export async function readFooters(
  connection: DuckDBConnection,
  files: readonly string[],
  columns: readonly { name: string; dataType: string }[],
): Promise<Footers | null> {
  try {
    const [rows, groups] = await readRow(connection, footerTotals(files))
    const footers: Footers = { rows: Number(rows ?? 0), columns: new Map() }
    if (columns.length === 0) return footers
    const values = await readRow(connection, footerColumns(files, columns))
    for (const [index, column] of columns.entries()) {
      const [entries, items, nulls, min, max] = values.slice(index * valuesOfColumn)
      // One entry for each row group and one value for each row: else it is not that one flat column in every file.
      if (Number(entries ?? 0) !== Number(groups ?? 0) || Number(items ?? 0) !== footers.rows) continue
      const known = nulls === null || nulls === undefined ? null : Number(nulls)
      footers.columns.set(column.name, { nulls: known, min: min ?? null, max: max ?? null })
    }
    return footers
  } catch {
    // Footers only spare a scan; what is wrong with the file the scan will say.
    return null
  }
}
