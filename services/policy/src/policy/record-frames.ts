import type { PolicyRecordFrame } from '@assay/contracts'
import type { Target } from './definition.ts'
import type { ExistingPolicy } from './policy.ts'

/** `id`: the policy's where it has one target; a policy of two has twice its number less one, and twice its number. */
export const backingAsset = (policyId: number, target: Target, id = policyId) => ({
  id,
  ruleId: policyId,
  tableAssetId: target.assetId,
  tableAssetUid: target.uid,
  tableAlias: null,
  customQuery: null,
  customTableAssetIds: null,
  marker: target.marker,
})

/** What a policy of one target and one of two targets have in common. */
export function policyFrame(policy: ExistingPolicy, tenant: string): Omit<PolicyRecordFrame, 'type'> {
  const { definition } = policy
  return {
    id: policy.policyId,
    name: definition.name,
    description: definition.description,
    subType: 'ASSET',
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
    sparkSQLFilterType: 'STATIC',
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
    tags: policy.tags.map((tag) => ({ ...tag, ruleId: policy.policyId, tenantId: tenant })),
    policyGroups: [],
    segments: [],
    notificationChannels: null,
    createdAt: policy.createdAt,
    updatedAt: policy.updatedAt,
    createdBy: policy.createdBy,
    lastUpdatedBy: policy.updatedBy,
  }
}

/** What the details of every type but data quality have. */
export function detailsFrame(policy: ExistingPolicy, tenant: string) {
  const { policyId, version, definition } = policy
  return {
    id: policyId,
    ruleId: policyId,
    version,
    ruleVersion: version,
    isCompositeRule: false,
    isSegmented: false,
    segments: [],
    continueExecutionOnFailure: true,
    executionSequence: 0,
    policyScoreStrategy: definition.policyScoreStrategy,
    treatZeroRowsAsSuccess: definition.treatZeroRowsAsSuccess,
    filter: definition.filter,
    tenantId: tenant,
  }
}
