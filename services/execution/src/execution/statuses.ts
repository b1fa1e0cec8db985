import type { ExecutionStatus, ResultStatus } from '@assay/contracts'
import type { Execution } from './execution.ts'

/** The status of ended work in records. */
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

/** The state of the work: RUNNING from acceptance on, including while it waits for a slot or between its sides. */
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

/** The verdict on the data: RUNNING until there is one, ERRORED for a failed run. */
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
  | 'WAITING'
  | 'RUNNING'
  | 'READ_DATA'
  | 'DQ_BATCH_RULES'
  | 'DQ_BAD_RESULT_STORE'
  | 'SUCCESSFUL'
  | 'FAILED'
  | 'ABORTED'

/** The current step of the run. */
export function jobStateOf(state: Execution): JobState {
  switch (state.status) {
    case 'waiting':
      return state.waitsUntil === undefined ? 'QUEUED' : 'WAITING'
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
