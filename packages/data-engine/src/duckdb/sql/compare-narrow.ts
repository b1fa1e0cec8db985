import type { SideName } from '../../compared-source.ts'
import type { Rows } from '../../sql/compile.ts'
import { type Fragment, raw, sql } from '../../sql/fragment.ts'
import { bucketSums, rowHash, selectedRows } from './compare-buckets.ts'
import { keysOf, type Pair } from './compare-pairs.ts'
import { keyName } from './compare-rows.ts'

/** The column of Parquet files with the number of a row in its file. */
export const rowNumber = 'file_row_number'

/** The row numbers of the rows whose keys may have a difference. Reads only the columns of the key. */
export function selectedPositions(side: SideName, pairs: readonly Pair[], rows: Rows, most: number): Fragment {
  const found = selectedRows(`${rowNumber} AS p`, { side, pairs, rows })
  return sql`SELECT p FROM (${found}) LIMIT ${most}`
}

/** Skips row groups without these rows. The condition also holds for rows at the same position in other files. */
export const atPositions = (positions: readonly string[]): Fragment =>
  raw(positions.length === 0 ? 'false' : `${rowNumber} IN (${positions.join(', ')})`)

/**
 * The number of buckets whose remaining rows are not the same on both sides, so that more of their keys must be read.
 * Checks the buckets without the rows that were already read.
 */
export function unexplainedBuckets(pairs: readonly Pair[]): Fragment {
  const keys = keysOf(pairs).map(keyName)
  const sums = (side: SideName) => {
    const hashes = `hash(${keys.join(', ')}) AS k, ${rowHash(pairs, (_, index) => keyName(index))} AS h`
    return bucketSums(raw(`SELECT ${hashes} FROM assay_all_${side}`))
  }
  const rest = (all: string, some: string) => [
    `coalesce(${all}.n, 0) - coalesce(${some}.n, 0)`,
    `coalesce(${all}.s, 0) - coalesce(${some}.s, 0)`,
    ...['x', 'm'].map((name) => `xor(coalesce(${all}.${name}, 0), coalesce(${some}.${name}, 0))`),
  ]
  const others = rest('r', 'rs')
  const same = rest('l', 'ls').map((one, index) => `${one} = ${others[index]}`)
  return sql`SELECT count(*) FROM assay_differing AS d LEFT JOIN assay_buckets_left AS l ON l.b = d.b LEFT JOIN assay_buckets_right AS r ON r.b = d.b LEFT JOIN (${sums('left')}) AS ls ON ls.b = d.b LEFT JOIN (${sums('right')}) AS rs ON rs.b = d.b WHERE NOT (${same.join(' AND ')})`
}
