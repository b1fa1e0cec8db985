import type { Sums } from '@assay/data-engine'
import type { Exact } from '../exact.ts'

const bitsOf = (positive: bigint) => positive.toString(2).length

/** Bits of a quotient: more than the 53 of a double, so that the last bit is rounded correctly. */
const keptBits = 66

/**
 * The double nearest to `digits` times a power of two. Multiplies in two steps, because a single factor may exceed the
 * range of doubles.
 */
function scaled(digits: bigint, exponent: number): number {
  const half = Math.trunc(exponent / 2)
  return Number(digits) * 2 ** half * 2 ** (exponent - half)
}

/** Division that sets the last bit if there was a remainder. */
function sticky(numerator: bigint, denominator: bigint): bigint {
  const quotient = numerator / denominator
  return quotient * denominator === numerator ? quotient : quotient | 1n
}

/** The double nearest to a fraction. */
export function nearestDouble({ numerator, denominator }: Exact): number {
  if (numerator === 0n) return 0
  const magnitude = numerator < 0n ? -numerator : numerator
  const shift = keptBits - bitsOf(magnitude) + bitsOf(denominator)
  const digits =
    shift >= 0 ? sticky(magnitude << BigInt(shift), denominator) : sticky(magnitude, denominator << BigInt(-shift))
  return scaled(numerator < 0n ? -digits : digits, -shift)
}

/** The double nearest to the square root of a non-negative fraction. */
export function nearestRoot({ numerator, denominator }: Exact): number {
  if (numerator === 0n) return 0
  const wanted = 2 * keptBits - bitsOf(numerator) + bitsOf(denominator)
  const shift = wanted + (Math.abs(wanted) % 2)
  const square =
    shift >= 0 ? sticky(numerator << BigInt(shift), denominator) : sticky(numerator, denominator << BigInt(-shift))
  // Newton's method, started from above, ends at the integer root.
  let root = 1n << BigInt(Math.ceil(bitsOf(square) / 2))
  for (let next = (root + square / root) / 2n; next < root; next = (root + square / root) / 2n) root = next
  return scaled(root * root === square ? root : root | 1n, -shift / 2)
}

/**
 * Mean, sample variance and standard deviation, each rounded once. Variance and deviation are null below two values.
 * `count` must not be 0.
 */
export function momentsOf({ sum, squares, base, exponent }: Sums, count: number) {
  const [n, total] = [BigInt(count), BigInt(sum)]
  const unit = BigInt(base) ** BigInt(-exponent)
  const spread = n * BigInt(squares) - total * total
  return {
    mean: nearestDouble({ numerator: total, denominator: n * unit }),
    variance: count < 2 ? null : nearestDouble({ numerator: spread, denominator: n * (n - 1n) * unit * unit }),
    standardDeviation: count < 2 ? null : nearestRoot({ numerator: spread, denominator: n * (n - 1n) * unit * unit }),
  }
}

/** Adds two states of sums, which must have the same unit. */
export function mergeSums(one: Sums, other: Sums): Sums {
  const add = (a: string, b: string) => String(BigInt(a) + BigInt(b))
  return { ...one, sum: add(one.sum, other.sum), squares: add(one.squares, other.squares) }
}
