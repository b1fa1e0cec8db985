import { z } from 'zod'
import { pageMeta } from '../http/paging.ts'
import { id, isoTime } from '../values/scalars.ts'
import { anomalyFigures } from './anomaly.ts'
import { arrivalFields } from './arrival.ts'
import { backfilledPeriods } from './backfill.ts'
import { comparedRow, comparisonFields, comparisonFigures } from './comparison-figures.ts'
import { driftFigures } from './data-drift.ts'
import { dimension } from './item-kinds.ts'
import { executedItem } from './policies/table.ts'
import { qualityRule } from './policy.ts'
import { policyType, scheduledExecutionType, scoreStrategy, verdictBasis } from './policy-types.ts'
import { schemaDrift } from './schema-drift.ts'
import { sparkResourceRecord } from './spark-resources.ts'
import { thresholdRecord } from './threshold.ts'

/** RUNNING once the run was accepted. SUBMITTED only between acceptance by an external engine and the start there. */
export const executionStatus = z.enum(['SUBMITTED', 'RUNNING', 'SUCCESSFUL', 'FAILED', 'ABORTED'])
export type ExecutionStatus = z.infer<typeof executionStatus>
/** The verdict. RUNNING until there is one, ABORTED if the run was cancelled. */
export const resultStatus = z.enum(['RUNNING', 'SUCCESSFUL', 'WARNING', 'ERRORED', 'ABORTED'])
export type ResultStatus = z.infer<typeof resultStatus>
/** The verdict in records; HIDDEN if it depends on columns that the key may not see. */
const shownResultStatus = z.enum([...resultStatus.options, 'HIDDEN'])
/** The verdict of one item. */
export const itemVerdict = z.enum(['SUCCESSFUL', 'WARNING', 'ERRORED'])
export type ItemVerdict = z.infer<typeof itemVerdict>
export const executionMode = z.enum(['SCHEDULED', 'MANUAL', 'API'])
export const executionType = z.enum(['FULL', 'INCREMENTAL', 'SELECTIVE'])

const policyFilterType = z.enum(['STATIC', 'DYNAMIC'])

/** A run of any policy type, on every route. Answers have `policyScoreStrategy` next to this record, never in it. */
export const ruleExecution = z
  .object({
    id,
    ruleId: id,
    ruleName: z.string(),
    ruleType: policyType,
    ruleVersion: z.int(),
    parentId: z.null(),
    executionMode,
    executionStatus,
    resultStatus: shownResultStatus,
    executionType,
    startedAt: isoTime,
    finishedAt: isoTime.nullable(),
    executionError: z.string().nullable(),
    thresholdLevel: thresholdRecord,
    verdictBy: verdictBasis,
    includeInQualityScore: z.boolean(),
    dataPersistenceEnabled: z.boolean(),
    ruleSelectionEnabled: z.boolean(),
    allowRerun: z.boolean(),
    isProtectedResource: z.boolean(),
    isResourceRequestedAtRunTime: z.boolean(),
    participatingColumns: z.array(z.string()),
    policyResultStatusStrategy: scoreStrategy,
    sparkSQLFilterType: policyFilterType,
    rightSparkSQLFilterType: policyFilterType,
    autoRetryEnabled: z.boolean(),
    persistencePath: z.string().nullable(),
    /** Category (`good`, `bad`, `metadata`) to the key of its folder or file below the persistence root. */
    resultPersistencePath: z.record(z.string(), z.string()).nullable(),
    /** The marker that selected the rows: the policy's stored marker or the start request's. `null` means all rows. */
    markerConfig: z.looseObject({ type: z.string() }).nullable(),
    /** The same marker, with the end of the rows that were read as its `initialOffset`. */
    lastMarker: z.looseObject({ type: z.string() }).nullable(),
    engineType: z.null(),
    resourceStrategyType: z.null(),
    sparkResourceConfig: sparkResourceRecord.nullable(),
    requestId: z.string(),
    jobState: z.enum([
      'QUEUED',
      'WAITING',
      'RUNNING',
      'READ_DATA',
      'DQ_BATCH_RULES',
      'DQ_BAD_RESULT_STORE',
      'SUCCESSFUL',
      'FAILED',
      'ABORTED',
    ]),
    lastHealthUpdateAt: isoTime.nullable(),
    executedBy: z.string(),
    scheduleInstanceId: z.string().nullable(),
    filter: z.string().nullable(),
    rightFilter: z.string().nullable(),
    treatZeroRowsAsSuccess: z.boolean(),
    analysisJob: z.null(),
    /** The markers of each side of a policy with two assets. */
    leftMarkerConfig: z.looseObject({ type: z.string() }).nullable(),
    rightMarkerConfig: z.looseObject({ type: z.string() }).nullable(),
    leftLastMarker: z.looseObject({ type: z.string() }).nullable(),
    rightLastMarker: z.looseObject({ type: z.string() }).nullable(),
    // Fields of an external engine.
    resetPoint: z.null(),
    selectedResourceInventory: z.null(),
    autoRetries: z.null(),
    executionRank: z.null(),
    sourceExecutionId: z.null(),
    analyticsPipelineId: z.null(),
    driverPodName: z.null(),
    rightEngineType: z.null(),
    sparkFilterSelectedColumns: z.null(),
    rightSparkFilterSelectedColumns: z.null(),
    sparkSQLDynamicFilterVariableMapping: z.null(),
    rightSparkSQLDynamicFilterVariableMapping: z.null(),
    pipelineAdditionalConfiguration: z.null(),
  })
  .meta({ id: 'RuleExecution' })
