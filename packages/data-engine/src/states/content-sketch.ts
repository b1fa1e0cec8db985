import { z } from 'zod'

/** Maximum number of hashes in a sketch. The similarity of two sketches has a standard error of about 0.06. */
const maxHashes = 64
/** Maximum number of hashes for all columns of a table together, because one event holds them. */
const maxHashesOfTable = 12_000

/** Maximum number of hashes per column of a table. It is lower in tables with more than 187 columns. Pure. */
export function hashesPerColumn(columns: number): number {
  return Math.min(maxHashes, Math.floor(maxHashesOfTable / Math.max(1, columns)))
}

/**
 * Describes which values a column has, without the values: the number of values that are not NULL, and the smallest
 * hashes of different values with their counts. The hash decides which values a sketch keeps. So two sketches keep the
 * same part of the values that their columns share.
 */
export const contentSketch = z.object({
  values: z.int(),
  /** `complete`: whether the sketch contains all different values. */
  complete: z.boolean(),
  hashes: z.array(z.object({ hash: z.string(), count: z.int() })),
})
export type ContentSketch = z.infer<typeof contentSketch>

/**
 * Length of a hash in characters: enough to distinguish 1,000 values. Hashes are keyed, because plain hashes of short
 * or common values could be reversed.
 */
export const hashCharacters = 8

/** `hashes`: hashes of a column's values, in hexadecimal; `null` for NULL. Keeps at most `max` of them. Pure. */
export function sketchOf(hashes: readonly (string | null)[], max: number = maxHashes): ContentSketch {
  const counts = new Map<string, number>()
  let values = 0
  for (const hash of hashes) {
    if (hash === null) continue
    values += 1
    counts.set(hash, (counts.get(hash) ?? 0) + 1)
  }
  const all = [...counts].sort(([one], [other]) => (one < other ? -1 : 1))
  const smallest = all.slice(0, max).map(([hash, count]) => ({ hash, count }))
  return { values, complete: all.length <= max, hashes: smallest }
}

export const noContent: ContentSketch = { values: 0, complete: true, hashes: [] }

/**
 * How much the values of two columns overlap, 0 to 1. For each value, takes its share of the rows in both columns. The
 * result is the sum of the smaller shares, divided by the sum of the larger ones. Pure. Takes linear time, because
 * sketches are sorted by hash.
 */
export function similarityOf(one: ContentSketch, other: ContentSketch): number {
  if (one.values === 0 || other.values === 0) return 0
  const bounds = [one, other].flatMap(({ complete, hashes }) => (complete ? [] : (hashes.at(-1)?.hash ?? '')))
  const isSampled = ({ hash }: { hash: string }) => bounds.every((bound) => hash <= bound)
  const [left, right] = [one.hashes.filter(isSampled), other.hashes.filter(isSampled)]
  let [common, all, at] = [0, 0, 0]
  for (const { hash, count } of left) {
    for (; (right[at]?.hash ?? hash) < hash; at += 1) all += (right[at]?.count ?? 0) / other.values
    const same = right[at]?.hash === hash ? (right[at]?.count ?? 0) : 0
    if (same > 0) at += 1
    common += Math.min(count / one.values, same / other.values)
    all += Math.max(count / one.values, same / other.values)
  }
  for (const { count } of right.slice(at)) all += count / other.values
  return all === 0 ? 0 : common / all
}
