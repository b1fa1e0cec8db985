import { z } from 'zod'

export const policyTypes = [
  'DATA_QUALITY',
  'RECONCILIATION',
  'EQUALITY',
  'DATA_DRIFT',
  'SCHEMA_DRIFT',
  'PROFILE_ANOMALY',
  'AUTO_ANOMALY',
  'DATA_CADENCE',
  'DATA_FRESHNESS',
] as const
export const policyType = z.enum(policyTypes)
export type PolicyType = z.infer<typeof policyType>

/**
 * An object with a value for each type. The compiler cannot follow a type through the loop, so the caller gives the
 * type of the result.
 */
export function forEachType<Table extends Record<PolicyType, object>>(make: (type: PolicyType) => object): Table
export function forEachType(make: (type: PolicyType) => object): Record<string, object> {
  return Object.fromEntries(policyTypes.map((type) => [type, make(type)]))
}

export const scoreStrategy = z.enum(['CUSTOM', 'WEIGHTAGE', 'RULES'])
export type ScoreStrategy = z.infer<typeof scoreStrategy>

/** The execution types of scheduled runs. SELECTIVE needs bounds, which only a start request has. */
export const scheduledExecutionType = z.enum(['FULL', 'INCREMENTAL'], 'must be FULL or INCREMENTAL')
export type ScheduledExecutionType = z.infer<typeof scheduledExecutionType>

/** ITEMS: the worst verdict of the items. SCORE: the score against `thresholdLevel`. */
export const verdictBasis = z.enum(['ITEMS', 'SCORE'])
export type VerdictBasis = z.infer<typeof verdictBasis>
