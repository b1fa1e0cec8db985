import { type ItemExecution, maskText } from '@assay/contracts'
import { itemExecutionId } from '../kinds/item-execution-id.ts'
import type { EndedItem, EndedRun, ItemRecords } from '../kinds/run-kind.ts'
import { thresholdOfPercentage, thresholdRecordOf } from '../threshold.ts'
import { wayOf } from './bins.ts'
import type { DataDriftItem } from './definition.ts'
import { type DriftDetail, driftDetail } from './detail.ts'

interface Judged {
  id: number
  item: DataDriftItem
  outcome: EndedItem
  detail: DriftDetail | null
  isHidden: boolean
}

/** The findings of an outcome; null if the item could not be evaluated. */
const detailOf = ({ detail }: Pick<EndedItem, 'detail'>) => (detail === undefined ? null : driftDetail.parse(detail))

/** The records of a run's items. `items`: those of the run, in order. Pure. */
export function dataDriftRecords(
  items: readonly DataDriftItem[],
  of: { ruleId: number; ruleVersion: number },
  run: EndedRun,
): ItemRecords {
  const outcomes = new Map(run.outcomes.map((outcome) => [outcome.itemId, outcome]))
  const judged = items.flatMap((item, index): Judged[] => {
    const outcome = outcomes.get(item.id)
    if (outcome === undefined) return []
    const id = itemExecutionId(run.executionId, index)
    return [{ id, item, outcome, detail: detailOf(outcome), isHidden: run.hidden.has(item.id) }]
  })
  return {
    executions: judged.map((one) => executionOf(run, one, of)),
    results: judged.map((one) => resultOf(run, one)),
  }
}

/** The threshold and the figures of drift. Figures that depend on hidden values are left out. */
function figuresOf({ item, detail, isHidden }: Judged) {
  if (detail === null) return { threshold: item.driftThreshold }
  if (!isHidden) return detail
  const { threshold, thresholdBy, learned, state, referenceProfileFrom, referenceProfileTo } = detail
  const { expectedFalseAlarmsPerMonth: expected } = detail
  const hidden = { driftPercent: null, referenceValue: maskText, pValue: null, approximate: false, bins: [] }
  return {
    ...hidden,
    ...{ threshold: thresholdBy === 'LEARNED' ? 0 : threshold, thresholdBy, learned, state },
    ...{ referenceProfileFrom, referenceProfileTo },
    ...(expected === undefined ? {} : { expectedFalseAlarmsPerMonth: expected }),
  }
}

function resultOf({ includeInQualityScore }: EndedRun, judged: Judged): ItemRecords['results'][number] {
  const { id, item, outcome, isHidden } = judged
  const { verdict, resultPercentage, rowsScanned, value, error } = outcome
  return {
    id,
    ruleItemId: item.id,
    name: item.name,
    weightage: item.weightage,
    dimension: 'CONSISTENCY',
    includeInQualityScore,
    isWarning: false,
    success: isHidden ? null : verdict === 'SUCCESSFUL',
    status: isHidden ? 'HIDDEN' : verdict,
    resultPercentage,
    resultPercent: resultPercentage,
    rowsScanned,
    rowsFailed: null,
    value,
    error,
    ...figuresOf(judged),
  }
}

function executionOf(
  { executionId, requestId, startedAt, finishedAt }: EndedRun,
  judged: Judged,
  { ruleId, ruleVersion }: { ruleId: number; ruleVersion: number },
): ItemExecution {
  const { id, item, outcome, isHidden } = judged
  const { verdict, resultPercentage, rowsScanned, value, error } = outcome
  return {
    id,
    executionId,
    requestId,
    ruleItemId: item.id,
    startedAt,
    finishedAt,
    thresholdConfig: item.thresholdConfig ?? thresholdRecordOf(thresholdOfPercentage(100)),
    weightage: item.weightage,
    isWarning: false,
    status: isHidden ? 'HIDDEN' : verdict,
    result: resultPercentage === null ? null : resultPercentage.toFixed(4),
    resultPercentage,
    rowsScanned,
    rowsFailed: null,
    rowsWarning: null,
    value,
    error,
    item: { ...item, ruleId, ruleVersion, isArchived: false },
    executionInputs: null,
    rca: null,
    segments: null,
    segmentHash: null,
    businessItemId: null,
    ...figuresOf(judged),
  }
}

/** `2 of 5 items drifted, the farthest by 42.1 % (limit 10 %).`, with the bin whose share changed most. Pure. */
export function dataDriftSummary(outcomes: readonly EndedItem[]): string {
  const details = outcomes.flatMap((outcome) => detailOf(outcome) ?? [])
  const unknown = outcomes.filter(({ error }) => error !== null).length
  const alsoUnknown = unknown === 0 ? '' : ` ${unknown} could not be evaluated.`
  if (details.length > 0 && details.every(({ state }) => state === 'LEARNING'))
    return `There is no baseline yet: later runs compare with this one.${alsoUnknown}`
  const over = ({ driftPercent, threshold }: DriftDetail) => (driftPercent ?? 0) / Math.max(threshold, 1e-9)
  const fired = details.filter(({ driftPercent, threshold }) => (driftPercent ?? 0) > threshold)
  const [most] = fired.sort((a, b) => over(b) - over(a))
  const count = outcomes.length === 1 ? '1 item' : `${outcomes.length} items`
  if (most === undefined) return `None of ${count} drifted.${alsoUnknown}`
  const [bin] = most.bins.toSorted((a, b) => wayOf(b) - wayOf(a))
  const percent = (share: number) => `${Number((100 * share).toFixed(2))} %`
  const moved =
    bin && ` The bin ${bin.bin} had ${percent(bin.reference)} of the rows and now has ${percent(bin.current)}.`
  const farthest = `the farthest by ${Number((most.driftPercent ?? 0).toFixed(4))} % (limit ${most.threshold} %)`
  return `${fired.length} of ${count} drifted, ${farthest}.${moved ?? ''}${alsoUnknown}`
}
