import type { DuckDBConnection, DuckDBValue } from '@duckdb/node-api'
import { footerPaths, footerType } from '../sql/footer.ts'
import { read } from './database.ts'

export interface ColumnFooter {
  nulls: number | null
  /** `min` and `max` are null if the footers lack them, or if the column has no value. */
  min: DuckDBValue
  max: DuckDBValue
}

/** Statistics of a whole dataset from its Parquet footers. */
export interface Footers {
  rows: number
  columns: Map<string, ColumnFooter>
}

const factsOfPath = 6

/**
 * Reads the footers for `columns`. A column that has no entry must be scanned: it is nested, missing in one of the
 * files, or without statistics. Null if the footers could not be read at all.
 */
export async function readFooters(
  connection: DuckDBConnection,
  files: readonly string[],
  columns: readonly { name: string; dataType: string }[],
): Promise<Footers | null> {
  const types = [...new Set(columns.flatMap((column) => footerType(column.dataType) ?? []))]
  const names = columns.map((column) => column.name)
  try {
    const paths = (await read(connection, footerPaths(files, names, types))).getRows()
    const first = paths.filter((path) => path[1] === true)
    const sum = (index: number) => first.reduce((total, path) => total + Number(path[index] ?? 0), 0)
    const [groups, rows] = [sum(2), sum(3)]
    const footers: Footers = { rows, columns: new Map() }
    for (const { name, dataType } of columns) {
      const [path, second] = paths.filter((candidate) => candidate[0] === name)
      // A flat column has one entry per row group and one value per row, in every file.
      if (!path || second || Number(path[2] ?? 0) !== groups || Number(path[4] ?? 0) !== rows) continue
      const at = factsOfPath + 2 * types.indexOf(footerType(dataType) ?? '')
      const [min, max] = at < factsOfPath ? [] : path.slice(at, at + 2)
      const nulls = path[5] === null || path[5] === undefined ? null : Number(path[5])
      footers.columns.set(name, { nulls, min: min ?? null, max: max ?? null })
    }
    return footers
  } catch {
    // If the footers cannot be read, the file is scanned, and the scan reports its faults.
    return null
  }
}
