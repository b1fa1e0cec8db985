import { fromRows, type Rows } from '../../sql/compile.ts'
import { type Fragment, raw, sql } from '../../sql/fragment.ts'
import type { Bounds } from './bitmap.ts'
import { keysOf, type Pair, type SideName, wholeKeyOf } from './compare-pairs.ts'
import { hashArguments } from './hashable.ts'

/** The number of buckets in which both sides are first compared. */
const buckets = 4_096

const compared = (pairs: readonly Pair[], side: SideName, indexes: readonly number[]) =>
  indexes.flatMap((index) => pairs[index]?.[side].compared ?? [])
export const bucketOf = (pairs: readonly Pair[], side: SideName) =>
  `CAST(hash(${compared(pairs, side, keysOf(pairs)).join(', ')}) & ${buckets - 1} AS USMALLINT)`

/** The rows of one side by bucket: their number, and two sums of their hashes that do not depend on the order. */
export function bucketTable(side: SideName, pairs: readonly Pair[], rows: Rows): Fragment {
  const all = pairs.flatMap(({ as, [side]: { compared: value } }) =>
    as.kind === 'type' ? hashArguments(as.type, value) : [value],
  )
  // Hashed twice, because DuckDB combines the hashes of several values in a way that sums could cancel out.
  const inner = sql`SELECT ${bucketOf(pairs, side)} AS b, hash(hash(${all.join(', ')})) AS h${fromRows(rows)}`
  return sql`CREATE TEMP TABLE assay_buckets_${side} AS SELECT b, count(*) AS n, sum(h) AS s, bit_xor(h) AS x FROM (${inner}) GROUP BY b`
}

export function bucketRows(side: SideName): Fragment {
  return raw(`SELECT coalesce(sum(n), 0) FROM assay_buckets_${side}`)
}

/** The number of rows with NULL in the key, and the bounds of an integer key. Reads only columns of the key. */
export function keyFacts(side: SideName, pairs: readonly Pair[], rows: Rows): Fragment {
  const keys = compared(pairs, side, keysOf(pairs))
  const whole = wholeKeyOf(pairs)?.[side].compared
  const bounds = whole === undefined ? 'NULL, NULL' : `min(${whole}), max(${whole})`
  const isNull = keys.map((key) => `${key} IS NULL`).join(' OR ')
  return sql`SELECT count(*) FILTER (WHERE ${isNull}), ${bounds}${fromRows(rows)}`
}

/** The buckets that differ between the sides. `all`: also those that do not. */
export function differingBuckets({ all }: { all: boolean }): Fragment {
  const same = ['n', 's', 'x'].map((name) => `l.${name} IS NOT DISTINCT FROM r.${name}`).join(' AND ')
  return raw(
    `CREATE TEMP TABLE assay_differing AS SELECT coalesce(l.b, r.b) AS b, l.n AS n FROM assay_buckets_left AS l FULL JOIN assay_buckets_right AS r ON l.b = r.b WHERE ${all ? 'true' : `NOT (${same})`}`,
  )
}

export const isDiffering = (pairs: readonly Pair[], side: SideName) =>
  `${bucketOf(pairs, side)} IN (SELECT b FROM assay_differing)`

/** The number of values, and of distinct values, of an integer key, by a bitmap between its bounds. */
export function distinctKeys({ left }: Pair, rows: Rows, { min, max }: Bounds): Fragment {
  const bits = `bit_count(bitstring_agg(${left.compared}, CAST('${min}' AS BIGINT), CAST('${max}' AS BIGINT)))`
  return sql`SELECT count(${left.compared}), coalesce(${bits}, 0)${fromRows(rows)}`
}

/** The number of keys with several rows, in buckets that are equal on both sides. */
export function repeatedInSame(pairs: readonly Pair[], rows: Rows): Fragment {
  const keys = compared(pairs, 'left', keysOf(pairs)).join(', ')
  const same = raw(`NOT ${isDiffering(pairs, 'left')}`)
  return sql`SELECT count(*) FROM (SELECT 1${fromRows(rows, same)} GROUP BY ${keys} HAVING count(*) > 1)`
}
