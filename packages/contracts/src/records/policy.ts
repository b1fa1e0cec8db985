import { z } from 'zod'
import { defaultTemplate } from '../values/persistence-template.ts'
import { freeObject, id, isoTime, optional, plainText } from '../values/scalars.ts'
import { thresholdInput, thresholdRecord } from './threshold.ts'

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

/** Policy names: 1 to 255 characters; not one that a path could not tell from an id or a route. */
export const policyName = plainText(1000)
  .trim()
  .min(1, 'must not be empty')
  .max(255)
  .refine((name) => !/^\d+$/.test(name), 'must not be only digits')
  .refine(
    (name) => !['executions', 'byName', 'byAsset'].includes(name) && !name.includes('/'),
    "must not be 'executions', 'byName' or 'byAsset', nor contain '/'",
  )

export const backingAssetInput = z.object({
  tableAssetId: optional(id),
  tableAssetUid: optional(plainText(10_000).min(1)),
  marker: optional(z.looseObject({ type: plainText(255).min(1) })),
})
export type BackingAssetInput = z.infer<typeof backingAssetInput>

export const labelsInput = z.array(z.object({ key: plainText(255), value: plainText(1000) })).max(100)

/** What people may set of an item. Absent fields of a new item get their defaults. */
export const itemInput = z.object({
  id: optional(id),
  measurementType,
  columnName: optional(plainText(10_000).min(1)),
  name: optional(plainText(255).trim().min(1)),
  executionOrder: optional(z.int().min(0)),
  value: optional(freeObject),
  /** Beside `value.pattern`, from older clients. */
  pattern: optional(plainText(100_000)),
  ruleExpression: optional(plainText(100_000)),
  aggregateType: optional(z.enum(['SUM', 'AVG', 'MIN', 'MAX', 'COUNT', 'RULE', 'CUSTOM'])),
  resultThreshold: optional(z.number().min(0).max(100)),
  thresholdConfig: optional(thresholdInput),
  weightage: optional(z.number().min(0).max(1_000_000)),
  isWarning: optional(z.boolean()),
  isDimension: optional(z.boolean()),
  filter: optional(plainText(100_000)),
  businessExplanation: optional(plainText(10_000)),
  labels: optional(labelsInput),
})
export type ItemInput = z.infer<typeof itemInput>

/** What people may set of a policy of any type; everything but the name has a default. Absent fields of an update stay. */
export const ruleFrameInput = z.object({
  name: optional(policyName),
  type: optional(policyType),
  description: optional(plainText(10_000)),
  enabled: optional(z.boolean()),
  thresholdLevel: optional(thresholdInput),
  policyScoreStrategy: optional(scoreStrategy),
  scoreItems: optional(z.array(plainText(255)).max(1000)),
  includeInQualityScore: optional(z.boolean()),
  treatZeroRowsAsSuccess: optional(z.boolean()),
  filter: optional(plainText(100_000)),
  scheduled: optional(z.boolean()),
  schedule: optional(plainText(255)),
  timeZone: optional(plainText(64)),
  executionTimeoutInMinutes: optional(z.int().min(1).max(1440)),
  labels: optional(labelsInput),
})
export type RuleFrameInput = z.infer<typeof ruleFrameInput>

/** A policy about one table, view or file. */
export const ruleInput = ruleFrameInput.extend({
  backingAsset: optional(backingAssetInput),
  details: optional(z.object({ backingAssetId: optional(id) })),
})
export type RuleInput = z.infer<typeof ruleInput>

/** What a schedule call may set; at least one of the three. */
export const scheduleRequest = z.object({
  scheduled: optional(z.boolean()),
  cronExpression: optional(plainText(255)),
  timeZone: optional(plainText(64)),
})
export type ScheduleRequest = z.infer<typeof scheduleRequest>

export const scheduleAnswer = z
  .object({
    policyId: id,
    policyType,
    scheduled: z.boolean(),
    version: z.int(),
    cronExpression: z.string().nullable(),
    timeZone: z.string(),
  })
  .meta({ id: 'PolicyScheduleResponse' })

export const labelRecord = z.object({ key: z.string(), value: z.string() }).meta({ id: 'Label' })

