import { z } from 'zod'
import { pageMeta } from '../http/paging.ts'
import { id, isoTime } from '../values/scalars.ts'
import { backfillRecord } from './backfill.ts'
import {
  backingAssetRecord,
  engineType,
  itemRecord,
  labelRecord,
  policyFrame,
  type RuleAnswer,
  ruleAnswer,
} from './policy.ts'
import {
  anomalyStrengths,
  arrivalMeasurements,
  driftMeasures,
  driftMetrics,
  driftSeverities,
  joinTypes,
  mappingOperations,
  profileMetrics,
  reconciliationMeasurements,
} from './policy-families.ts'
import { scoreStrategy } from './policy-types.ts'
import { thresholdRecord } from './threshold.ts'

const filterType = z.enum(['STATIC', 'DYNAMIC'])

/** Fields of `details` in addition to its items, for every policy type except data quality. */
const detailsFrame = {
  id,
  ruleId: id,
  version: z.int(),
  ruleVersion: z.int(),
  isCompositeRule: z.boolean(),
  isSegmented: z.boolean(),
  segments: z.array(z.unknown()),
  continueExecutionOnFailure: z.boolean(),
  executionSequence: z.int(),
  policyScoreStrategy: scoreStrategy,
  treatZeroRowsAsSuccess: z.boolean(),
  filter: z.string().nullable(),
  tenantId: z.string(),
}
const itemFrame = {
  id,
  ruleId: id,
  ruleVersion: z.int(),
  executionOrder: z.int(),
  thresholdConfig: thresholdRecord.nullable(),
}

/** An item of reconciliation and equality. `version` is the policy's, like `ruleVersion`. */
export const reconciliationItem = z
  .object({
    ...itemFrame,
    version: z.int(),
    measurementType: z.enum(reconciliationMeasurements),
    /** For TIMELINESS: a date or time column of the left table. Records of older versions lack this and `value`. */
    columnName: z.string().nullish(),
    /** For TIMELINESS `{maxDelay}` in seconds; for CUSTOM `{leftSql, rightSql, absolute, relative}`. */
    value: z.record(z.string(), z.unknown()).nullish(),
  })
  .meta({ id: 'ReconciliationItem' })

/** An item in the record of a run, with the constants that existing clients read there. */
export const executedReconciliationItem = reconciliationItem
  .extend({
    name: z.string(),
    resultThreshold: z.literal(100),
    weightage: z.literal(1),
    aggregateType: z.literal('RULE'),
    isWarning: z.literal(false),
    isDimension: z.literal(false),
    isArchived: z.literal(false),
    labels: z.array(z.never()),
  })
  .meta({ id: 'ExecutedReconciliationItem' })
export type ExecutedReconciliationItem = z.infer<typeof executedReconciliationItem>

export const columnMapping = z
  .object({
    id,
    reconciliationRuleId: id,
    ruleVersion: z.int(),
    leftColumnName: z.string(),
    rightColumnName: z.string(),
    name: z.string(),
    operation: z.enum(mappingOperations),
    mappingType: z.enum(['AUTO', 'MANUAL']),
    useForJoining: z.boolean(),
    ignoreNullValues: z.boolean(),
    isJoinColumnUsedForMeasure: z.boolean(),
    isWarning: z.boolean(),
    isArchived: z.boolean(),
    weightage: z.number(),
    tolerance: z
      .object({
        absolute: z.number().nullable(),
        relative: z.number().nullable(),
        timeUnit: z.enum(['MILLISECONDS', 'SECONDS', 'MINUTES', 'HOURS', 'DAYS']).nullable(),
        trim: z.boolean(),
        ignoreCase: z.boolean(),
      })
      .nullable(),
    businessExplanation: z.string().nullable(),
    labels: z.array(labelRecord),
    deletedAt: isoTime.nullable(),
  })
  .meta({ id: 'ColumnMapping' })

