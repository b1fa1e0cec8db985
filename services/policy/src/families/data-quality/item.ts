import { type ItemRecord, type MeasurementType, wholeThreshold } from '@assay/contracts'
import type { JsonObject } from '@assay/event-store'
import type { Label } from '../../policy/definition.ts'
import type { StoredThreshold } from '../../policy/stored-threshold.ts'

/**
 * An item of data quality. `value`: the parameters of its measurement. `isDimension`, `labels` and `businessExplanation` are
 * only shown.
 */
export type ItemDefinition = {
  id: number
  name: string
  measurementType: MeasurementType
  columnName: string | null
  executionOrder: number
  value: JsonObject | null
  ruleExpression: string | null
  /** In percent. */
  resultThreshold: number
  thresholdConfig: StoredThreshold
  weightage: number
  aggregateType: 'SUM' | 'AVG' | 'MIN' | 'MAX' | 'COUNT' | 'RULE' | 'CUSTOM'
  isWarning: boolean
  isDimension: boolean
  filter: string | null
  businessExplanation: string | null
  labels: Label[]
}

/** An item as clients read it. `policy`: absent for an item of a definition that is not stored yet. */
export const itemRecord = (item: ItemDefinition, policy = { policyId: 1, version: 1 }): ItemRecord => ({
  ...item,
  ruleId: policy.policyId,
  ruleVersion: policy.version,
  thresholdConfig: wholeThreshold(item.thresholdConfig),
  isArchived: false,
  executionInputs: null,
  associatedDQRecommendationId: null,
  bulkPolicyDqRuleId: null,
})
