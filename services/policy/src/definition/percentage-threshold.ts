import { isDeepStrictEqual } from 'node:util'
import type { Threshold } from '@assay/contracts'
import { percentageProblem } from '@assay/reliability'
import { type StoredThreshold, storedThreshold } from '../policy/stored-threshold.ts'
import { refusal } from './refusal.ts'

/**
 * Throws `invalid` for a limit that is not from 0 to 100, or is a fraction in place of a percentage. Accepts a threshold that the policy already has, because
 * clients send back the records that they have read.
 */
export function assertPercentages(
  field: string,
  sent: Threshold | undefined,
  before: StoredThreshold | null | undefined,
  problemOf = percentageProblem,
): void {
  const problem = sent === undefined ? undefined : problemOf(sent)
  if (sent === undefined || problem === undefined || isDeepStrictEqual(storedThreshold(sent), before)) return
  throw refusal(`${field}.${problem.path}`, problem.message)
}
