import type { Spread } from './column-state.ts'

/** HyperLogLog (Flajolet et al. 2007) with 2^14 registers: a standard error of 1.04 / sqrt(2^14) = 0.81 %. */
export const registerBits = 14

/** The register of a 64-bit hash: its first bits. */
export function registerOf(hash: bigint): number {
  return Number(hash >> BigInt(64 - registerBits))
}

/** Leading zeros of the remaining bits of a hash, plus one. The smallest hash of a register has the highest rank. */
export function rankOf(hash: bigint): number {
  const rest = hash & ((1n << BigInt(64 - registerBits)) - 1n)
  return 64 - registerBits - (rest === 0n ? 0 : rest.toString(2).length) + 1
}

/** Maximum number of buckets of a spread. */
export const maxBuckets = 1024

const doubles = new DataView(new ArrayBuffer(8))

/** A double as an integer in the same order: sign and magnitude of its bits (IEEE 754). */
export function keyOf(position: number): bigint {
  doubles.setFloat64(0, position)
  const bits = doubles.getBigInt64(0)
  return bits < 0n ? -(bits & 0x7fffffffffffffffn) : bits
}

/** The double of a key. */
export function positionOf(key: bigint): number {
  doubles.setBigInt64(0, key < 0n ? -key | (1n << 63n) : key)
  return doubles.getFloat64(0)
}

/**
 * A spread at the finest resolution that needs at most `most` buckets, from counts by keys without their lowest `shift`
 * bits. The result depends only on the values, not on the order in which parts are merged: dropping bits from keys of
 * any finer resolution gives the same buckets. (This is uniform collapse, as in UDDSketch, Epicoco et al. 2020, over
 * bits instead of logarithms.)
 */
export function spreadOf(shift: number, counts: Iterable<readonly [bigint, number]>, most = maxBuckets): Spread {
  const sorted = [...counts].sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
  const without = (bits: bigint) => joined(sorted.map(([key, count]) => [key >> bits, count] as const))
  // Finds by bisection the least number of bits to drop. With all 64 bits dropped, two keys remain.
  let buckets = joined(sorted)
  let [bits, enough] = [0n, buckets.length > most ? 64n : 0n]
  while (bits < enough) {
    const half = (bits + enough) / 2n
    const found = without(half)
    if (found.length <= most) [enough, buckets] = [half, found]
    else bits = half + 1n
  }
  return { shift: shift + Number(bits), buckets: buckets.map(([key, count]) => [key.toString(), count]) }
}

/** Adds the counts of equal keys. `sorted`: counts sorted by key. */
function joined(sorted: readonly (readonly [bigint, number])[]): (readonly [bigint, number])[] {
  const buckets: [bigint, number][] = []
  for (const [key, count] of sorted) {
    const last = buckets.at(-1)
    if (last?.[0] === key) last[1] += count
    else buckets.push([key, count])
  }
  return buckets
}
