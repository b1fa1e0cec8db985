import { z } from 'zod'
import { strictly, withFieldRules } from '../fields/field-rules.ts'
import { freeObject, id, optional, plainText } from '../values/scalars.ts'
import { backfillInput } from './backfill.ts'
import { comparisonItemValue } from './comparison-items.ts'
import { backingAssetInput, emptyLists, itemInput, labelsInput, ruleFrameInput, ruleInput } from './policy-input.ts'
import { thresholdInput } from './threshold.ts'

/** The families of policies with the same structure; reconciliation and equality, for example, share one. */
export type PolicyFamily = 'quality' | 'reconciliation' | 'data-drift' | 'schema-drift' | 'anomaly' | 'cadence'

export const reconciliationMeasurements = [
  'EQUALITY',
  'COUNT',
  'PROFILE_EQUALITY',
  'HASHED_EQUALITY',
  'TIMELINESS',
  'CUSTOM',
  'ROW_COUNT_EQUALITY',
] as const
/** The measurement of a policy without items. */
export const wholeMeasurement: ReconciliationMeasurement = 'EQUALITY'
export type ReconciliationMeasurement = (typeof reconciliationMeasurements)[number]

export const mappingOperations = ['EQ', 'NOT_EQ', 'GTE', 'GT', 'LTE', 'LT'] as const
export const joinTypes = ['INNER', 'LEFT', 'RIGHT', 'FULL', 'CROSS'] as const

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

/** Measurements of DATA_FRESHNESS policies; the others belong to DATA_CADENCE. */
export const freshnessMeasurements = ['DATA_FRESHNESS', 'RAW_DATA_FRESHNESS'] as const
export const cadenceMeasurements = [
  'RECORD_COUNT_TOTAL',
  'RECORD_COUNT_DRIFT',
  'DATA_VOLUME_TOTAL',
  'DATA_VOLUME_DRIFT',
  'FILE_COUNT_TOTAL',
  'FILE_COUNT_DRIFT',
  'CHANGE_IN_FILE_SIZE',
  'ABSOLUTE_FILE_SIZE',
  'RAW_ABSOLUTE_SIZE',
  'MESSAGES_COUNT_TOTAL',
  'MESSAGES_COUNT_DRIFT',
  'CHANGE_IN_TOPIC_SIZE',
  'ABSOLUTE_TOPIC_SIZE',
] as const
export const arrivalMeasurements = [...freshnessMeasurements, ...cadenceMeasurements] as const
export type ArrivalMeasurement = (typeof arrivalMeasurements)[number]

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

export const driftSeverities = ['ERROR', 'WARNING', 'IGNORE'] as const
export type DriftSeverity = (typeof driftSeverities)[number]

/** Fields of an item in every family except data quality. */
const itemFrame = {
  id: optional(id),
  executionOrder: optional(z.int().min(0)),
  thresholdConfig: optional(strictly(thresholdInput)),
}
const itemName = optional(plainText(255).trim().min(1))
const columnName = plainText(10_000).min(1)

export const reconciliationItemInput = z.object({
  ...itemFrame,
  measurementType: z.enum(reconciliationMeasurements),
  columnName: optional(columnName),
  value: optional(strictly(comparisonItemValue)),
})
export type ReconciliationItemInput = z.infer<typeof reconciliationItemInput>

export const toleranceInput = z.object({
  absolute: optional(z.number().min(0)),
  relative: optional(z.number().min(0)),
  timeUnit: optional(z.enum(['MILLISECONDS', 'SECONDS', 'MINUTES', 'HOURS', 'DAYS'])),
  trim: optional(z.boolean()),
  ignoreCase: optional(z.boolean()),
})

export const mappingInput = z.object({
  id: optional(id),
  leftColumnName: columnName,
  rightColumnName: columnName,
  name: itemName,
  operation: optional(z.enum(mappingOperations)),
  mappingType: optional(z.enum(['AUTO', 'MANUAL'])),
  useForJoining: optional(z.boolean()),
  ignoreNullValues: optional(z.boolean()),
  isJoinColumnUsedForMeasure: optional(z.boolean()),
  isWarning: optional(z.boolean()),
  weightage: optional(z.number().min(0).max(1_000_000)),
  tolerance: optional(toleranceInput),
  businessExplanation: optional(plainText(10_000)),
  labels: optional(labelsInput),
})
export type MappingInput = z.infer<typeof mappingInput>

/** A mapping that a policy may have. */
export const suggestedMapping = z
  .object({
    leftColumnName: z.string(),
    rightColumnName: z.string(),
    useForJoining: z.boolean(),
    mappingType: z.literal('AUTO'),
  })
  .meta({ id: 'SuggestedMapping' })
export type SuggestedMapping = z.infer<typeof suggestedMapping>

