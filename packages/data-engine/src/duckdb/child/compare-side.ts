import { AssayError, messageOf } from '@assay/service-kit/errors'
import type { DuckDBConnection, DuckDBValue } from '@duckdb/node-api'
import type { ComparedSide } from '../../compare.ts'
import type { SideName } from '../../compared-source.ts'
import type { Rows } from '../../sql/compile.ts'
import type { Fragment } from '../../sql/fragment.ts'
import type { Column } from '../../sql/predicate/column.ts'
import type { Mounted } from '../mount.ts'
import type { Pair } from '../sql/compare-pairs.ts'
import { readRow } from './database.ts'
import { engineFailure } from './failure.ts'
import type { RunContext } from './session.ts'

/**
 * A comparison in progress. `sharedBits`: the bits of the bucket numbers in `assay_differing`, if all sides hash rows
 * in the way that all databases share. Null if DuckDB reads both sides: then it hashes rows in its own way, which is
 * faster.
 */
export interface Comparing {
  context: RunContext
  connection: DuckDBConnection
  pairs: readonly Pair[]
  hasKey: boolean
  sharedBits: number | null
}

export interface Totals {
  rows: number
  nullKeys: number
  /** The bounds of an integer key, if they are known. */
  least: DuckDBValue
  most: DuckDBValue
}

/** A side that DuckDB itself reads. */
export interface NarrowSide {
  side: SideName
  rows: Rows
  mounted: Pick<Mounted, 'parquetFiles' | 'columns' | 'partitionColumns' | 'relation'>
  /** The side with the rows of this relation only. */
  only(relation: string): CompareSide
}

/** One of the two tables of a comparison. */
export interface CompareSide {
  readonly side: SideName
  /** All columns of the table. */
  readonly columns: readonly { name: string }[]
  /** Throws `invalid` for an unknown column. */
  column(name: string): Column
  /** Summarises all rows in the table `assay_buckets_<side>`. */
  sum(comparing: Comparing): Promise<Totals>
  /** Summarises the rows of differing buckets in smaller buckets, in the table `assay_fine_<side>`. */
  refine(comparing: Comparing, bits: number): Promise<void>
  /** Fetches the rows of differing buckets, if another engine has them. May change the types of columns. */
  fetch(comparing: Comparing): Promise<void>
  /** Puts the rows of differing buckets into the table `assay_all_<side>`. */
  take(comparing: Comparing): Promise<void>
  /** The data with which DuckDB can read only a few rows of it; absent if another engine reads it. */
  readonly narrow?: NarrowSide
  /** The number of keys that several rows have and that show no difference. */
  repeated(comparing: Comparing, totals: Totals): Promise<number>
  readonly about: Pick<ComparedSide, 'warnings' | 'reached' | 'touched'>
  /** Rejects if the data has changed since it was opened. */
  assertUnchanged(): Promise<unknown>
}

export const numbers = (row: readonly DuckDBValue[]) => row.map((value) => Number(value ?? 0))

export async function run(connection: DuckDBConnection, ...statements: Fragment[]): Promise<void> {
  for (const statement of statements) await readRow(connection, statement)
}

/** Names the side in an error about one table. */
export function ofSide(side: SideName, error: unknown, hidden: readonly string[] = []): unknown {
  const failure = engineFailure(error, hidden)
  const isOfRun = failure.code === 'too-large' || failure.code === 'timeout'
  if (isOfRun || messageOf(error).startsWith('INTERRUPT')) return error
  return new AssayError(failure.code, `The ${side} table: ${failure.message}`, { cause: error })
}
