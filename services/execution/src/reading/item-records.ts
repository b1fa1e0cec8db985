import type { ExecutionAnswer } from '@assay/contracts'
import type { ItemRecords } from '@assay/reliability'
import type { ShownExecution } from './masked-outcomes.ts'
import { ruleExecutionOf } from './rule-execution.ts'
import { runFiguresOf } from './run-figures.ts'

/** A run with its items. It has no items while it runs. */
export function executionAnswerOf(state: ShownExecution): ExecutionAnswer {
  const execution = ruleExecutionOf(state)
  return {
    execution,
    items: itemRecordsOf(state).executions,
    ...runFiguresOf(state),
    policyScoreStrategy: execution.policyResultStatusStrategy,
    treatZeroRowsAsSuccess: execution.treatZeroRowsAsSuccess,
  }
}

const hidesNone: ReadonlySet<number> = new Set()

/** The records of a run's items, which its kind creates. None while it runs. */
export function itemRecordsOf(state: ShownExecution): ItemRecords {
  if (state.status !== 'succeeded') return { executions: [], results: [] }
  const { run, result, finishedAt, hidden, hidesValues = false } = state
  return run.definition.records({ ...run, ...result, finishedAt, hidden: hidden?.items ?? hidesNone, hidesValues })
}
