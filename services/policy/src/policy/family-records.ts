import type {
  AnomalyAnswer,
  CadenceAnswer,
  DataDriftAnswer,
  ReconciliationAnswer,
  SchemaDriftAnswer,
} from '@assay/contracts'
import type {
  AnomalyDefinition,
  ArrivalDefinition,
  DataDriftDefinition,
  ReconciliationDefinition,
  SchemaDriftDefinition,
} from './definition.ts'
import type { ExistingPolicy } from './policy.ts'
import { backingAsset, detailsFrame, policyFrame } from './record-frames.ts'

function sidesOf({ filter, rightFilter, joinType, timeSecondsOffset, delayInMinutes }: ReconciliationDefinition) {
  return {
    leftFilter: filter,
    rightFilter,
    leftSparkSQLFilterType: 'STATIC' as const,
    rightSparkSQLFilterType: 'STATIC' as const,
    leftSparkFilterSelectedColumns: [],
    rightSparkFilterSelectedColumns: [],
    leftSparkSQLDynamicFilterVariableMapping: null,
    rightSparkSQLDynamicFilterVariableMapping: null,
    leftCustomSqlConfig: null,
    rightCustomSqlConfig: null,
    rightEngineType: null,
    joinType,
    timeSecondsOffset,
    delayInMinutes,
  }
}

export function reconciliationAnswer(
  policy: ExistingPolicy,
  definition: ReconciliationDefinition,
  tenant: string,
): ReconciliationAnswer {
  const { policyId, version } = policy
  const { target, rightTarget, items, mappings } = definition
  return {
    rule: {
      ...policyFrame(policy, tenant),
      ...sidesOf(definition),
      type: definition.type,
      leftBackingAsset: backingAsset(policyId, target, 2 * policyId - 1),
      rightBackingAsset: backingAsset(policyId, rightTarget, 2 * policyId),
      analyticsPipelineId: null,
    },
    details: {
      ...detailsFrame(policy, tenant),
      ...sidesOf(definition),
      leftBackingAssetId: target.assetId,
      rightBackingAssetId: rightTarget.assetId,
      items: items.map((item) => ({ ...item, ruleId: policyId, ruleVersion: version, version })),
      columnMappings: mappings.map((mapping) => ({
        ...mapping,
        reconciliationRuleId: policyId,
        ruleVersion: version,
        isArchived: false,
        deletedAt: null,
      })),
      engineType: null,
      subType: 'ASSET',
    },
  }
}

export function dataDriftAnswer(
  policy: ExistingPolicy,
  definition: DataDriftDefinition,
  tenant: string,
): DataDriftAnswer {
  const { policyId: ruleId, version: ruleVersion } = policy
  const { target, interval, baseline, items } = definition
  return {
    rule: {
      ...policyFrame(policy, tenant),
      type: definition.type,
      backingAsset: backingAsset(ruleId, target),
      interval,
      baseline,
    },
    details: {
      ...detailsFrame(policy, tenant),
      backingAssetId: target.assetId,
      interval,
      items: items.map((item) => ({ ...item, ruleId, ruleVersion, isArchived: false })),
    },
  }
}

export function schemaDriftAnswer(
  policy: ExistingPolicy,
  definition: SchemaDriftDefinition,
  tenant: string,
): SchemaDriftAnswer {
  const { policyId: ruleId, version: ruleVersion } = policy
  const { target, severity, items } = definition
  return {
    rule: {
      ...policyFrame(policy, tenant),
      type: definition.type,
      backingAsset: backingAsset(ruleId, target),
      assemblyId: null,
      severity,
    },
    details: {
      ...detailsFrame(policy, tenant),
      backingAssetId: target.assetId,
      items: items.map((item) => ({ ...item, ruleId, ruleVersion })),
    },
  }
}

export function anomalyAnswer(policy: ExistingPolicy, definition: AnomalyDefinition, tenant: string): AnomalyAnswer {
  const { policyId: ruleId, version: ruleVersion } = policy
  const { target, anomalyStrengthThreshold, items } = definition
  return {
    rule: {
      ...policyFrame(policy, tenant),
      type: definition.type,
      backingAsset: backingAsset(ruleId, target),
      anomalyStrengthThreshold,
    },
    details: {
      ...detailsFrame(policy, tenant),
      assetId: target.assetId,
      backingAssetId: target.assetId,
      items: items.map((item) => ({ ...item, ruleId, ruleVersion })),
    },
  }
}

export function cadenceAnswer(policy: ExistingPolicy, definition: ArrivalDefinition, tenant: string): CadenceAnswer {
  const { policyId: ruleId, version: ruleVersion } = policy
  const { target, anomalyStrengthThreshold, items } = definition
  return {
    rule: {
      ...policyFrame(policy, tenant),
      type: definition.type,
      backingAsset: backingAsset(ruleId, target),
      anomalyStrengthThreshold,
    },
    details: {
      ...detailsFrame(policy, tenant),
      backingAssetId: target.assetId,
      items: items.map((item) => ({ ...item, ruleId, ruleVersion })),
    },
  }
}
