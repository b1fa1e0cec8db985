import type { DuckDBConnection } from '@duckdb/node-api'
import { selectAllKeys } from '../sql/compare-buckets.ts'
import { atPositions, rowNumber, selectedPositions, unexplainedBuckets } from '../sql/compare-narrow.ts'
import type { Pair } from '../sql/compare-pairs.ts'
import { sideTable } from '../sql/compare-rows.ts'
import type { NarrowSide } from './compare-side.ts'
import { read, readRow } from './database.ts'

/**
 * Maximum number of differing buckets. With more, two differing keys probably share a bucket, which then cannot be
 * narrowed down.
 */
const mostBuckets = 64
/** Maximum number of rows. With more, most row groups of the files would be read anyway. */
const mostRows = 1000

/** Whether the rows of a side can be read by their numbers in Parquet files. */
const hasRowNumbers = ({ mounted: { parquetFiles, columns } }: NarrowSide) =>
  parquetFiles !== undefined && !columns.some(({ name }) => name.toLowerCase() === rowNumber)

/**
 * Reads the rows of both sides whose keys may have a difference into the side tables, if there are few such rows and
 * they are in Parquet files. Returns false if all rows of the differing buckets must be read.
 */
async function readFew(
  connection: DuckDBConnection,
  pairs: readonly Pair[],
  sides: readonly NarrowSide[],
  differing: number,
): Promise<boolean> {
  if (differing > mostBuckets || !sides.every(hasRowNumbers)) return false
  for (const { side, rows } of sides) {
    const found = await read(connection, selectedPositions(side, pairs, rows, mostRows + 1))
    const positions = found.getRows().map(([position]) => String(position))
    if (positions.length > mostRows) return false
    await readRow(connection, sideTable(side, pairs, rows, atPositions(positions)))
  }
  const [unexplained] = await readRow(connection, unexplainedBuckets(pairs))
  return Number(unexplained) === 0
}

/** Reads the rows of both sides that may differ into the side tables. All other rows are then known to be equal. */
export async function readDiffering(
  connection: DuckDBConnection,
  pairs: readonly Pair[],
  sides: readonly NarrowSide[],
  { differing, all }: { differing: number; all: boolean },
): Promise<void> {
  if (!all && (await readFew(connection, pairs, sides, differing))) return
  await readRow(connection, selectAllKeys)
  for (const { side, rows } of sides) await readRow(connection, sideTable(side, pairs, rows))
}
