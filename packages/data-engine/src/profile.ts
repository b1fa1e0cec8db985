import type { DatasetLocator, LineWarnings } from './dataset.ts'
import type { SqlText, Window } from './plan.ts'
import type { Measured } from './port.ts'
import type { ColumnState, WholeColumn } from './states/column-state.ts'

/**
 * The states of all columns. The package `reliability` merges them with states of other rows and computes statistics.
 */
export type DatasetProfile = {
  rows: number
  columns: ColumnState[]
  /** Maximum number of columns. Later columns are not read. */
  columnsLeftOut: number
  warnings: LineWarnings
  /** For a `follow` window: as in `Measured`. */
  reached: string | null
  /**
   * For a window on files: hashes of the names, sizes and change times of all files, and of the files outside of the
   * window. A later profile can continue this one only if the files outside of its window are exactly all files of this
   * profile.
   */
  files?: { all: string; outside: string }
  /** For files: the number of files, and the number of files that were read. */
  partitions?: { total: number; scanned: number }
  /** As in `LastChange`. Absent: the source does not say. */
  state?: string
  /** The columns and tables that the plan's filter reads. Absent if there is no filter, or if they are unknown. */
  touched?: Measured['touched'][number]['touched']
  /** With `keepValues`: the part that the sink received. */
  keptValues?: string
  /**
   * By column, with the earlier values; null if not all of its values were kept. Absent if there were no earlier
   * ones, or if their file is gone or damaged: then all rows must be read.
   */
  whole?: (WholeColumn | null)[]
  /** Milliseconds in the engine. */
  elapsedMs: number
}

/**
 * Keeps the different values of each column with their counts, so that the next profile can add those of new rows to
 * them. `earlier`: the part (absolute) that the previous profile kept.
 */
export interface KeepValues {
  earlier?: string | undefined
  limits: KeptLimits
}

/** The values of a column that exceed the limits are not kept. Bytes are before compression, and approximate. */
export interface KeptLimits {
  valuesOfColumn: number
  bytesOfColumn: number
  bytesOfTable: number
}
export const keptLimits: KeptLimits = {
  valuesOfColumn: 1_000_000,
  bytesOfColumn: 128 * 1024 * 1024,
  bytesOfTable: 512 * 1024 * 1024,
}

/** The name of the part with the kept values: a database of DuckDB, because Parquet changes values of some types. */
export const valuesPart = 'values/part-0.duckdb'

export interface ProfilePlan {
  dataset: DatasetLocator
  /** Default: all of the dataset. */
  window?: Window
  /** A condition over one row. Default: all rows. */
  filter?: SqlText
  /** Default: all columns. */
  columns?: readonly string[]
  /** Maximum number of rows: reads a random sample, which is the same for the same data. Default: all rows. */
  maxRows?: number
  /** Default: keeps none. */
  keepValues?: KeepValues
}
