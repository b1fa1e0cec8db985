import type { ExecutionStatus, ResultStatus } from '@assay/contracts'
import { type Execution, hasEnded } from './execution.ts'

const endStatuses = { succeeded: 'SUCCESSFUL', failed: 'FAILED', aborted: 'ABORTED' } as const

/** The status of ended work in records. */
export const statusOfEnd = (end: keyof typeof endStatuses) => endStatuses[end]

/** The state of the work: RUNNING from acceptance on, including while it waits for a slot or between its sides. */
export function executionStatusOf(state: Execution): ExecutionStatus {
  return hasEnded(state) ? statusOfEnd(state.status) : 'RUNNING'
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
  if (hasEnded(state)) return statusOfEnd(state.status)
  if (state.status === 'running') return stageState(state)
  return state.waitsUntil === undefined ? 'QUEUED' : 'WAITING'
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
