import type { ProfileValue } from '@assay/data-engine'
import { compareExact, exactZero, parseExact } from '../exact.ts'

/** Compares two finite numbers that may be text, without rounding. Pure. */
export function exactCompare(one: ProfileValue, other: ProfileValue): number {
  return compareExact(parseExact(String(one)) ?? exactZero, parseExact(String(other)) ?? exactZero)
}
