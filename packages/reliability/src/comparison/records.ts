import type { ExecutedReconciliationItem, ItemExecution } from '@assay/contracts'
import { itemExecutionId } from '../kinds/item-execution-id.ts'
import type { EndedItem, EndedRun, ItemRecords } from '../kinds/run-kind.ts'
import type { ComparisonPolicy, RunItem } from './definition.ts'
import { runItems } from './definition.ts'
import { detailOf } from './detail.ts'
import { measures } from './measures/table.ts'
import { thresholdOf } from './series.ts'

interface Judged {
  id: number
  item: RunItem
  outcome: EndedItem
  isHidden: boolean
}

/** The records of a run's items, in order. Pure. */
export function comparisonRecords(policy: ComparisonPolicy, ruleVersion: number, run: EndedRun): ItemRecords {
  const outcomes = new Map(run.outcomes.map((outcome) => [outcome.itemId, outcome]))
  const judged = runItems(policy, run.itemSelection).flatMap((item, index): Judged[] => {
    const outcome = outcomes.get(item.id)
    const id = itemExecutionId(run.executionId, index)
    return outcome ? [{ id, item, outcome, isHidden: run.hidden.has(item.id) }] : []
  })
  const of = { ruleId: policy.policyId, ruleVersion }
  return {
    executions: judged.map((one) => executionOf(run, one, of)),
    results: judged.map((one) => resultOf(run, one)),
  }
}

const statusOf = ({ isHidden, outcome }: Judged) => (isHidden ? 'HIDDEN' : outcome.verdict)
const textOf = ({ resultPercentage }: EndedItem) => (resultPercentage === null ? null : resultPercentage.toFixed(4))

/** The success limit of the item's threshold in percent. */
function limitOf(item: RunItem): number {
  const { success } = thresholdOf(item)
  return success ?? 100
}

function fieldsOf({ item, outcome, isHidden }: Judged) {
  const isRowMatchMeasure = measures[item.measurementType].compares !== null
  const frame = { isError: outcome.error !== null, isRowMatchMeasure, measuresSelection: null }
  const pipelines = { leftAnalyticsPipelineName: '', rightAnalyticsPipelineName: '' }
  const detail = isHidden ? undefined : detailOf(outcome)
  if (detail === undefined) {
    const rows = { leftRowsScanned: null, rightRowsScanned: null, leftRowsFailed: null, rightRowsFailed: null }
    const results = { leftResult: null, rightResult: null, leftError: null, rightError: null, matchResult: null }
    return { ...frame, ...pipelines, ...rows, ...results }
  }
  const { warned: _warned, comparison: _comparison, ...fields } = detail
  return { ...frame, ...pipelines, ...fields, matchResult: textOf(outcome) }
}

function resultOf({ includeInQualityScore }: EndedRun, judged: Judged): ItemRecords['results'][number] {
  const { id, item, outcome, isHidden } = judged
  const { verdict, resultPercentage, rowsScanned, rowsFailed, value, error } = outcome
  return {
    ...{ id, ruleItemId: item.id, name: item.name, threshold: limitOf(item), weightage: 1, dimension: 'CONSISTENCY' },
    ...{ includeInQualityScore, isWarning: false, success: isHidden ? null : verdict === 'SUCCESSFUL' },
    ...{ status: statusOf(judged), resultPercentage, resultPercent: resultPercentage },
    ...{ rowsScanned, rowsFailed, value, error },
    ...fieldsOf(judged),
  }
}

function executionOf(
  { executionId, startedAt, finishedAt }: EndedRun,
  judged: Judged,
  of: { ruleId: number; ruleVersion: number },
): ItemExecution {
  const { id, item, outcome, isHidden } = judged
  const { resultPercentage, rowsScanned, rowsFailed, value, error } = outcome
  return {
    ...{ id, executionId, ruleItemId: item.id, startedAt, finishedAt, threshold: limitOf(item) },
    ...{ thresholdConfig: thresholdOf(item), weightage: 1, isWarning: false, status: statusOf(judged) },
    ...{ result: textOf(outcome), resultPercentage, rowsScanned, rowsFailed, value, error },
    rowsWarning: isHidden ? null : (detailOf(outcome)?.warned ?? null),
    item: itemRecordOf(item, of),
    ...fieldsOf(judged),
    ...{ executionInputs: null, rca: null, segments: null, segmentHash: null, businessItemId: null },
  }
}

function itemRecordOf(
  { own, name }: RunItem,
  { ruleId, ruleVersion }: { ruleId: number; ruleVersion: number },
): ExecutedReconciliationItem | null {
  if (own === null) return null
  return {
    ...{ ...own, ruleId, ruleVersion, version: ruleVersion, name, resultThreshold: 100, weightage: 1 },
    ...{ aggregateType: 'RULE', isWarning: false, isDimension: false, isArchived: false, labels: [] },
  }
}
