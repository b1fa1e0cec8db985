import { itemKinds } from '@assay/contracts'
import { writtenText } from '../definition.ts'
import { aggregateMetric, judgeAggregate } from './aggregates.ts'
import { measurement } from './measurement.ts'

export const businessMeasure = measurement(itemKinds.BUSINESS_MEASURE, {
  plan: (asked) => aggregateMetric(asked, writtenText(asked.item.ruleExpression)),
  judge: judgeAggregate,
})
