import { z } from 'zod'

/** Maximum number of hashes in a sketch. The similarity of two sketches has a standard error of about 0.06. */
const mostHashes = 64

/**
 * Which values a column has, without the values: how many are not NULL, and the smallest hashes of different values
 * with their counts. Two sketches hold the same part of the values that their columns share, because it is chosen by
 * hash.
 */
export const contentSketch = z.object({
  values: z.int(),
  /** `complete`: whether the sketch has all different values. */
  complete: z.boolean(),
  hashes: z.array(z.object({ hash: z.string(), count: z.int() })),
})
export type ContentSketch = z.infer<typeof contentSketch>

/** Length of a hash in characters: enough to distinguish 1,000 values, and too short to recover a value. */
export const hashCharacters = 8

/** `hashes`: hashes of a column's values, in hexadecimal; null for NULL. Pure. */
export function sketchOf(hashes: readonly (string | null)[]): ContentSketch {
  const counts = new Map<string, number>()
  let values = 0
  for (const hash of hashes) {
    if (hash === null) continue
    values += 1
    counts.set(hash, (counts.get(hash) ?? 0) + 1)
  }
  const all = [...counts].sort(([one], [other]) => (one < other ? -1 : 1))
  const smallest = all.slice(0, mostHashes).map(([hash, count]) => ({ hash, count }))
  return { values, complete: all.length <= mostHashes, hashes: smallest }
}

export const noContent: ContentSketch = { values: 0, complete: true, hashes: [] }

/** With fewer different values, columns agree by chance: two flags, for example. */
const fewValues = 3
const mostForFewValues = 0.89

/**
 * The share of values that two columns have in common, 0 to 1: the sum over values of the smaller of both shares,
 * divided by that of the larger ones. At most 0.89 if one column has fewer than three different values. Pure.
 */
export function similarityOf(one: ContentSketch, other: ContentSketch): number {
  if (one.values === 0 || other.values === 0) return 0
  const bounds = [one, other].flatMap(({ complete, hashes }) => (complete ? [] : (hashes.at(-1)?.hash ?? [])))
  const isSampled = (hash: string) => bounds.every((bound) => hash <= bound)
  const shares = ({ values, hashes }: ContentSketch) =>
    new Map(hashes.flatMap(({ hash, count }) => (isSampled(hash) ? [[hash, count / values] as const] : [])))
  const [left, right] = [shares(one), shares(other)]
  let [common, all] = [0, 0]
  for (const hash of new Set([...left.keys(), ...right.keys()])) {
    const [a, b] = [left.get(hash) ?? 0, right.get(hash) ?? 0]
    common += Math.min(a, b)
    all += Math.max(a, b)
  }
  const isFew = Math.min(one.hashes.length, other.hashes.length) < fewValues
  const similarity = all === 0 ? 0 : common / all
  return Math.min(similarity, isFew ? mostForFewValues : 1)
}