/** With `measure`, `metricType` is not used. `driftThreshold` is in percent; if absent, the threshold is learned. */
export const dataDriftItemInput = z.object({
  ...itemFrame,
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

export const schemaDriftItemInput = z.object({
  ...itemFrame,
  assetId: optional(id),
  schemaDriftRuleConfig: optional(
    z.object({
      assetAddition: z.boolean(),
      assetDeletion: z.boolean(),
      assetMetaData: z.boolean(),
      metaDataConfigs: optional(z.array(plainText(255)).max(100)),
      assetRelationChange: optional(z.boolean()),
      dataType: optional(z.boolean()),
    }),
  ),
})
export type SchemaDriftItemInput = z.infer<typeof schemaDriftItemInput>

const severity = optional(z.enum(driftSeverities))
/** `typeChanged` alone also sets `typeWidened`. */
export const severityInput = z.object({
  added: severity,
  removed: severity,
  renamed: severity,
  typeWidened: severity,
  typeChanged: severity,
  nullability: severity,
  order: severity,
})

/** `columns` is another name of `monitorColumns`. */
export const anomalyItemInput = z.object({
  ...itemFrame,
  name: itemName,
  monitorColumns: optional(z.array(columnName).max(2000)),
  columns: optional(z.array(columnName).max(2000)),
  metrics: optional(z.array(z.enum(profileMetrics)).max(100)),
})
export type AnomalyItemInput = z.infer<typeof anomalyItemInput>

export const arrivalItemInput = z.object({
  ...itemFrame,
  measurementType: z.enum(arrivalMeasurements),
  displayName: itemName,
  name: itemName,
  columnName: optional(columnName),
  value: optional(withFieldRules(freeObject, { strict: true, names: z.object({ maxAge: optional(plainText(100)) }) })),
})
export type ArrivalItemInput = z.infer<typeof arrivalItemInput>

const twoSidedRule = ruleFrameInput.extend({
  leftBackingAsset: optional(backingAssetInput),
  rightBackingAsset: optional(backingAssetInput),
  details: optional(z.object({ leftBackingAssetId: optional(id), rightBackingAssetId: optional(id) })),
  leftFilter: optional(plainText(100_000)),
  rightFilter: optional(plainText(100_000)),
  joinType: optional(z.enum(joinTypes)),
  timeSecondsOffset: optional(z.int().min(-31_536_000).max(31_536_000)),
  delayInMinutes: optional(z.int().min(0).max(525_600)),
})
const dataDriftRule = ruleInput.extend({
  interval: optional(plainText(20).regex(/^[1-9]\d{0,5}[mhdw]$/, "must be a number and m, h, d or w, such as '1d'")),
  baseline: optional(strictly(baselineInput)),
})
const schemaDriftRule = ruleInput.extend({ severity: optional(strictly(severityInput)) })
/** `sensitivity` is another name of `anomalyStrengthThreshold`. */
const strengthRule = ruleInput.extend({
  anomalyStrengthThreshold: optional(z.enum(anomalyStrengths)),
  sensitivity: optional(z.enum(anomalyStrengths)),
})
const anomalyRule = strengthRule.extend({ backfill: optional(strictly(backfillInput)) })

const listOf = <T extends z.ZodType>(item: T) => optional(z.array(item).max(500))

const mappingList = optional(z.array(mappingInput).max(1000))

/** Bodies of create and update; the parsed value names its family. */
export const policyRequests = {
  quality: {
    create: z
      .object({ rule: ruleInput, items: listOf(itemInput), ...emptyLists })
      .transform((sent) => ({ family: 'quality' as const, ...sent })),
    // The interface requires `rule` here, even if it is empty.
    update: z
      .object({ rule: ruleInput, items: listOf(itemInput), ...emptyLists })
      .transform((sent) => ({ family: 'quality' as const, ...sent })),
  },
  reconciliation: {
    create: z
      .object({ rule: twoSidedRule, items: listOf(reconciliationItemInput), mappings: mappingList })
      .transform((sent) => ({ family: 'reconciliation' as const, ...sent })),
    update: z
      .object({ rule: optional(twoSidedRule), items: listOf(reconciliationItemInput), mappings: mappingList })
      .transform((sent) => ({ family: 'reconciliation' as const, ...sent })),
  },
  'data-drift': {
    create: z
      .object({ rule: dataDriftRule, items: listOf(dataDriftItemInput) })
      .transform((sent) => ({ family: 'data-drift' as const, ...sent })),
    update: z
      .object({ rule: optional(dataDriftRule), items: listOf(dataDriftItemInput) })
      .transform((sent) => ({ family: 'data-drift' as const, ...sent })),
  },
  'schema-drift': {
    create: z
      .object({ rule: schemaDriftRule, items: listOf(schemaDriftItemInput) })
      .transform((sent) => ({ family: 'schema-drift' as const, ...sent })),
    update: z
      .object({ rule: optional(schemaDriftRule), items: listOf(schemaDriftItemInput) })
      .transform((sent) => ({ family: 'schema-drift' as const, ...sent })),
  },
  anomaly: {
    create: z
      .object({ rule: anomalyRule, items: listOf(anomalyItemInput) })
      .transform((sent) => ({ family: 'anomaly' as const, ...sent })),
    update: z
      .object({ rule: optional(anomalyRule), items: listOf(anomalyItemInput) })
      .transform((sent) => ({ family: 'anomaly' as const, ...sent })),
  },
  cadence: {
    create: z
      .object({ rule: strengthRule, items: listOf(arrivalItemInput) })
      .transform((sent) => ({ family: 'cadence' as const, ...sent })),
    update: z
      .object({ rule: optional(strengthRule), items: listOf(arrivalItemInput) })
      .transform((sent) => ({ family: 'cadence' as const, ...sent })),
  },
} as const satisfies Record<PolicyFamily, { create: z.ZodType; update: z.ZodType }>

type Requests = typeof policyRequests
/** A body that creates a policy. */
export type PolicyCreation = { [F in PolicyFamily]: z.output<Requests[F]['create']> }[PolicyFamily]
/** A body that changes a policy. A list replaces the stored one; an absent list stays. */
export type PolicyChange = { [F in PolicyFamily]: z.output<Requests[F]['update']> }[PolicyFamily]
