import type { SideName } from '../../compared-source.ts'
import { fromRows, type Rows } from '../../sql/compile.ts'
import { type Fragment, raw, sql } from '../../sql/fragment.ts'
import type { Bounds } from './bitmap.ts'
import { keysOf, type Pair, wholeKeyOf } from './compare-pairs.ts'
import { hashArguments } from './hashable.ts'

/** The number of buckets in which both sides are first compared. */
const buckets = 4_096

const compared = (pairs: readonly Pair[], side: SideName, indexes: readonly number[]) =>
  indexes.flatMap((index) => pairs[index]?.[side].compared ?? [])
/** The hash of the key. */
export const keyHash = (pairs: readonly Pair[], side: SideName) =>
  `hash(${compared(pairs, side, keysOf(pairs)).join(', ')})`
/** The bucket to which the hash of a key belongs. */
export const bucketOf = (hash: string) => `CAST(${hash} & ${buckets - 1} AS USMALLINT)`

/**
 * The hash of a row. Hashes the hash once more, because DuckDB combines the hashes of several values in such a way that
 * sums of them could cancel out.
 */
export function rowHash(pairs: readonly Pair[], cellOf: (pair: Pair, index: number) => string): string {
  const all = pairs.flatMap((pair, index) => {
    const value = cellOf(pair, index)
    return pair.as.kind === 'type' ? hashArguments(pair.as.type, value) : [value]
  })
  return `hash(hash(${all.join(', ')}))`
}

/**
 * The rows of one side by bucket, in sums that do not depend on the order of rows: their number, the sum and the
 * exclusive or of their hashes (`s`, `x`), and a second exclusive or (`m`). Before `m` is computed, each row's hash is
 * masked with the hash of the row's key.
 */
export const bucketSums = (hashes: Fragment) =>
  sql`SELECT ${bucketOf('k')} AS b, count(*) AS n, sum(h) AS s, bit_xor(h) AS x, bit_xor(h & k) AS m FROM (${hashes}) GROUP BY b`

export function bucketTable(side: SideName, pairs: readonly Pair[], rows: Rows): Fragment {
  const hashes = `${keyHash(pairs, side)} AS k, ${rowHash(pairs, (pair) => pair[side].compared)} AS h`
  const inner = sql`SELECT ${hashes}${fromRows(rows)}`
  return sql`CREATE TEMP TABLE assay_buckets_${side} AS ${bucketSums(inner)}`
}

export function bucketRows(side: SideName): Fragment {
  return raw(`SELECT coalesce(sum(n), 0) FROM assay_buckets_${side}`)
}

/** The number of rows with NULL in the key, and the bounds of an integer key. Reads only columns of the key. */
export function keyFacts(side: SideName, pairs: readonly Pair[], rows: Rows): Fragment {
  const keys = compared(pairs, side, keysOf(pairs))
  const whole = wholeKeyOf(pairs)?.[side].compared
  const bounds = whole === undefined ? 'NULL, NULL' : `min(${whole}), max(${whole})`
  // Footers may answer the count of one column.
  const nulls =
    keys.length === 1
      ? `count(*) - count(${keys[0]})`
      : `count(*) FILTER (WHERE ${keys.map((key) => `${key} IS NULL`).join(' OR ')})`
  return sql`SELECT ${nulls}, ${bounds}${fromRows(rows)}`
}

/**
 * The buckets that differ between the sides, with a test that narrows down the keys that may have the difference. `x`
 * and `m` are combined over both sides, so that equal rows cancel out. If only one key has a difference, `x` is the
 * exclusive or of the hashes of its rows, and `m` equals `x` masked with the hash of this key. So other keys, for which
 * `hash & x` differs from `m`, are excluded. `all`: also includes the buckets that do not differ, with all keys.
 */
export function differingBuckets({ all }: { all: boolean }): Fragment {
  const same = ['n', 's', 'x', 'm'].map((name) => `l.${name} IS NOT DISTINCT FROM r.${name}`).join(' AND ')
  const bits = (name: string) =>
    `${all ? 'CAST(0 AS UBIGINT)' : `xor(coalesce(l.${name}, 0), coalesce(r.${name}, 0))`} AS ${name}`
  return raw(
    `CREATE TEMP TABLE assay_differing AS SELECT coalesce(l.b, r.b) AS b, ${bits('x')}, ${bits('m')} FROM assay_buckets_left AS l FULL JOIN assay_buckets_right AS r ON l.b = r.b WHERE ${all ? 'true' : `NOT (${same})`}`,
  )
}

/**
 * Adds buckets that do not differ to the selected ones, in the order of their numbers, until they have `rows` rows.
 * `values`: the columns of `assay_differing`.
 */
export function addAgreeingBuckets(
  values: string,
  tables: { [side in SideName]: string },
  { rows, buckets: most }: { rows: number | null; buckets: number },
): Fragment {
  const same = `SELECT l.b, l.n, sum(l.n) OVER (ORDER BY l.b) - l.n AS before FROM ${tables.left} AS l JOIN ${tables.right} AS r ON l.b = r.b WHERE l.b NOT IN (SELECT b FROM assay_differing)`
  const enough = rows === null ? '' : ` WHERE before < ${Math.max(1, Math.floor(rows))}`
  return raw(
    `INSERT INTO assay_differing BY NAME SELECT ${values} FROM (${same})${enough} ORDER BY b LIMIT ${Math.max(0, most)}`,
  )
}

/** Selects all keys of the differing buckets. */
export const selectAllKeys: Fragment = raw(
  'CREATE OR REPLACE TEMP TABLE assay_differing AS SELECT b, CAST(0 AS UBIGINT) AS x, CAST(0 AS UBIGINT) AS m FROM assay_differing',
)

/**
 * Values of the rows of one side whose keys may have a difference or, with `ANTI`, of all other rows. All values have
 * names.
 */
export function selectedRows(
  values: string,
  { side, pairs, rows, join = 'SEMI' }: { side: SideName; pairs: readonly Pair[]; rows: Rows; join?: 'SEMI' | 'ANTI' },
  extra: Fragment | null = null,
): Fragment {
  const inner = sql`SELECT ${keyHash(pairs, side)} AS k, ${values}${fromRows(rows, extra)}`
  return sql`SELECT ${bucketOf('a.k')} AS b, a.* EXCLUDE (k) FROM (${inner}) AS a ${join} JOIN assay_differing AS d ON ${bucketOf('a.k')} = d.b AND a.k & d.x = d.m`
}

/** The number of values, and of distinct values, of an integer key, by a bitmap between its bounds. */
export function distinctKeys(side: SideName, pair: Pair, rows: Rows, { min, max }: Bounds): Fragment {
  const { compared: value } = pair[side]
  const bits = `bit_count(bitstring_agg(${value}, CAST('${min}' AS BIGINT), CAST('${max}' AS BIGINT)))`
  return sql`SELECT count(${value}), coalesce(${bits}, 0)${fromRows(rows)}`
}

/** The number of keys that several rows have and that show no difference. */
export function repeatedInSame(pairs: readonly Pair[], rows: Rows): Fragment {
  const keys = compared(pairs, 'left', keysOf(pairs)).map((key, index) => ({ name: `c${index}`, key }))
  const values = keys.map(({ name, key }) => `${key} AS ${name}`).join(', ')
  const others = selectedRows(values, { side: 'left', pairs, rows, join: 'ANTI' })
  return sql`SELECT count(*) FROM (SELECT 1 FROM (${others}) GROUP BY ${keys.map(({ name }) => name).join(', ')} HAVING count(*) > 1)`
}
