import type { ExecutionStatus, ResultStatus } from '@assay/contracts'
import type { Execution } from './execution.ts'

/** What clients are told of work that has ended. */
export function statusOfEnd(end: 'succeeded' | 'failed' | 'aborted'): 'SUCCESSFUL' | 'FAILED' | 'ABORTED' {
  switch (end) {
    case 'succeeded':
      return 'SUCCESSFUL'
    case 'failed':
      return 'FAILED'
    case 'aborted':
      return 'ABORTED'
    default:
      return end satisfies never
  }
}

/** The state of the work: RUNNING as soon as it is accepted, also while it waits for its turn. */
export function executionStatusOf(state: Execution): ExecutionStatus {
  switch (state.status) {
    case 'waiting':
    case 'running':
      return 'RUNNING'
    case 'succeeded':
    case 'failed':
    case 'aborted':
      return statusOfEnd(state.status)
    default:
      return state satisfies never
  }
}

/** The verdict on the data: RUNNING until there is one, ERRORED for a run that could not be carried out. */
export function resultStatusOf(state: Execution): ResultStatus {
  switch (state.status) {
    case 'waiting':
    case 'running':
      return 'RUNNING'
    case 'succeeded':
      return state.result.verdict
    case 'failed':
      return 'ERRORED'
    case 'aborted':
      return 'ABORTED'
    default:
      return state satisfies never
  }
}

export type JobState =
  | 'QUEUED'
  | 'RUNNING'
  | 'READ_DATA'
  | 'DQ_BATCH_RULES'
  | 'DQ_BAD_RESULT_STORE'
  | 'SUCCESSFUL'
  | 'FAILED'
  | 'ABORTED'

/** What is being done for the run at this moment. */
export function jobStateOf(state: Execution): JobState {
  switch (state.status) {
    case 'waiting':
      return 'QUEUED'
    case 'running':
      return stageState(state)
    case 'succeeded':
    case 'failed':
    case 'aborted':
      return statusOfEnd(state.status)
    default:
      return state satisfies never
  }
}

function stageState({ progress }: Extract<Execution, { status: 'running' }>): JobState {
  if (!progress) return 'RUNNING'
  switch (progress.stage) {
    case 'QUEUED':
      return 'QUEUED'
    case 'READING':
      return 'READ_DATA'
    case 'MEASURING':
      return 'DQ_BATCH_RULES'
    case 'WRITING':
      return 'DQ_BAD_RESULT_STORE'
    default:
      return progress.stage satisfies never
  }
}