export type RuleExecution = z.infer<typeof ruleExecution>

/** Present only if the item was measured by period. */
const backfill = backfilledPeriods.optional()
/** Only items of schema drift have one. */
const drift = schemaDrift.optional()

export const itemExecution = z
  .object({
    id,
    executionId: id,
    ruleItemId: id,
    startedAt: isoTime,
    finishedAt: isoTime.nullable(),
    threshold: z.number(),
    thresholdConfig: thresholdRecord,
    weightage: z.number(),
    isWarning: z.boolean(),
    status: z.string().nullable(),
    /** The percentage as text, four decimals. */
    result: z.string().nullable(),
    resultPercentage: z.number().nullable(),
    rowsScanned: z.int().nullable(),
    rowsFailed: z.int().nullable(),
    rowsWarning: z.int().nullable(),
    /** The measured number as text. */
    value: z.string().nullable(),
    /** Why the item could not be evaluated. */
    error: z.string().nullable(),
    /**
     * The item's definition, in the form that the routes of its type return. `null` means the policy has no items of
     * its own.
     */
    item: executedItem.nullable(),
    drift,
    /** Only items of data drift have one: that of their run. */
    requestId: z.string().optional(),
    ...driftFigures.partial().shape,
    ...anomalyFigures.partial().shape,
    backfill,
    ...arrivalFields,
    ...comparisonFields,
    executionInputs: z.null(),
    rca: z.null(),
    segments: z.null(),
    segmentHash: z.null(),
    businessItemId: z.null(),
  })
  .meta({ id: 'ItemExecution' })
export type ItemExecution = z.infer<typeof itemExecution>

/** The result of a run in lists of runs; null until the run has a result. */
const figures = {
  qualityScore: z.number().nullable(),
  itemCounts: z.object({ SUCCESSFUL: z.int(), WARNING: z.int(), ERRORED: z.int() }).nullable(),
}

export const executionAnswer = z
  .object({
    execution: ruleExecution,
    items: z.array(itemExecution),
    ...figures,
    policyScoreStrategy: scoreStrategy,
    treatZeroRowsAsSuccess: z.boolean(),
  })
  .meta({ id: 'Execution' })
export type ExecutionAnswer = z.infer<typeof executionAnswer>
export const executionList = z.object({ executions: z.array(executionAnswer), meta: pageMeta })

export const ruleItemResult = z
  .object({
    id,
    ruleItemId: id,
    name: z.string(),
    threshold: z.number(),
    weightage: z.number(),
    dimension,
    includeInQualityScore: z.boolean(),
    isWarning: z.boolean(),
    /** Null if the verdict is hidden. */
    success: z.boolean().nullable(),
    status: z.string().nullable(),
    resultPercentage: z.number().nullable(),
    resultPercent: z.number().nullable(),
    rowsScanned: z.int().nullable(),
    rowsFailed: z.int().nullable(),
    value: z.string().nullable(),
    error: z.string().nullable(),
    drift,
    ...driftFigures.partial().shape,
    ...anomalyFigures.partial().shape,
    backfill,
    ...arrivalFields,
    ...comparisonFields,
  })
  .meta({ id: 'RuleItemResult' })

export const ruleExecutionResult = z
  .object({
    ruleExecutionType: z.string(),
    status: shownResultStatus,
    /** The result in one sentence. */
    description: z.string(),
    successCount: z.int().nullable(),
    failureCount: z.int().nullable(),
    rows: z.int().nullable(),
    failedRows: z.int().nullable(),
    warningRows: z.int().nullable(),
    qualityScore: z.number().nullable(),
    rca: z.array(z.unknown()),
    executionStatus,
    leftRowsScanned: z.int().nullable(),
    rightRowsScanned: z.int().nullable(),
    /**
     * Only for policies on two tables. `null`: there is none yet, or it depends on columns that the key may not see.
     */
    comparison: comparisonFigures.nullish(),
  })
  .meta({ id: 'RuleExecutionResult' })

/** `meta` is not a paging record here: it has warnings for the reader, progress and files. */
export const executionResult = z
  .object({
    execution: ruleExecution,
    items: z.array(ruleItemResult),
    meta: z.record(z.string(), z.unknown()),
    result: ruleExecutionResult,
    childExecutions: z.null(),
  })
  .meta({ id: 'ExecutionResult' })
export type ExecutionResult = z.infer<typeof executionResult>

