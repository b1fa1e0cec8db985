import {
  type CountedValue,
  keyOf,
  maxValues,
  rankOf,
  registerBits,
  registerOf,
  type Spread,
  spreadOf,
  type ValuesState,
} from '@assay/data-engine'

type Sketches = Omit<Extract<ValuesState, { kind: 'many' }>, 'kind' | 'exact'>

const firstByte = (hash: bigint) => Number(hash >> 56n)

/**
 * Row counts by the first byte of the value's hash. Every state has these counts, so any two states can be compared.
 */
export function sharesOf(values: ValuesState): number[] {
  if (values.kind === 'many') return values.shares
  const shares = Array.from({ length: 256 }, () => 0)
  for (const { hash, count } of values.values) {
    const byte = firstByte(BigInt(hash))
    shares[byte] = (shares[byte] ?? 0) + count
  }
  return shares
}

/** The sketch of numeric values; null if the values have no position on a number line. */
export function spreadOfValues(values: ValuesState): Spread | null {
  if (values.kind === 'many') return values.spread
  const positions = values.values.flatMap(({ position, count }) =>
    position === null ? [] : [[keyOf(position), count] as const],
  )
  return positions.length === 0 ? null : spreadOf(0, positions)
}

function registersOf(values: readonly CountedValue[]): Uint8Array {
  const registers = new Uint8Array(2 ** registerBits)
  for (const { hash } of values) {
    const index = registerOf(BigInt(hash))
    registers[index] = Math.max(registers[index] ?? 0, rankOf(BigInt(hash)))
  }
  return registers
}

function sketchesOf(values: ValuesState): Sketches {
  if (values.kind === 'many') return values
  return {
    registers: Buffer.from(registersOf(values.values)).toString('base64'),
    shares: sharesOf(values),
    spread: spreadOfValues(values),
  }
}

/** The row counts of a sketch by keys without their lowest `shift` bits, ascending. A key may occur several times. */
export function countsAt(shift: number, spread: Spread): (readonly [bigint, number])[] {
  const bits = BigInt(shift - spread.shift)
  return spread.buckets.map(([key, count]) => [BigInt(key) >> bits, count] as const)
}

function mergeSpreads(one: Spread | null, other: Spread | null): Spread | null {
  if (one === null || other === null) return one ?? other
  const shift = Math.max(one.shift, other.shift)
  return spreadOf(shift, [...countsAt(shift, one), ...countsAt(shift, other)])
}

/**
 * Long values are truncated, and different values may share a hash. Only the value and its hash together identify a
 * value.
 */
const keyOfValue = ({ hash, value }: CountedValue) => `${hash} ${typeof value} ${value}`

function byHash(one: CountedValue, other: CountedValue): number {
  const [a, b] = [BigInt(one.hash), BigInt(other.hash)]
  if (a !== b) return a < b ? -1 : 1
  return keyOfValue(one) < keyOfValue(other) ? -1 : 1
}

function mergeEach(one: readonly CountedValue[], other: readonly CountedValue[]): CountedValue[] {
  const merged = new Map(one.map((value) => [keyOfValue(value), value]))
  for (const value of other) {
    const known = merged.get(keyOfValue(value))
    merged.set(keyOfValue(value), known === undefined ? value : { ...known, count: known.count + value.count })
  }
  return [...merged.values()].sort(byHash)
}

/** Merges two states of values. Neither may be empty. */
export function mergeValues(one: ValuesState, other: ValuesState): ValuesState {
  if (one.kind === 'each' && other.kind === 'each') {
    const values = mergeEach(one.values, other.values)
    if (values.length <= maxValues) return { kind: 'each', values }
    return { kind: 'many', ...sketchesOf({ kind: 'each', values }), exact: null }
  }
  const [left, right] = [sketchesOf(one), sketchesOf(other)]
  const others = Buffer.from(right.registers, 'base64')
  const registers = Buffer.from(left.registers, 'base64').map((rank, index) => Math.max(rank, others[index] ?? 0))
  return {
    kind: 'many',
    registers: Buffer.from(registers).toString('base64'),
    shares: left.shares.map((count, index) => count + (right.shares[index] ?? 0)),
    spread: mergeSpreads(left.spread, right.spread),
    exact: null,
  }
}