export const itemRecord = z
  .object({
    id,
    ruleId: id,
    ruleVersion: z.int(),
    name: z.string(),
    measurementType: z.enum(measurementTypes),
    columnName: z.string().nullable(),
    executionOrder: z.int(),
    value: z.record(z.string(), z.unknown()).nullable(),
    ruleExpression: z.string().nullable(),
    resultThreshold: z.number(),
    thresholdConfig: thresholdRecord,
    weightage: z.number(),
    aggregateType: z.enum(['SUM', 'AVG', 'MIN', 'MAX', 'COUNT', 'RULE', 'CUSTOM']),
    isWarning: z.boolean(),
    isDimension: z.boolean(),
    isArchived: z.boolean(),
    filter: z.string().nullable(),
    businessExplanation: z.string().nullable(),
    labels: z.array(labelRecord),
    executionInputs: z.null(),
    associatedDQRecommendationId: z.null(),
    bulkPolicyDqRuleId: z.null(),
  })
  .meta({ id: 'DataQualityItem' })
export type ItemRecord = z.infer<typeof itemRecord>

export const backingAssetRecord = z
  .object({
    id,
    ruleId: id,
    tableAssetId: id,
    tableAssetUid: z.string(),
    tableAlias: z.string().nullable(),
    customQuery: z.string().nullable(),
    customTableAssetIds: z.array(id).nullable(),
    marker: z.looseObject({ type: z.string() }).nullable(),
  })
  .meta({ id: 'BackingAsset' })

export const engineType = z.enum(['SPARK', 'JDBC_SQL', 'POD'])
const subType = z.enum(['ASSET', 'SQL'])

/** The stored schedule of a policy. `enabled`: whether it runs by it. `backingAssetId` is null where there are two. */
export const jobSchedule = z
  .object({
    id: z.null(),
    name: z.null(),
    cronExpression: z.string(),
    timeZone: z.string(),
    enabled: z.boolean(),
    scheduleType: z.literal('CRON'),
    backingAssetId: id.nullable(),
    /** A scheduled run reads everything. */
    marker: z.null(),
    tenantId: z.string(),
  })
  .meta({ id: 'JobSchedule' })
export type JobSchedule = z.infer<typeof jobSchedule>

export const policyFrame = {
  id,
  name: z.string(),
  description: z.string(),
  type: policyType,
  subType,
  version: z.int(),
  tenantId: z.string(),
  enabled: z.boolean(),
  archived: z.boolean(),
  archivalReason: z.string().nullable(),
  autoCreated: z.boolean(),
  isProtectedResource: z.boolean(),
  scheduled: z.boolean(),
  schedule: z.string().nullable(),
  timeZone: z.string(),
  jobSchedule: jobSchedule.nullable(),
  thresholdLevel: thresholdRecord,
  policyScoreStrategy: scoreStrategy,
  scoreItems: z.array(z.string()),
  includeInQualityScore: z.boolean(),
  treatZeroRowsAsSuccess: z.boolean(),
  isCompositeRule: z.boolean(),
  parentId: z.null(),
  executionSequence: z.int(),
  continueExecutionOnFailure: z.boolean(),
  ruleSetId: z.null(),
  filter: z.string().nullable(),
  sparkSQLFilterType: z.enum(['STATIC', 'DYNAMIC']),
  sparkFilterSelectedColumns: z.array(z.string()),
  sparkSQLDynamicFilterVariableMapping: z.null(),
  engineType: engineType.nullable(),
  resourceStrategyType: z.enum(['INVENTORY', 'CUSTOM']).nullable(),
  selectedResourceInventory: z.string().nullable(),
  sparkResourceConfig: z.null(),
  autoRetryEnabled: z.boolean(),
  executionTimeoutInMinutes: z.int().nullable(),
  totalExecutionTimeoutInMinutes: z.null(),
  additionalPersistedColumns: z.array(z.string()),
  labels: z.array(labelRecord),
  tags: z.array(z.object({ id, name: z.string(), ruleId: id, tagId: id, tenantId: z.string() })),
  policyGroups: z.array(z.unknown()),
  segments: z.array(z.unknown()),
  notificationChannels: z.null(),
  createdAt: isoTime,
  updatedAt: isoTime,
  createdBy: z.string(),
  lastUpdatedBy: z.string(),
}

/** A data quality policy: one backing asset. */
export const dataQualityRule = z
  .object({
    ...policyFrame,
    type: z.literal('DATA_QUALITY'),
    backingAsset: backingAssetRecord,
    customSqlConfig: z.null(),
  })
  .meta({ id: 'DataQualityRule' })
