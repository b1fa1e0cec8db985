import { dirname } from 'node:path'
import type { ComparedTable } from './compare.ts'
import type { DatasetLocator, LineWarnings } from './dataset.ts'
import type { SqlText, Window } from './plan.ts'
import type { Touched } from './sql/tree/touched.ts'

/** Rows of a table to store, for a comparison that happens later. */
export interface TakePlan {
  dataset: DatasetLocator
  /** Default: the whole dataset. */
  window?: Window
  filter?: SqlText
  /** Names of the columns to store, at least one. Throws `invalid` for an unknown column. */
  columns: readonly string[]
  /** These must be all columns of the table: throws `unprocessable` if it has others. */
  whole?: boolean
}

/** The stored rows of a table. `rows`, `reached`, `warnings` and `touched` are as in a comparison. */
export interface TakenRows {
  rows: number
  reached: string | null
  warnings: LineWarnings
  touched: Touched | null
  columns: TakenColumn[]
  /** The part that the sink received: a Parquet file. */
  file: string
  /** Milliseconds in the engine. */
  elapsedMs: number
}

/** A stored column. `dataType`: DuckDB's name of its type at the source; `stored`: of its type in the file. */
export interface TakenColumn {
  name: string
  dataType: string
  stored: string
}

/** The name of the part with the stored rows. */
export const takenPart = 'taken/part-0.parquet'

/** A table of a comparison whose rows were stored by `take`. `file`: absolute. */
export function takenTable(file: string, columns: readonly TakenColumn[]): ComparedTable {
  const own = columns.map(({ name, stored: dataType }) => ({ name, dataType }))
  const place = { root: dirname(file), pattern: file, format: 'PARQUET', partitioned: false }
  return { dataset: { kind: 'files', ...place, columns: own, fingerprint: '' }, taken: columns }
}
