import { z } from 'zod'
import { strictly } from '../../fields/field-rules.ts'
import { id, optional } from '../../values/scalars.ts'
import { backfillInput, backfillRecord } from '../backfill.ts'
import { backingAssetRecord, policyFrame } from '../policy.ts'
import { ruleInput } from '../policy-input.ts'
import { listOf, policyFamily } from './family.ts'
import { columnName, detailsFrame, itemFrame, itemInputFrame, itemName, weather } from './frames.ts'

export const anomalyStrengths = ['HIGH', 'MEDIUM', 'LOW'] as const
export type AnomalyStrength = (typeof anomalyStrengths)[number]

/** Metrics of a profile. ROW_COUNT is a metric of the table, the others are metrics of columns. */
export const profileMetrics = [
  'ROW_COUNT',
  'COMPLETENESS',
  'APPROXIMATE_DISTINCT_VALUES',
  'MEAN',
  'MINIMUM',
  'MAXIMUM',
  'SUM',
  'STANDARD_DEVIATION',
  'MEDIAN',
  'LENGTH',
  'DATA_TYPE',
] as const
export type ProfileMetric = (typeof profileMetrics)[number]
/** FRESHNESS, VOLUME and SCHEMA are metrics of the table that only auto anomaly policies watch. */
export const watchedMetrics = [...profileMetrics, 'FRESHNESS', 'VOLUME', 'SCHEMA'] as const
export type WatchedMetric = (typeof watchedMetrics)[number]

/** `columns` is another name of `monitorColumns`. */
export const anomalyItemInput = z.object({
  ...itemInputFrame,
  name: itemName,
  monitorColumns: optional(z.array(columnName).max(2000)),
  columns: optional(z.array(columnName).max(2000)),
  metrics: optional(z.array(z.enum(profileMetrics)).max(100)),
})
export type AnomalyItemInput = z.infer<typeof anomalyItemInput>

/** `sensitivity` is another name of `anomalyStrengthThreshold`. */
export const strengthRule = ruleInput.extend({
  anomalyStrengthThreshold: optional(z.enum(anomalyStrengths)),
  sensitivity: optional(z.enum(anomalyStrengths)),
})
const anomalyRule = strengthRule.extend({ backfill: optional(strictly(backfillInput)) })

/** Optional, because older published definitions lack it. */
const backfill = backfillRecord.exactOptional()

export const anomalyItem = z
  .object({
    ...itemFrame,
    name: z.string(),
    /** `null` means all columns. */
    monitorColumns: z.array(z.string()).nullable(),
    /** `null` means all metrics that the policy's type watches. */
    metrics: z.array(z.enum(profileMetrics)).nullable(),
  })
  .meta({ id: 'AnomalyItem' })

export const anomalyAnswer = z
  .object({
    rule: z
      .object({
        ...policyFrame,
        type: z.enum(['PROFILE_ANOMALY', 'AUTO_ANOMALY']),
        backingAsset: backingAssetRecord,
        anomalyStrengthThreshold: z.enum(anomalyStrengths),
        backfill,
        /** The highest number of false alarms to expect at this sensitivity, from one series with one value a day. */
        expectedFalseAlarmsPerMonth: z.number(),
      })
      .meta({ id: 'AnomalyRule' }),
    details: z.object({ ...detailsFrame, assetId: id, backingAssetId: id, items: z.array(anomalyItem) }),
  })
  .meta({ id: 'AnomalyRuleResponse' })

const family = policyFamily('anomaly', {
  rule: anomalyRule,
  lists: { items: listOf(anomalyItemInput) },
  answer: anomalyAnswer,
  item: anomalyItem,
})
const example = {
  rule: { name: 'The weather has no outliers', backingAsset: weather, anomalyStrengthThreshold: 'MEDIUM' },
  items: [{ monitorColumns: ['precipitation', 'temp_max'] }],
}

export const profileAnomaly = { ...family, example, unscheduledBy: 'guide', createId: 'createProfileAnomaly' } as const
export const autoAnomaly = {
  ...family,
  example: { ...example, rule: { ...example.rule, name: 'The weather is as usual' } },
} as const
