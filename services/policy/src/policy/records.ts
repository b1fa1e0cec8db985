import type { DataQualityRule, ItemRecord, QualityRule, RuleAnswer } from '@assay/contracts'
import type { ItemDefinition } from './definition.ts'
import type { ExistingPolicy } from './policy.ts'

const itemRecord = (item: ItemDefinition, policy: ExistingPolicy): ItemRecord => ({
  ...item,
  ruleId: policy.policyId,
  ruleVersion: policy.version,
  isArchived: false,
  executionInputs: null,
})

/** The items as clients read them. */
export function itemRecords(policy: ExistingPolicy): ItemRecord[] {
  return policy.definition.items.map((item) => itemRecord(item, policy))
}

const backingAsset = ({ policyId, definition: { target } }: ExistingPolicy) => ({
  id: policyId,
  ruleId: policyId,
  tableAssetId: target.assetId,
  tableAssetUid: target.uid,
  tableAlias: null,
  customQuery: null,
  customTableAssetIds: null,
  marker: target.marker,
})

/** What a policy of one target and one of two targets have in common. */
function policyFrame(policy: ExistingPolicy, tenant: string) {
  const { definition } = policy
  return {
    id: policy.policyId,
    name: definition.name,
    description: definition.description,
    type: 'DATA_QUALITY' as const,
    subType: 'ASSET' as const,
    version: policy.version,
    tenantId: tenant,
    enabled: definition.enabled,
    archived: policy.status === 'archived',
    archivalReason: policy.status === 'archived' ? policy.archivalReason : null,
    autoCreated: false,
    isProtectedResource: false,
    scheduled: definition.scheduled,
    schedule: definition.schedule,
    timeZone: definition.timeZone,
    jobSchedule: null,
    thresholdLevel: definition.thresholdLevel,
    policyScoreStrategy: definition.policyScoreStrategy,
    scoreItems: definition.scoreItems,
    includeInQualityScore: definition.includeInQualityScore,
    treatZeroRowsAsSuccess: definition.treatZeroRowsAsSuccess,
    isCompositeRule: false,
    parentId: null,
    executionSequence: 0,
    continueExecutionOnFailure: true,
    filter: definition.filter,
    sparkSQLFilterType: 'STATIC' as const,
    sparkFilterSelectedColumns: [],
    sparkSQLDynamicFilterVariableMapping: null,
    engineType: null,
    resourceStrategyType: null,
    selectedResourceInventory: null,
    sparkResourceConfig: null,
    autoRetryEnabled: false,
    executionTimeoutInMinutes: definition.executionTimeoutInMinutes,
    additionalPersistedColumns: [],
    labels: definition.labels,
    tags: [],
    policyGroups: [],
    segments: [],
    notificationChannels: null,
    createdAt: policy.createdAt,
    updatedAt: policy.updatedAt,
    createdBy: policy.createdBy,
    lastUpdatedBy: policy.updatedBy,
  }
}

function dataQualityRule(policy: ExistingPolicy, tenant: string): DataQualityRule {
  return { ...policyFrame(policy, tenant), backingAsset: backingAsset(policy), customSqlConfig: null }
}

/** A policy with its items, as the routes of data quality answer it. */
export function ruleAnswer(policy: ExistingPolicy, tenant: string): RuleAnswer {
  const { policyId, definition } = policy
  return {
    rule: dataQualityRule(policy, tenant),
    details: {
      id: policyId,
      ruleId: policyId,
      backingAssetId: definition.target.assetId,
      items: itemRecords(policy),
      isCompositeRule: false,
      isSegmented: false,
      segments: [],
      continueExecutionOnFailure: true,
      executionSequence: 0,
      policyScoreStrategy: definition.policyScoreStrategy,
      treatZeroRowsAsSuccess: definition.treatZeroRowsAsSuccess,
      filter: definition.filter,
      transformUDFs: [],
      tenantId: tenant,
    },
    childRules: [],
    engine: null,
  }
}

/** A policy in the shape that all types share, made of the one that data quality has. */
export function qualityRule({ rule }: RuleAnswer): QualityRule {
  const { backingAsset, customSqlConfig: _, ...frame } = rule
  return {
    ...frame,
    backingAssets: [backingAsset],
    policyTransformUDFS: [],
    markedForDeletion: false,
    rightFilter: null,
    rightSparkSQLFilterType: 'STATIC',
    anomalyStrengthThreshold: null,
  }
}
