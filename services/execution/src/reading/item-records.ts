import {
  type ExecutionAnswer,
  type ExecutionResult,
  type ItemExecution,
  type ItemRecord,
  itemKindOf,
} from '@assay/contracts'
import type { ItemOutcome } from '../execution/run.ts'
import { runItems } from '../execution/run-items.ts'
import type { ShownExecution } from './masked-outcomes.ts'
import { ruleExecutionOf } from './rule-execution.ts'
import { runFiguresOf } from './run-figures.ts'
import { shownVerdictOf } from './shown-status.ts'

/** More than the most items that a policy can have: makes ids of item executions of a run's id and the item's place. */
const idsPerExecution = 1000

/** A run with its items; none while it runs. */
export function executionAnswerOf(state: ShownExecution): ExecutionAnswer {
  const { score, treatZeroRowsAsSuccess } = state.run.definition
  return {
    execution: ruleExecutionOf(state),
    items: judged(state).map(({ item, outcome, id }) => itemExecution(state, item, outcome, id)),
    ...runFiguresOf(state),
    policyScoreStrategy: score.strategy,
    treatZeroRowsAsSuccess,
  }
}

/** The items of a run's result; none while it runs. */
export function ruleItemResultsOf(state: ShownExecution): ExecutionResult['items'] {
  return judged(state).map(({ item, outcome, id }) => ({
    id,
    ruleItemId: item.id,
    name: item.name,
    threshold: thresholdOf(item),
    weightage: item.weightage,
    dimension: itemKindOf(item.measurementType).dimension,
    includeInQualityScore: state.run.includeInQualityScore,
    isWarning: item.isWarning,
    success: isHidden(state, item) ? null : outcome.verdict === 'SUCCESSFUL',
    status: shownVerdictOf(state, outcome),
    resultPercentage: outcome.resultPercentage,
    resultPercent: outcome.resultPercentage,
    rowsScanned: outcome.rowsScanned,
    rowsFailed: outcome.rowsFailed,
    value: outcome.value,
    error: outcome.error,
  }))
}

function itemExecution(state: ShownExecution, item: ItemRecord, outcome: ItemOutcome, id: number): ItemExecution {
  return {
    id,
    executionId: state.run.executionId,
    ruleItemId: item.id,
    startedAt: state.run.startedAt,
    finishedAt: 'finishedAt' in state ? state.finishedAt : null,
    threshold: thresholdOf(item),
    thresholdConfig: item.thresholdConfig,
    weightage: item.weightage,
    isWarning: item.isWarning,
    status: shownVerdictOf(state, outcome),
    result: outcome.resultPercentage === null ? null : outcome.resultPercentage.toFixed(4),
    resultPercentage: outcome.resultPercentage,
    rowsScanned: outcome.rowsScanned,
    rowsFailed: outcome.rowsFailed,
    rowsWarning: outcome.verdict === 'WARNING' ? outcome.rowsFailed : null,
    value: outcome.value,
    error: outcome.error,
    item,
    executionInputs: null,
    rca: null,
    segments: null,
    segmentHash: null,
    businessItemId: null,
  }
}

function judged(state: ShownExecution): { item: ItemRecord; outcome: ItemOutcome; id: number }[] {
  if (state.status !== 'succeeded') return []
  const outcomes = new Map(state.result.outcomes.map((outcome) => [outcome.itemId, outcome]))
  return runItems(state.run).flatMap((item, index) => {
    const outcome = outcomes.get(item.id)
    return outcome ? [{ item, outcome, id: state.run.executionId * idsPerExecution + index + 1 }] : []
  })
}

const isHidden = (state: ShownExecution, item: ItemRecord) => state.hidden?.items.has(item.id) === true

/** The limit for success where the threshold has one number for it, else the item's percentage. */
function thresholdOf(item: ItemRecord): number {
  return item.thresholdConfig.success ?? item.resultThreshold
}