const sides = {
  leftFilter: z.string().nullable(),
  rightFilter: z.string().nullable(),
  leftSparkSQLFilterType: filterType,
  rightSparkSQLFilterType: filterType,
  leftSparkFilterSelectedColumns: z.array(z.string()),
  rightSparkFilterSelectedColumns: z.array(z.string()),
  leftSparkSQLDynamicFilterVariableMapping: z.null(),
  rightSparkSQLDynamicFilterVariableMapping: z.null(),
  leftCustomSqlConfig: z.null(),
  rightCustomSqlConfig: z.null(),
  rightEngineType: engineType.nullable(),
  joinType: z.enum(joinTypes).nullable(),
  timeSecondsOffset: z.int(),
  delayInMinutes: z.int().nullable(),
}
export const reconciliationAnswer = z
  .object({
    rule: z
      .object({
        ...policyFrame,
        type: z.enum(['RECONCILIATION', 'EQUALITY']),
        leftBackingAsset: backingAssetRecord,
        rightBackingAsset: backingAssetRecord,
        ...sides,
        analyticsPipelineId: z.null(),
      })
      .meta({ id: 'ReconciliationRule' }),
    details: z.object({
      ...detailsFrame,
      ...sides,
      leftBackingAssetId: id,
      rightBackingAssetId: id,
      items: z.array(reconciliationItem),
      columnMappings: z.array(columnMapping),
      engineType: engineType.nullable(),
      leftEngineType: engineType.nullable(),
      subType: z.enum(['ASSET', 'SQL']),
    }),
  })
  .meta({ id: 'ReconciliationRuleResponse' })

export const dataDriftItem = z
  .object({
    ...itemFrame,
    name: z.string(),
    columnName: z.string().nullable(),
    /** Not used with a `measure`; COMPLETENESS if only that was sent. */
    metricType: z.enum(driftMetrics),
    /** In percent. Not used if `thresholdConfig` is ANOMALY, because the threshold is then learned. */
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

export const schemaDriftItem = z
  .object({
    ...itemFrame,
    assetId: id,
    schemaDriftRuleConfig: z
      .object({
        assetAddition: z.boolean(),
        assetDeletion: z.boolean(),
        assetMetaData: z.boolean(),
        metaDataConfigs: z.array(z.string()),
        assetRelationChange: z.boolean().nullable(),
        dataType: z.boolean().nullable(),
      })
      .nullable(),
  })
  .meta({ id: 'SchemaDriftItem' })

const severity = z.enum(driftSeverities)
export const severityRecord = z
  .object({
    added: severity,
    removed: severity,
    renamed: severity,
    typeWidened: severity,
    typeChanged: severity,
    nullability: severity,
    order: severity,
  })
  .meta({ id: 'SchemaDriftSeverity' })

export const schemaDriftAnswer = z
  .object({
    rule: z
      .object({
        ...policyFrame,
        type: z.literal('SCHEMA_DRIFT'),
        backingAsset: backingAssetRecord,
        assemblyId: z.int().nullable(),
        severity: severityRecord,
      })
      .meta({ id: 'SchemaDriftRule' }),
    details: z.object({ ...detailsFrame, backingAssetId: id, items: z.array(schemaDriftItem) }),
  })
  .meta({ id: 'SchemaDriftRuleResponse' })

/** Definitions that were published before it existed lack it. */
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
        /** The highest number to expect from one series with one value a day, at this sensitivity. */
        expectedFalseAlarmsPerMonth: z.number(),
      })
      .meta({ id: 'AnomalyRule' }),
    details: z.object({ ...detailsFrame, assetId: id, backingAssetId: id, items: z.array(anomalyItem) }),
  })
  .meta({ id: 'AnomalyRuleResponse' })

export const arrivalItem = z
  .object({
    ...itemFrame,
    displayName: z.string(),
    measurementType: z.enum(arrivalMeasurements),
    columnName: z.string().nullable(),
    /** For freshness: `maxAge`, an ISO 8601 duration; `null` means the usual age of the asset. */
    value: z.record(z.string(), z.unknown()).nullable(),
  })
  .meta({ id: 'CadenceItem' })