export type DataQualityRule = z.infer<typeof dataQualityRule>

/** A policy of any type, as lists show it. */
export const qualityRule = z
  .object({
    ...policyFrame,
    backingAssets: z.array(backingAssetRecord),
    policyTransformUDFS: z.array(z.unknown()),
    markedForDeletion: z.boolean(),
    markedForDeletionAt: z.null(),
    deletionReason: z.null(),
    analyticsPipelineId: z.null(),
    autoRetries: z.null(),
    leftCustomSqlConfig: z.null(),
    rightCustomSqlConfig: z.null(),
    rightEngineType: z.string().nullable(),
    rightFilter: z.string().nullable(),
    rightSparkFilterSelectedColumns: z.array(z.string()).nullable(),
    rightSparkSQLDynamicFilterVariableMapping: z.null(),
    rightSparkSQLFilterType: z.enum(['STATIC', 'DYNAMIC']),
    anomalyStrengthThreshold: z.enum(['HIGH', 'MEDIUM', 'LOW']).nullable(),
  })
  .meta({ id: 'QualityRule' })
export type QualityRule = z.infer<typeof qualityRule>

export const ruleDetails = z
  .object({
    id,
    ruleId: id,
    backingAssetId: id,
    items: z.array(itemRecord),
    isCompositeRule: z.boolean(),
    isSegmented: z.boolean(),
    segments: z.array(z.unknown()),
    continueExecutionOnFailure: z.boolean(),
    executionSequence: z.int(),
    policyScoreStrategy: scoreStrategy,
    treatZeroRowsAsSuccess: z.boolean(),
    filter: z.string().nullable(),
    parentId: z.null(),
    subType,
    engineType: engineType.nullable(),
    customSqlConfig: z.null(),
    jobSchedule: jobSchedule.nullable(),
    transformUDFs: z.array(z.unknown()),
    tenantId: z.string(),
  })
  .meta({ id: 'RuleDetails' })

export const ruleAnswer = z
  .object({ rule: dataQualityRule, details: ruleDetails, childRules: z.array(z.unknown()), engine: z.null() })
  .meta({ id: 'RuleResponse' })
export type RuleAnswer = z.infer<typeof ruleAnswer>
export const unarchiveAnswer = z.object({
  status: z.enum(['SUCCESS', 'FAILED_ON_BACKING_ASSET', 'FAILED_ON_RULE_ITEMS']),
})

export const rowFormatName = z.enum(['PARQUET', 'CSV', 'JSON'])
const categoryConfig = z.object({
  suffixTemplate: plainText(1000).min(1),
  format: optional(rowFormatName).transform((format) => format ?? 'PARQUET'),
})
/** Metadata of which nothing is said goes where it goes by default. */
export const categories = z.object({
  good: categoryConfig,
  bad: categoryConfig,
  metadata: optional(z.object({ suffixTemplate: plainText(1000).min(1) })).transform(
    (metadata) => metadata ?? { suffixTemplate: defaultTemplate },
  ),
})
export type CategoriesConfig = z.infer<typeof categories>

const resultHandling = z.object({ storeResult: z.boolean(), sampleOnly: z.boolean().default(false) })
/** Where a policy's results go and which are kept. */
export const ruleConfigInput = z.object({
  persistenceFolderPrefix: optional(plainText(255)),
  categoriesPersistenceConfig: optional(
    z.discriminatedUnion('type', [
      z.object({ type: z.literal('DEFAULT') }),
      z.object({ type: z.literal('CUSTOM'), categoriesConfig: categories }),
      z.object({ type: z.literal('SAVED'), configId: id }),
    ]),
  ),
  categoriesResultHandlingConfig: optional(z.object({ good: resultHandling, bad: resultHandling })),
})
export type RuleConfigInput = z.infer<typeof ruleConfigInput>
export const ruleConfigRecord = z
  .object({
    id,
    ruleId: id,
    persistenceFolderPrefix: z.string().nullable(),
    categoriesPersistenceConfig: z.looseObject({ type: z.enum(['DEFAULT', 'CUSTOM', 'SAVED']) }),
    categoriesResultHandlingConfig: z.object({ good: resultHandling, bad: resultHandling }),
  })
  .meta({ id: 'RuleConfig' })
