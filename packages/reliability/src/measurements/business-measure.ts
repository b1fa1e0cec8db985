import { itemKinds } from '@assay/contracts'
import { writtenText } from '../definition.ts'
import { aggregateMetric, judgeAggregate, readsAggregated } from './aggregates.ts'
import { measurement } from './measurement.ts'
import { readsExpression } from './reads.ts'

export const businessMeasure = measurement(itemKinds.BUSINESS_MEASURE, {
  reads: (item) => ({ ...readsAggregated(item), ...readsExpression(item) }),
  plan: (input) => aggregateMetric(input, writtenText(input.item.ruleExpression)),
  judge: judgeAggregate,
})
