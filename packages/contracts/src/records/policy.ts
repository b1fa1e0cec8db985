import { z } from 'zod'
import { id, isoTime } from '../values/scalars.ts'
import { backfillRecord } from './backfill.ts'
import { measurementTypes } from './item-kinds.ts'
import { policyType, scheduledExecutionType, scoreStrategy, verdictBasis } from './policy-types.ts'
import { thresholdRecord } from './threshold.ts'

export const scheduleAnswer = z
  .object({
    policyId: id,
    policyType,
    scheduled: z.boolean(),
    version: z.int(),
    cronExpression: z.string().nullable(),
    timeZone: z.string(),
    executionType: scheduledExecutionType.nullable(),
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

/** The stored schedule of a policy. `enabled`: whether it is active. `backingAssetId`: null if the policy has two. */
export const jobSchedule = z
  .object({
    id: z.null(),
    name: z.null(),
    cronExpression: z.string(),
    timeZone: z.string(),
    enabled: z.boolean(),
    scheduleType: z.literal('CRON'),
    backingAssetId: id.nullable(),
    /** `null` means INCREMENTAL if the policy has a stored marker, else FULL. */
    executionType: scheduledExecutionType.nullable(),
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
  scheduleExecutionType: scheduledExecutionType.nullable(),
  thresholdLevel: thresholdRecord,
  verdictBy: verdictBasis,
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
  notificationChannels: z.record(z.string(), z.unknown()).nullable(),
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
    /** Present only if an item learns usual values. */
    backfill: backfillRecord.exactOptional(),
    /**
     * The highest number of false alarms to expect from the items that learn usual values, if each has one value a
     * day.
     */
    expectedFalseAlarmsPerMonth: z.number().exactOptional(),
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
