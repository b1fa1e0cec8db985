import { type ItemExecution, type ItemRecord, itemKindOf } from '@assay/contracts'
import { detailIn, shownDetail } from '../anomaly/detail.ts'
import { itemExecutionId } from '../kinds/item-execution-id.ts'
import type { EndedItem, EndedRun, ItemRecords } from '../kinds/run-kind.ts'

interface Judged {
  id: number
  item: ItemRecord
  outcome: EndedItem
  isHidden: boolean
}

/** The records of a run's items. `items`: items of the run, in order. Pure. */
export function qualityRecords(items: readonly ItemRecord[], run: EndedRun): ItemRecords {
  const outcomes = new Map(run.outcomes.map((outcome) => [outcome.itemId, outcome]))
  const judged = items.flatMap((item, index): Judged[] => {
    const outcome = outcomes.get(item.id)
    const id = itemExecutionId(run.executionId, index)
    return outcome ? [{ id, item, outcome, isHidden: run.hidden.has(item.id) }] : []
  })
  return {
    executions: judged.map((one) => executionOf(run, one)),
    results: judged.map((one) => resultOf(run, one)),
  }
}

/** The findings of an item that learns usual values. */
const findingsOf = ({ outcome: { detail }, isHidden }: Judged) =>
  detail === undefined ? {} : shownDetail(detailIn(detail), isHidden)

const statusOf = ({ isHidden, outcome }: Judged) => (isHidden ? 'HIDDEN' : outcome.verdict)

function resultOf({ includeInQualityScore }: EndedRun, judged: Judged): ItemRecords['results'][number] {
  const { id, item, outcome, isHidden } = judged
  return {
    id,
    ruleItemId: item.id,
    name: item.name,
    threshold: thresholdOf(item),
    weightage: item.weightage,
    dimension: itemKindOf(item.measurementType).dimension,
    includeInQualityScore,
    isWarning: item.isWarning,
    success: isHidden ? null : outcome.verdict === 'SUCCESSFUL',
    status: statusOf(judged),
    resultPercentage: outcome.resultPercentage,
    resultPercent: outcome.resultPercentage,
    rowsScanned: outcome.rowsScanned,
    rowsFailed: outcome.rowsFailed,
    value: outcome.value,
    error: outcome.error,
    ...findingsOf(judged),
  }
}

function executionOf({ executionId, startedAt, finishedAt }: EndedRun, judged: Judged): ItemExecution {
  const { id, item, outcome } = judged
  return {
    id,
    executionId,
    ruleItemId: item.id,
    startedAt,
    finishedAt,
    threshold: thresholdOf(item),
    thresholdConfig: item.thresholdConfig,
    weightage: item.weightage,
    isWarning: item.isWarning,
    status: statusOf(judged),
    result: outcome.resultPercentage === null ? null : outcome.resultPercentage.toFixed(4),
    resultPercentage: outcome.resultPercentage,
    rowsScanned: outcome.rowsScanned,
    rowsFailed: outcome.rowsFailed,
    rowsWarning: outcome.verdict === 'WARNING' ? outcome.rowsFailed : null,
    value: outcome.value,
    error: outcome.error,
    item,
    ...findingsOf(judged),
    executionInputs: null,
    rca: null,
    segments: null,
    segmentHash: null,
    businessItemId: null,
  }
}

/** The threshold's limit for success, if it is a single number; otherwise the item's percentage. */
function thresholdOf(item: ItemRecord): number {
  return item.thresholdConfig.success ?? item.resultThreshold
}