/** An item in the answer to a start that waited for its run: the fields of the item's execution and of its result. */
const startedItem = itemExecution
  .extend(
    ruleItemResult.pick({ name: true, dimension: true, includeInQualityScore: true, success: true }).partial().shape,
  )
  .meta({ id: 'StartedItem' })
const endedRun = z.object({
  items: z.array(startedItem),
  meta: executionResult.shape.meta,
  result: ruleExecutionResult,
  childExecutions: z.null(),
})

/** Has `result` and its sibling fields, as in the result of the run, if the run ended within `wait`. */
export const startAnswer = executionAnswer
  .extend({ ...endedRun.partial().shape, items: z.array(startedItem) })
  .meta({ id: 'StartedExecution' })
export type StartAnswer = z.infer<typeof startAnswer>

/** Executions of all types. */
export const ruleExecutionList = z.object({
  executions: z.array(
    z.object({
      execution: ruleExecution,
      result: ruleExecutionResult.nullable(),
      ...figures,
      leftBackingAssetId: id.nullable(),
      leftBackingAssetUid: z.string().nullable(),
      leftDataSource: z.string().nullable(),
      leftDataSourceType: z.string().nullable(),
      rightBackingAssetId: id.nullable(),
      rightBackingAssetUid: z.string().nullable(),
      rightDataSource: z.string().nullable(),
      rightDataSourceType: z.string().nullable(),
    }),
  ),
  meta: pageMeta,
})

/** Policies of an asset, each with a run and its result. */
export const ruleWithExecution = z
  .object({
    rule: qualityRule,
    execution: ruleExecution.nullable(),
    result: ruleExecutionResult.nullable(),
    ...figures,
    childExecutions: z.null(),
  })
  .meta({ id: 'RuleExecutionResponse' })
export type RuleWithExecution = z.infer<typeof ruleWithExecution>
/** The same sentence for a missing asset and for one whose policies the key may not see. */
export const rulesOfAssetDenied =
  'There is no such asset, or this key may not see its policies: that requires the permissions ASSET_VIEW and POLICY_VIEW.'
export const ruleWithExecutionList = z.object({ executions: z.array(ruleWithExecution), meta: pageMeta })

/** The cost of a run. A run that did not execute has no row count. */
export const executionMetrics = z.object({
  rowsRead: z.int().nullable(),
  /** From acceptance to the end of the run, including the time in the queue. */
  durationMs: z.int(),
  /** Engines do not report it. */
  bytesRead: z.int().nullable(),
  /** Always empty, because notifications of runs are not alerts. Older clients need the list. */
  openAlertIds: z.array(id),
})
export type ExecutionMetrics = z.infer<typeof executionMetrics>

/**
 * Policies of all types. `archivedPolicyCount` counts the archived policies that match the other filters, even if they
 * are not shown.
 */
export const ruleList = z.object({
  rules: z.array(
    z.object({
      rule: qualityRule,
      execution: ruleExecution.nullable(),
      /** Metrics of the latest run, once the run has ended. */
      executionMetrics: executionMetrics.nullable(),
      childRules: z.array(z.unknown()),
    }),
  ),
  meta: pageMeta.extend({ archivedPolicyCount: z.int() }),
})

/** Times of a schedule at which nothing started, with the reason. */
export const skippedTimes = z.array(z.object({ nominalTime: isoTime, reason: z.string() }))

/** `nextRuns`: the next five times; empty if the policy is not scheduled. `skipped`: newest first. */
export const scheduleBook = z
  .object({
    scheduled: z.boolean(),
    cronExpression: z.string().nullable(),
    timeZone: z.string(),
    executionType: scheduledExecutionType.nullable(),
    nextRuns: z.array(isoTime),
    skipped: skippedTimes,
  })
  .meta({ id: 'PolicyScheduleBook' })

/** Has `result` and its sibling fields if the run ended within `wait`. */
export const webhookAnswer = z.object({ execution: ruleExecution, ...endedRun.partial().shape })

export const rowsAnswer = z.object({
  data: z.object({
    schema: z.object({ fields: z.array(z.object({ name: z.string(), type: z.string(), nullable: z.boolean() })) }),
    /** A row of a comparison also has the values of both sides and, if it is a bad row, its difference. */
    rows: z.array(
      z.object({ values: z.record(z.string(), z.unknown()), ruleItemIds: z.array(id), ...comparedRow.partial().shape }),
    ),
  }),
  /**
   * `count`: number of rows that can be read here, page by page. `fileRows`: number of rows of the category in the
   * file; null if some are hidden. `rowsLeftOut`: of a comparison, the number of rows of the category that are not in the
   * file.
   */
  meta: pageMeta.extend({ fileRows: z.int().nullable(), rowsLeftOut: z.int().optional() }),
})

export const cancelAnswer = z.object({
  result: z.object({
    status: z.string(),
    message: z.string(),
    requestId: z.string(),
    isParentAvailable: z.boolean(),
    parentList: z.record(z.string(), z.unknown()),
  }),
})
