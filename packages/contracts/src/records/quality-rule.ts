import { isOfFamily, type PolicyAnswer } from './policies/table.ts'
import type { QualityRule } from './policy.ts'

/** A policy of any type in the common shape of lists. Pure. */
export function qualityRuleOf(answer: PolicyAnswer): QualityRule {
  const { rule } = answer
  return {
    ...frameOf(rule),
    backingAssets: isOfFamily(answer, 'reconciliation')
      ? [answer.rule.leftBackingAsset, answer.rule.rightBackingAsset]
      : 'backingAsset' in rule
        ? [rule.backingAsset]
        : [],
    policyTransformUDFS: [],
    markedForDeletion: false,
    markedForDeletionAt: null,
    deletionReason: null,
    analyticsPipelineId: null,
    autoRetries: null,
    leftCustomSqlConfig: null,
    rightCustomSqlConfig: null,
    rightEngineType: 'rightEngineType' in rule ? rule.rightEngineType : null,
    rightSparkFilterSelectedColumns:
      'rightSparkFilterSelectedColumns' in rule ? rule.rightSparkFilterSelectedColumns : null,
    rightSparkSQLDynamicFilterVariableMapping: null,
    rightFilter: 'rightFilter' in rule ? rule.rightFilter : null,
    rightSparkSQLFilterType: 'rightSparkSQLFilterType' in rule ? rule.rightSparkSQLFilterType : 'STATIC',
    anomalyStrengthThreshold: 'anomalyStrengthThreshold' in rule ? rule.anomalyStrengthThreshold : null,
  }
}

/** The fields that the record of every policy type has. */
export type PolicyRecordFrame = Omit<
  QualityRule,
  | 'backingAssets'
  | 'policyTransformUDFS'
  | 'markedForDeletion'
  | 'markedForDeletionAt'
  | 'deletionReason'
  | 'analyticsPipelineId'
  | 'autoRetries'
  | 'leftCustomSqlConfig'
  | 'rightCustomSqlConfig'
  | 'rightEngineType'
  | 'rightSparkFilterSelectedColumns'
  | 'rightSparkSQLDynamicFilterVariableMapping'
  | 'rightFilter'
  | 'rightSparkSQLFilterType'
  | 'anomalyStrengthThreshold'
>

/** The fields of every policy type. */
function frameOf(rule: PolicyAnswer['rule']): PolicyRecordFrame {
  return {
    id: rule.id,
    name: rule.name,
    description: rule.description,
    type: rule.type,
    subType: rule.subType,
    version: rule.version,
    tenantId: rule.tenantId,
    enabled: rule.enabled,
    archived: rule.archived,
    archivalReason: rule.archivalReason,
    autoCreated: rule.autoCreated,
    isProtectedResource: rule.isProtectedResource,
    scheduled: rule.scheduled,
    schedule: rule.schedule,
    timeZone: rule.timeZone,
    jobSchedule: rule.jobSchedule,
    scheduleExecutionType: rule.scheduleExecutionType,
    thresholdLevel: rule.thresholdLevel,
    verdictBy: rule.verdictBy,
    policyScoreStrategy: rule.policyScoreStrategy,
    scoreItems: rule.scoreItems,
    includeInQualityScore: rule.includeInQualityScore,
    treatZeroRowsAsSuccess: rule.treatZeroRowsAsSuccess,
    isCompositeRule: rule.isCompositeRule,
    parentId: rule.parentId,
    executionSequence: rule.executionSequence,
    continueExecutionOnFailure: rule.continueExecutionOnFailure,
    ruleSetId: rule.ruleSetId,
    filter: rule.filter,
    sparkSQLFilterType: rule.sparkSQLFilterType,
    sparkFilterSelectedColumns: rule.sparkFilterSelectedColumns,
    sparkSQLDynamicFilterVariableMapping: rule.sparkSQLDynamicFilterVariableMapping,
    engineType: rule.engineType,
    resourceStrategyType: rule.resourceStrategyType,
    selectedResourceInventory: rule.selectedResourceInventory,
    sparkResourceConfig: rule.sparkResourceConfig,
    autoRetryEnabled: rule.autoRetryEnabled,
    executionTimeoutInMinutes: rule.executionTimeoutInMinutes,
    totalExecutionTimeoutInMinutes: rule.totalExecutionTimeoutInMinutes,
    additionalPersistedColumns: rule.additionalPersistedColumns,
    labels: rule.labels,
    tags: rule.tags,
    policyGroups: rule.policyGroups,
    segments: rule.segments,
    notificationChannels: rule.notificationChannels,
    createdAt: rule.createdAt,
    updatedAt: rule.updatedAt,
    createdBy: rule.createdBy,
    lastUpdatedBy: rule.lastUpdatedBy,
  }
}
