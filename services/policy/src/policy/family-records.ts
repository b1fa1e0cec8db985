import {
  type AnomalyAnswer,
  type CadenceAnswer,
  type DataDriftAnswer,
  type ReconciliationAnswer,
  type SchemaDriftAnswer,
  wholeThreshold,
} from '@assay/contracts'
import { expectedFalseAlarms } from '@assay/reliability'
import type {
  AnomalyDefinition,
  ArrivalDefinition,
  DataDriftDefinition,
  ReconciliationDefinition,
  SchemaDriftDefinition,
} from './definition.ts'
import { defaultBackfill } from './definition.ts'
import type { ExistingPolicy } from './policy.ts'
import { backingAsset, detailsFrame, policyFrame } from './record-frames.ts'
import type { StoredThreshold } from './stored-threshold.ts'

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
      items: itemsOf(policy, items).map(({ columnName = null, value = null, ...item }) => ({
        ...{ ...item, version, columnName, value },
      })),
      columnMappings: mappings.map((mapping) => ({
        ...mapping,
        reconciliationRuleId: policyId,
        ruleVersion: version,
        isArchived: false,
        deletedAt: null,
      })),
      engineType: null,
      leftEngineType: null,
      subType: 'ASSET',
    },
  }
}

/** Common fields of the rules with one target. */
function ruleOf<Type extends string>(
  policy: ExistingPolicy,
  { type, target }: { type: Type; target: DataDriftDefinition['target'] },
  tenant: string,
) {
  return { ...policyFrame(policy, tenant), type, backingAsset: backingAsset(policy.policyId, target) }
}

/** Items with their policy and version. */
function itemsOf<Item extends { thresholdConfig: StoredThreshold | null }>(
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

export function dataDriftAnswer(
  policy: ExistingPolicy,
  definition: DataDriftDefinition,
  tenant: string,
): DataDriftAnswer {
  const { target, interval, baseline, items } = definition
  return {
    rule: { ...ruleOf(policy, definition, tenant), interval, baseline },
    details: {
      ...detailsFrame(policy, tenant),
      backingAssetId: target.assetId,
      interval,
      items: itemsOf(policy, items).map((item) => ({ ...item, isArchived: false })),
    },
  }
}

export function schemaDriftAnswer(
  policy: ExistingPolicy,
  definition: SchemaDriftDefinition,
  tenant: string,
): SchemaDriftAnswer {
  const { target, severity, items } = definition
  return {
    rule: { ...ruleOf(policy, definition, tenant), assemblyId: null, severity },
    details: { ...detailsFrame(policy, tenant), backingAssetId: target.assetId, items: itemsOf(policy, items) },
  }
}

export function anomalyAnswer(policy: ExistingPolicy, definition: AnomalyDefinition, tenant: string): AnomalyAnswer {
  const { target, anomalyStrengthThreshold, backfill = defaultBackfill, items } = definition
  return {
    rule: {
      ...ruleOf(policy, definition, tenant),
      ...{ anomalyStrengthThreshold, backfill },
      expectedFalseAlarmsPerMonth: expectedFalseAlarms(anomalyStrengthThreshold),
    },
    details: {
      ...detailsFrame(policy, tenant),
      assetId: target.assetId,
      backingAssetId: target.assetId,
      items: itemsOf(policy, items),
    },
  }
}

export function cadenceAnswer(policy: ExistingPolicy, definition: ArrivalDefinition, tenant: string): CadenceAnswer {
  const { target, anomalyStrengthThreshold, items } = definition
  return {
    rule: { ...ruleOf(policy, definition, tenant), anomalyStrengthThreshold },
    details: { ...detailsFrame(policy, tenant), backingAssetId: target.assetId, items: itemsOf(policy, items) },
  }
}
