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

export const measurementTypes = [
  'MISSING_VALUES',
  'REGEX_MATCH',
  'VALUES_IN_LIST',
  'VALUES_IN_LOOKUP',
  'DATATYPE_MATCH',
  'RANGE_MATCH',
  'SIZE_CHECK',
  'PRECISION_SCALE_CHECK',
  'DISTINCTNESS_CHECK',
  'DUPLICATE_ROWS_CHECK',
  'FRESHNESS_CHECK',
  'TAG_MATCH',
  'AGGREGATES',
  'BUSINESS_MEASURE',
  'CUSTOM',
  'SQL_METRIC',
  'UDF_PREDICATE',
] as const
/** `NULL_VALUES` is the older name of MISSING_VALUES. */
export const measurementType = z.preprocess(
  (value) => (value === 'NULL_VALUES' ? 'MISSING_VALUES' : value),
  z.enum(measurementTypes),
)
export type MeasurementType = (typeof measurementTypes)[number]

export const scoreStrategy = z.enum(['CUSTOM', 'WEIGHTAGE', 'RULES'])
export type ScoreStrategy = z.infer<typeof scoreStrategy>

/** What a schedule can say of its runs. SELECTIVE needs bounds, which only a start has. */
export const scheduledExecutionType = z.enum(['FULL', 'INCREMENTAL'], 'must be FULL or INCREMENTAL')
export type ScheduledExecutionType = z.infer<typeof scheduledExecutionType>

/** ITEMS: the worst verdict of the items. SCORE: the score against `thresholdLevel`. */
export const verdictBasis = z.enum(['ITEMS', 'SCORE'])
export type VerdictBasis = z.infer<typeof verdictBasis>
