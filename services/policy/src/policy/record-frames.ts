import { type JobSchedule, type PolicyRecordFrame, wholeThreshold } from '@assay/contracts'
import type { Definition, Target } from './definition.ts'
import type { ExistingPolicy } from './policy.ts'
import type { StoredThreshold } from './stored-threshold.ts'

/** `id`: the policy's id; with two targets, twice that id for the right one, and one less for the left. */
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

/** The schedule of a policy, active or not. */
export function jobScheduleOf(definition: Definition, tenantId: string): JobSchedule | null {
  const { schedule, scheduled, timeZone, scheduleExecutionType: executionType, target } = definition
  if (schedule === null) return null
  return {
    id: null,
    name: null,
    cronExpression: schedule,
    timeZone,
    enabled: scheduled,
    scheduleType: 'CRON',
    backingAssetId: 'rightTarget' in definition ? null : target.assetId,
    executionType,
    marker: null,
    tenantId,
  }
}

/** Common fields of policies with one and with two targets. */
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
    autoCreated: policy.autoCreated,
    isProtectedResource: false,
    scheduled: definition.scheduled,
    schedule: definition.schedule,
    timeZone: definition.timeZone,
    jobSchedule: jobScheduleOf(definition, tenant),
    scheduleExecutionType: definition.scheduleExecutionType,
    thresholdLevel: wholeThreshold(definition.thresholdLevel),
    verdictBy: definition.verdictBy,
    policyScoreStrategy: definition.policyScoreStrategy,
    scoreItems: definition.scoreItems,
    includeInQualityScore: definition.includeInQualityScore,
    treatZeroRowsAsSuccess: definition.treatZeroRowsAsSuccess,
    isCompositeRule: false,
    parentId: null,
    executionSequence: 0,
    continueExecutionOnFailure: true,
    ruleSetId: null,
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
    totalExecutionTimeoutInMinutes: null,
    additionalPersistedColumns: [],
    labels: definition.labels,
    tags: policy.tags.map((tag) => ({ ...tag, ruleId: policy.policyId, tenantId: tenant })),
    policyGroups: [],
    segments: [],
    notificationChannels: definition.notificationChannels ?? null,
    createdAt: policy.createdAt,
    updatedAt: policy.updatedAt,
    createdBy: policy.createdBy,
    lastUpdatedBy: policy.updatedBy,
  }
}

/** Common fields of the details of every type. */
export function commonDetails({ policyId, definition }: ExistingPolicy, tenant: string) {
  return {
    id: policyId,
    ruleId: policyId,
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

/** Common fields of the details of every type but data quality. */
export function detailsFrame(policy: ExistingPolicy, tenant: string) {
  const { version } = policy
  return { ...commonDetails(policy, tenant), version, ruleVersion: version }
}

/** Common fields of the rules with one target. */
export function ruleOf<Type extends string>(
  policy: ExistingPolicy,
  { type, target }: { type: Type; target: Target },
  tenant: string,
) {
  return { ...policyFrame(policy, tenant), type, backingAsset: backingAsset(policy.policyId, target) }
}

/** Items with their policy and version. */
export function itemsOf<Item extends { thresholdConfig: StoredThreshold | null }>(
  { policyId: ruleId, version: ruleVersion }: ExistingPolicy,
  items: readonly Item[],
) {
  return items.map((item) => ({
    ...item,
    thresholdConfig: item.thresholdConfig && wholeThreshold(item.thresholdConfig),
    ruleId,
    ruleVersion,
  }))
}
