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

export const scoreStrategy = z.enum(['CUSTOM', 'WEIGHTAGE', 'RULES'])
export type ScoreStrategy = z.infer<typeof scoreStrategy>

/** The types of scheduled runs. SELECTIVE needs bounds, which only a start has. */
export const scheduledExecutionType = z.enum(['FULL', 'INCREMENTAL'], 'must be FULL or INCREMENTAL')
export type ScheduledExecutionType = z.infer<typeof scheduledExecutionType>

/** ITEMS: the worst verdict of the items. SCORE: the score against `thresholdLevel`. */
export const verdictBasis = z.enum(['ITEMS', 'SCORE'])
export type VerdictBasis = z.infer<typeof verdictBasis>