/** An item in the record of a run, with the constants that existing clients read there. */
export const executedArrivalItem = arrivalItem
  .extend({
    name: z.string(),
    resultThreshold: z.literal(100),
    weightage: z.literal(1),
    aggregateType: z.literal('RULE'),
    isWarning: z.literal(false),
    isDimension: z.literal(false),
    isArchived: z.literal(false),
    labels: z.array(z.never()),
  })
  .meta({ id: 'ExecutedCadenceItem' })
export type ExecutedArrivalItem = z.infer<typeof executedArrivalItem>

export const cadenceAnswer = z
  .object({
    rule: z
      .object({
        ...policyFrame,
        type: z.enum(['DATA_CADENCE', 'DATA_FRESHNESS']),
        backingAsset: backingAssetRecord,
        anomalyStrengthThreshold: z.enum(anomalyStrengths),
      })
      .meta({ id: 'DataCadenceRule' }),
    details: z.object({ ...detailsFrame, backingAssetId: id, items: z.array(arrivalItem) }),
  })
  .meta({ id: 'DataCadenceRuleResponse' })

/** A policy of any type as its own routes show it; `rule.type` names the type. */
export const policyAnswer = z.union([
  ruleAnswer,
  reconciliationAnswer,
  dataDriftAnswer,
  schemaDriftAnswer,
  anomalyAnswer,
  cadenceAnswer,
])
export type PolicyAnswer = z.infer<typeof policyAnswer>
export type ReconciliationAnswer = z.infer<typeof reconciliationAnswer>
export type DataDriftAnswer = z.infer<typeof dataDriftAnswer>
export type SchemaDriftAnswer = z.infer<typeof schemaDriftAnswer>
export type AnomalyAnswer = z.infer<typeof anomalyAnswer>
export type CadenceAnswer = z.infer<typeof cadenceAnswer>

/** A type guard, because comparing the nested `rule.type` does not narrow the union. */
export function isDataQuality(answer: PolicyAnswer): answer is RuleAnswer {
  return answer.rule.type === 'DATA_QUALITY'
}
export function isDataDrift(answer: PolicyAnswer): answer is DataDriftAnswer {
  return answer.rule.type === 'DATA_DRIFT'
}
export function isSchemaDrift(answer: PolicyAnswer): answer is SchemaDriftAnswer {
  return answer.rule.type === 'SCHEMA_DRIFT'
}
export function isAnomaly(answer: PolicyAnswer): answer is AnomalyAnswer {
  return answer.rule.type === 'PROFILE_ANOMALY' || answer.rule.type === 'AUTO_ANOMALY'
}
export function isCadence(answer: PolicyAnswer): answer is CadenceAnswer {
  return answer.rule.type === 'DATA_CADENCE' || answer.rule.type === 'DATA_FRESHNESS'
}
export function isReconciliation(answer: PolicyAnswer): answer is ReconciliationAnswer {
  return answer.rule.type === 'RECONCILIATION' || answer.rule.type === 'EQUALITY'
}

const listOf = <T extends z.ZodType>(answer: T) => z.object({ rules: z.array(answer), meta: pageMeta })
const itemsOf = <T extends z.ZodType>(item: T) => z.object({ items: z.array(item) })

/** The answers of a family's routes: one policy, a page of policies, the items of a policy. */
export const policyRecords = {
  quality: { answer: ruleAnswer, list: listOf(ruleAnswer), items: itemsOf(itemRecord) },
  reconciliation: {
    answer: reconciliationAnswer,
    list: listOf(reconciliationAnswer),
    items: itemsOf(reconciliationItem),
  },
  'data-drift': { answer: dataDriftAnswer, list: listOf(dataDriftAnswer), items: itemsOf(dataDriftItem) },
  'schema-drift': { answer: schemaDriftAnswer, list: listOf(schemaDriftAnswer), items: itemsOf(schemaDriftItem) },
  anomaly: { answer: anomalyAnswer, list: listOf(anomalyAnswer), items: itemsOf(anomalyItem) },
  cadence: { answer: cadenceAnswer, list: listOf(cadenceAnswer), items: itemsOf(arrivalItem) },
} as const
