import { type ItemRecord, type PolicyAnswer, type RuleAnswer, wholeThreshold } from '@assay/contracts'
import { defaultBackfill, type ItemDefinition, type QualityDefinition } from './definition.ts'
import { expectedAlarms, sensitivityOf } from './expected-alarms.ts'
import {
  anomalyAnswer,
  cadenceAnswer,
  dataDriftAnswer,
  reconciliationAnswer,
  schemaDriftAnswer,
} from './family-records.ts'
import type { ExistingPolicy } from './policy.ts'
import { backingAsset, commonDetails, jobScheduleOf, policyFrame } from './record-frames.ts'

/** An item of data quality as clients read it. */
const itemRecord = (item: ItemDefinition, policy: ExistingPolicy): ItemRecord => ({
  ...item,
  ruleId: policy.policyId,
  ruleVersion: policy.version,
  thresholdConfig: wholeThreshold(item.thresholdConfig),
  isArchived: false,
  executionInputs: null,
  associatedDQRecommendationId: null,
  bulkPolicyDqRuleId: null,
})

/** A policy with its items, as the routes of its type return it. */
export function policyAnswerOf(policy: ExistingPolicy, tenant: string): PolicyAnswer {
  const { definition } = policy
  switch (definition.type) {
    case 'DATA_QUALITY':
      return qualityAnswer(policy, definition, tenant)
    case 'RECONCILIATION':
    case 'EQUALITY':
      return reconciliationAnswer(policy, definition, tenant)
    case 'DATA_DRIFT':
      return dataDriftAnswer(policy, definition, tenant)
    case 'SCHEMA_DRIFT':
      return schemaDriftAnswer(policy, definition, tenant)
    case 'PROFILE_ANOMALY':
    case 'AUTO_ANOMALY':
      return anomalyAnswer(policy, definition, tenant)
    case 'DATA_CADENCE':
    case 'DATA_FRESHNESS':
      return cadenceAnswer(policy, definition, tenant)
    default:
      return definition satisfies never
  }
}

/** The learning part of a record; empty if no threshold learns usual values. */
function learningOf({ items, backfill, verdictBy, thresholdLevel }: QualityDefinition) {
  const thresholds = items.map(({ thresholdConfig }) => thresholdConfig)
  const sensitivities = [...thresholds, ...(verdictBy === 'SCORE' ? [thresholdLevel] : [])].flatMap(sensitivityOf)
  return {
    ...(backfill === undefined && sensitivities.length === 0 ? {} : { backfill: backfill ?? defaultBackfill }),
    ...expectedAlarms(sensitivities),
  }
}

function qualityAnswer(policy: ExistingPolicy, definition: QualityDefinition, tenant: string): RuleAnswer {
  return {
    rule: {
      ...policyFrame(policy, tenant),
      type: definition.type,
      backingAsset: backingAsset(policy.policyId, definition.target),
      customSqlConfig: null,
      ...learningOf(definition),
    },
    details: {
      ...commonDetails(policy, tenant),
      backingAssetId: definition.target.assetId,
      items: definition.items.map((item) => itemRecord(item, policy)),
      parentId: null,
      subType: 'ASSET',
      engineType: null,
      customSqlConfig: null,
      jobSchedule: jobScheduleOf(definition, tenant),
      transformUDFs: [],
    },
    childRules: [],
    engine: null,
  }
}
