import type { SideName } from '../../compared-source.ts'
import { rowForm } from '../../sql/compared-form.ts'
import { fromRows, type Rows } from '../../sql/compile.ts'
import { type Fragment, raw, sql } from '../../sql/fragment.ts'
import { keysOf, type Pair } from './compare-pairs.ts'
import { duckdbShared, sharedText } from './compare-shared.ts'

/** Number of bits of the bucket numbers in the first comparison of both sides. */
export const coarseBits = 12
/** Number of bits of the buckets into which differing ones with many rows are split. */
export const fineBits = 20

const formOf = (pairs: readonly Pair[], side: SideName, indexes: readonly number[]) =>
  rowForm(
    duckdbShared,
    indexes.flatMap((index) => {
      const pair = pairs[index]
      return pair === undefined ? [] : [{ text: sharedText(pair, side), as: pair.as }]
    }),
  )

const sharedBucket = (pairs: readonly Pair[], side: SideName, bits: number) =>
  duckdbShared.bucket(formOf(pairs, side, keysOf(pairs)), bits)

/** Whether a row is in one of the differing buckets, whose numbers have `bits` bits. */
export const isDiffering = (pairs: readonly Pair[], side: SideName, bits: number) =>
  raw(`${sharedBucket(pairs, side, bits)} IN (SELECT b FROM assay_differing)`)

/** The rows of one side by bucket, by the hashes that all databases share: their number, and the sum of their hashes. */
export function sharedBuckets(
  { table, side }: { table: string; side: SideName },
  pairs: readonly Pair[],
  rows: Rows,
  bits: number,
  within: Fragment | null = null,
): Fragment {
  const all = pairs.map((_, index) => index)
  const hash = duckdbShared.hash(formOf(pairs, side, all))
  const inner = sql`SELECT ${sharedBucket(pairs, side, bits)} AS b, ${hash} AS h${fromRows(rows, within)}`
  return sql`CREATE TEMP TABLE ${table} AS SELECT b, count(*) AS n, sum(h) AS s FROM (${inner}) GROUP BY b`
}

/**
 * The buckets that differ between two tables, with the number of rows of the larger side. `all`: also includes buckets
 * that do not differ.
 */
export function differingShared(
  table: string,
  buckets: { [side in SideName]: string },
  { all }: { all: boolean },
): Fragment {
  const same = ['n', 's'].map((name) => `l.${name} IS NOT DISTINCT FROM r.${name}`).join(' AND ')
  return raw(
    `CREATE OR REPLACE TEMP TABLE ${table} AS SELECT coalesce(l.b, r.b) AS b, greatest(l.n, r.n) AS n FROM ${buckets.left} AS l FULL JOIN ${buckets.right} AS r ON l.b = r.b WHERE ${all ? 'true' : `NOT (${same})`}`,
  )
}

/** The number of keys that several rows have, in buckets that are equal on both sides. */
export function repeatedInShared(side: SideName, pairs: readonly Pair[], rows: Rows, bits: number): Fragment {
  const keys = keysOf(pairs).flatMap((index) => pairs[index]?.[side].compared ?? [])
  const same = sql`NOT ${isDiffering(pairs, side, bits)}`
  return sql`SELECT count(*) FROM (SELECT 1${fromRows(rows, same)} GROUP BY ${keys.join(', ')} HAVING count(*) > 1)`
}
