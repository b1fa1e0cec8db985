import { type AnomalyStrength, type PolicyAnswerOf, wholeThreshold } from '@assay/contracts'
import { expectedFalseAlarms } from '@assay/reliability'
import type {
  AnomalyDefinition,
  ArrivalDefinition,
  DataDriftDefinition,
  ReconciliationDefinition,
  SchemaDriftDefinition,
} from './definition.ts'
import { defaultBackfill } from './definition.ts'
import { expectedAlarms, sensitivityOf } from './expected-alarms.ts'
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
): PolicyAnswerOf<'reconciliation'> {
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
      items: itemsOf(policy, items).map((item) => ({ ...item, version })),
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

/** `without`: the sensitivities of an item that has no threshold. */
const alarmsOf = (items: readonly { thresholdConfig: StoredThreshold | null }[], without: readonly AnomalyStrength[]) =>
  expectedAlarms(items.flatMap(({ thresholdConfig }) => (thresholdConfig ? sensitivityOf(thresholdConfig) : without)))

/** Maximum number of figures that a cadence policy without items compares with usual values: rows, bytes and files. */
const inferredFigures = 3

/** In cadence policies, items without a threshold are compared with usual values. */
function alarmsOfArrival({ type, anomalyStrengthThreshold, items }: ArrivalDefinition) {
  if (type === 'DATA_FRESHNESS') return alarmsOf(items, [])
  if (items.length > 0) return alarmsOf(items, [anomalyStrengthThreshold])
  return expectedAlarms(Array.from({ length: inferredFigures }, () => anomalyStrengthThreshold))
}

export function dataDriftAnswer(
  policy: ExistingPolicy,
  definition: DataDriftDefinition,
  tenant: string,
): PolicyAnswerOf<'data-drift'> {
  const { target, interval, baseline, items } = definition
  return {
    rule: { ...ruleOf(policy, definition, tenant), interval, baseline, ...alarmsOf(items, []) },
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
): PolicyAnswerOf<'schema-drift'> {
  const { target, severity, items } = definition
  return {
    rule: { ...ruleOf(policy, definition, tenant), assemblyId: null, severity },
    details: { ...detailsFrame(policy, tenant), backingAssetId: target.assetId, items: itemsOf(policy, items) },
  }
}

export function anomalyAnswer(
  policy: ExistingPolicy,
  definition: AnomalyDefinition,
  tenant: string,
): PolicyAnswerOf<'anomaly'> {
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

export function cadenceAnswer(
  policy: ExistingPolicy,
  definition: ArrivalDefinition,
  tenant: string,
): PolicyAnswerOf<'cadence'> {
  const { target, anomalyStrengthThreshold, items } = definition
  return {
    rule: { ...ruleOf(policy, definition, tenant), anomalyStrengthThreshold, ...alarmsOfArrival(definition) },
    details: { ...detailsFrame(policy, tenant), backingAssetId: target.assetId, items: itemsOf(policy, items) },
  }
}
