import type { ItemRecord } from '@assay/contracts'
import { thresholdOfPercentage, thresholdRecordOf } from './threshold.ts'

/** For specs: an item of the given kind, with defaults for everything else. */
export function itemOf(given: Pick<ItemRecord, 'measurementType'> & Partial<ItemRecord>): ItemRecord {
  const resultThreshold = given.resultThreshold ?? 100
  return {
    id: 7,
    ruleId: 1,
    ruleVersion: 1,
    name: 'item',
    columnName: null,
    executionOrder: 0,
    value: null,
    ruleExpression: null,
    resultThreshold,
    thresholdConfig: thresholdRecordOf(thresholdOfPercentage(resultThreshold)),
    weightage: 1,
    aggregateType: 'RULE',
    isWarning: false,
    isDimension: false,
    isArchived: false,
    filter: null,
    businessExplanation: null,
    labels: [],
    executionInputs: null,
    associatedDQRecommendationId: null,
    bulkPolicyDqRuleId: null,
    ...given,
  }
}
