import { z } from 'zod'
import { strictly, withFieldRules } from '../../fields/field-rules.ts'
import { freeObject, id, optional, plainText } from '../../values/scalars.ts'
import { backingAssetRecord, policyFrame } from '../policy.ts'
import { ruleInput } from '../policy-input.ts'
import { listOf, policyFamily } from './family.ts'
import {
  columnName,
  detailsFrame,
  expectedFalseAlarmsPerMonth,
  itemFrame,
  itemInputFrame,
  itemName,
  weather,
} from './frames.ts'

export const driftMetrics = [
  'COMPLETENESS',
  'APPROXIMATE_DISTINCT_VALUES',
  'DATA_TYPE',
  'MEAN',
  'MAXIMUM',
  'MINIMUM',
  'SUM',
  'STANDARD_DEVIATION',
  'LENGTH',
  'CASE_COUNTS',
] as const
export type DriftMetric = (typeof driftMetrics)[number]
export const driftMeasures = ['JS', 'PSI', 'WASSERSTEIN', 'LINF', 'KS', 'CHI2'] as const
export type DriftMeasure = (typeof driftMeasures)[number]

/**
 * If there is a `measure`, `metricType` is not used. `driftThreshold` is in percent; if it is absent, the threshold is
 * learned.
 */
export const dataDriftItemInput = z.object({
  ...itemInputFrame,
  columnName: optional(columnName),
  metricType: optional(z.enum(driftMetrics)),
  driftThreshold: optional(z.number().min(0)),
  measure: optional(z.enum(driftMeasures)),
  name: itemName,
  weightage: optional(z.number().min(0).max(1_000_000)),
  /** Not read yet. */
  value: optional(withFieldRules(freeObject, { strict: true, names: z.object({}) })),
})
export type DataDriftItemInput = z.infer<typeof dataDriftItemInput>

export const baselineInput = z.discriminatedUnion('type', [
  z.object({ type: z.literal('PREVIOUS') }),
  z.object({
    type: z.literal('WINDOW'),
    window: z.int().min(1).max(10_000).prefault(7),
    windowType: z.enum(['RUNS', 'DAYS', 'HOURS', 'MINUTES']).prefault('DAYS'),
  }),
  z.object({
    type: z.literal('REFERENCE'),
    referenceAssetId: optional(id),
    referenceAssetUid: optional(plainText(10_000).min(1)),
  }),
  z.object({ type: z.literal('EXECUTION'), executionId: id }),
])
export type BaselineInput = z.infer<typeof baselineInput>

const dataDriftRule = ruleInput.extend({
  interval: optional(plainText(20).regex(/^[1-9]\d{0,5}[mhdw]$/, "must be a number and m, h, d or w, such as '1d'")),
  baseline: optional(strictly(baselineInput)),
})

export const dataDriftItem = z
  .object({
    ...itemFrame,
    name: z.string(),
    columnName: z.string().nullable(),
    /** Not used with a `measure`. It is COMPLETENESS if only a measure was sent. */
    metricType: z.enum(driftMetrics),
    /** In percent. Ignored if `thresholdConfig` is ANOMALY, because the threshold is then learned. */
    driftThreshold: z.number(),
    /** `null` means the change of the metric. */
    measure: z.enum(driftMeasures).nullable(),
    weightage: z.number(),
    isArchived: z.boolean(),
    value: z.record(z.string(), z.unknown()).nullable(),
  })
  .meta({ id: 'DataDriftItem' })

export const baselineRecord = z
  .discriminatedUnion('type', [
    z.object({ type: z.literal('PREVIOUS') }),
    z.object({
      type: z.literal('WINDOW'),
      window: z.int(),
      windowType: z.enum(['RUNS', 'DAYS', 'HOURS', 'MINUTES']),
    }),
    z.object({ type: z.literal('REFERENCE'), referenceAssetId: id, referenceAssetUid: z.string() }),
    z.object({ type: z.literal('EXECUTION'), executionId: id }),
  ])
  .meta({ id: 'DriftBaseline' })

export const dataDriftAnswer = z
  .object({
    rule: z
      .object({
        ...policyFrame,
        type: z.literal('DATA_DRIFT'),
        backingAsset: backingAssetRecord,
        interval: z.string(),
        baseline: baselineRecord,
        expectedFalseAlarmsPerMonth,
      })
      .meta({ id: 'DataDriftRule' }),
    details: z.object({
      ...detailsFrame,
      backingAssetId: id,
      interval: z.string(),
      items: z.array(dataDriftItem),
    }),
  })
  .meta({ id: 'DataDriftRuleResponse' })

const family = policyFamily('data-drift', {
  rule: dataDriftRule,
  lists: { items: listOf(dataDriftItemInput) },
  answer: dataDriftAnswer,
  item: dataDriftItem,
})

export const dataDrift = {
  ...family,
  example: {
    rule: { name: 'The climate stays as it is', backingAsset: weather, baseline: { type: 'PREVIOUS' } },
    items: [{ columnName: 'temp_max', metricType: 'MEAN', driftThreshold: 0.1 }],
  },
  unscheduledBy: 'guide',
} as const
