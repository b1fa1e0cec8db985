import type { Anomaly, ItemExecution } from '@assay/contracts'
import { type AnomalyDetail, detailIn, shownDetail } from '../anomaly/detail.ts'
import { itemExecutionId } from '../kinds/item-execution-id.ts'
import type { EndedItem, EndedRun, ItemRecords } from '../kinds/run-kind.ts'
import { thresholdRecordOf } from '../threshold.ts'
import { type AnomalyPolicy, type RunItem, sensitivitiesOf } from './definition.ts'

interface Judged {
  id: number
  item: RunItem
  outcome: EndedItem
  detail: AnomalyDetail | null
  isHidden: boolean
}

interface RecordsOf {
  policy: AnomalyPolicy
  items: readonly RunItem[]
  ruleVersion: number
}

const threshold = 100
const detailOf = ({ detail }: Pick<EndedItem, 'detail'>) => (detail === undefined ? null : detailIn(detail))

/** The records of a run's items. `items`: those of the run, in order. Pure. */
export function anomalyRecords(of: RecordsOf, run: EndedRun): ItemRecords {
  const outcomes = new Map(run.outcomes.map((outcome) => [outcome.itemId, outcome]))
  const judged = of.items.flatMap((item, index): Judged[] => {
    const outcome = outcomes.get(item.id)
    if (outcome === undefined) return []
    const id = itemExecutionId(run.executionId, index)
    return [{ id, item, outcome, detail: detailOf(outcome), isHidden: run.hidden.has(item.id) }]
  })
  return {
    executions: judged.map((one) => executionOf(of, run, one)),
    results: judged.map((one) => resultOf(run, one)),
  }
}

const figuresOf = ({ detail, isHidden }: Judged) => (detail === null ? null : shownDetail(detail, isHidden))

const statusOf = ({ isHidden, outcome }: Judged) => (isHidden ? 'HIDDEN' : outcome.verdict)

function resultOf({ includeInQualityScore }: EndedRun, judged: Judged): ItemRecords['results'][number] {
  const { id, item, outcome, isHidden } = judged
  const { verdict, resultPercentage, rowsScanned, rowsFailed, value, error } = outcome
  return {
    ...{ id, ruleItemId: item.id, name: item.name, threshold, weightage: 1, dimension: 'CONSISTENCY' },
    ...{ includeInQualityScore, isWarning: false, success: isHidden ? null : verdict === 'SUCCESSFUL' },
    ...{ status: statusOf(judged), resultPercentage, resultPercent: resultPercentage },
    ...{ rowsScanned, rowsFailed, value, error },
    ...figuresOf(judged),
  }
}

function executionOf(
  { policy, ruleVersion }: RecordsOf,
  { executionId, startedAt, finishedAt }: EndedRun,
  judged: Judged,
): ItemExecution {
  const { id, item, outcome } = judged
  const { resultPercentage, rowsScanned, rowsFailed, value, error } = outcome
  const { error: successSensitivityLevel, warning: warningSensitivityLevel, direction } = sensitivitiesOf(policy, item)
  const config = { successSensitivityLevel, warningSensitivityLevel, direction }
  const judgedBy = { type: 'ANOMALY' as const, config }
  return {
    ...{ id, executionId, ruleItemId: item.id, startedAt, finishedAt, threshold },
    ...{ thresholdConfig: thresholdRecordOf(judgedBy), weightage: 1, isWarning: false, status: statusOf(judged) },
    result: resultPercentage === null ? null : resultPercentage.toFixed(4),
    ...{ resultPercentage, rowsScanned, rowsFailed, rowsWarning: null, value, error },
    item: item.own && { ...item.own, ruleVersion },
    ...figuresOf(judged),
    ...{ executionInputs: null, rca: null, segments: null, segmentHash: null, businessItemId: null },
  }
}

/** `2 of 12 figures are unusual.`, followed by the sentence about the most unusual one. Pure. */
export function anomalySummary(outcomes: readonly EndedItem[]): string {
  const details = outcomes.flatMap((outcome) => detailOf(outcome) ?? [])
  const unknown = outcomes.filter(({ error }) => error !== null).length
  const alsoUnknown = unknown === 0 ? '' : ` ${unknown} of the items could not be evaluated.`
  const fired = details.flatMap(({ anomalies, backfill }) =>
    // A value that was not measured by period has the time of the run, which is after all periods.
    anomalies.filter((one) => one.fired && (backfill === undefined || one.at >= backfill.to)),
  )
  const count = details.reduce((sum, { anomalyCount, earlierCount = 0 }) => sum + anomalyCount - earlierCount, 0)
  const [learning] = details.filter(({ state }) => state === 'LEARNING')
  if (count === 0 && unknown > 0 && unknown === outcomes.length) return alsoUnknown.trim()
  if (fired.length === 0 && count === 0 && learning?.learned)
    return `Learning: the usual values are known after ${learning.learned.needed} runs; so far there are ${learning.learned.points}.${alsoUnknown}`
  return `${unusual(fired, count)}${stillLearning(details)}${alsoUnknown}`
}

function unusual(fired: readonly Anomaly[], count: number): string {
  if (fired.length === 0) return count === 1 ? 'The figure is as usual.' : `None of ${count} figures is unusual.`
  const [most] = fired.toSorted((one, other) => Math.abs(other.score) - Math.abs(one.score))
  const which =
    count === 1 ? 'The figure is' : `${fired.length} of ${count} figures ${fired.length === 1 ? 'is' : 'are'}`
  return `${which} unusual. ${most?.reason ?? ''}`
}

/** What is said of figures that have too few earlier values, while others are judged. */
function stillLearning(details: readonly AnomalyDetail[]): string {
  const learning = details.flatMap((detail) => detail.learning ?? [])
  const count = learning.reduce((sum, { figures }) => sum + figures, 0)
  const [first] = learning
  if (count === 0 || first === undefined) return ''
  const who = count === 1 ? '1 other figure is learning: its' : `${count} other figures are learning: their`
  const points = Math.max(...learning.map((one) => one.points))
  return ` ${who} usual values are known after ${first.needed} runs; so far there are ${points}.`
}
