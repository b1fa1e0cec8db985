import type { ExecutedArrivalItem, ItemExecution } from '@assay/contracts'
import { itemExecutionId } from '../kinds/item-execution-id.ts'
import type { EndedItem, EndedRun, ItemRecords } from '../kinds/run-kind.ts'
import { thresholdOfPercentage, thresholdRecordOf } from '../threshold.ts'
import type { OwnItem } from './definition.ts'
import { type ArrivalFindings, arrivalFindings, noTime } from './findings.ts'

/** An item of a run, for its records. `own` null: the policy has no such item of its own. */
export interface RecordedItem {
  id: number
  name: string
  own: OwnItem | null
}

interface Judged {
  id: number
  item: RecordedItem
  outcome: EndedItem
  isHidden: boolean
}

const threshold = 100

/** The findings of an item; none if it could not be evaluated. Pure. */
export function findingsOf({ detail }: Pick<EndedItem, 'detail'>): ArrivalFindings | undefined {
  return detail === undefined ? undefined : arrivalFindings.parse(detail)
}

/** The records of a run's items, in order. `items`: those of the run. Pure. */
export function arrivalRecords(items: readonly RecordedItem[], ruleVersion: number, run: EndedRun): ItemRecords {
  const outcomes = new Map(run.outcomes.map((outcome) => [outcome.itemId, outcome]))
  const judged = items.flatMap((item, index): Judged[] => {
    const outcome = outcomes.get(item.id)
    const id = itemExecutionId(run.executionId, index)
    return outcome ? [{ id, item, outcome, isHidden: run.hidden.has(item.id) }] : []
  })
  return {
    executions: judged.map((one) => executionOf(run, one, ruleVersion)),
    results: judged.map((one) => resultOf(run, one)),
  }
}

const statusOf = ({ isHidden, outcome }: Judged) => (isHidden ? 'HIDDEN' : outcome.verdict)

const fieldsOf = ({ isHidden, outcome }: Judged) => (isHidden ? noTime : (findingsOf(outcome) ?? noTime))

function resultOf({ includeInQualityScore }: EndedRun, judged: Judged): ItemRecords['results'][number] {
  const { id, item, outcome, isHidden } = judged
  const { verdict, resultPercentage, rowsScanned, rowsFailed, value, error } = outcome
  return {
    ...{ id, ruleItemId: item.id, name: item.name, threshold, weightage: 1, dimension: 'TIMELINESS' },
    ...{ includeInQualityScore, isWarning: false, success: isHidden ? null : verdict === 'SUCCESSFUL' },
    ...{ status: statusOf(judged), resultPercentage, resultPercent: resultPercentage },
    ...{ rowsScanned, rowsFailed, value, error },
    ...fieldsOf(judged),
  }
}

function executionOf(
  { executionId, startedAt, finishedAt }: EndedRun,
  judged: Judged,
  ruleVersion: number,
): ItemExecution {
  const { id, item, outcome } = judged
  const { resultPercentage, rowsScanned, rowsFailed, value, error } = outcome
  return {
    ...{ id, executionId, ruleItemId: item.id, startedAt, finishedAt, threshold },
    thresholdConfig: item.own?.thresholdConfig ?? thresholdRecordOf(thresholdOfPercentage(threshold)),
    ...{ weightage: 1, isWarning: false, status: statusOf(judged) },
    result: resultPercentage === null ? null : resultPercentage.toFixed(4),
    ...{ resultPercentage, rowsScanned, rowsFailed, rowsWarning: null, value, error },
    item: item.own && itemOf(item.own, ruleVersion),
    ...fieldsOf(judged),
    ...{ executionInputs: null, rca: null, segments: null, segmentHash: null, businessItemId: null },
  }
}

const itemOf = (own: OwnItem, ruleVersion: number): ExecutedArrivalItem => ({
  ...own,
  ...{ ruleVersion, name: own.displayName, resultThreshold: threshold, weightage: 1, aggregateType: 'RULE' },
  ...{ isWarning: false, isDimension: false, isArchived: false, labels: [] },
})
