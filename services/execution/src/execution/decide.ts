import { AssayError } from '@assay/service-kit/errors'
import { type ClaimRequest, decideClaim, holds } from '@assay/work'
import { type ExecutionEvent, type ExecutionState, hasEnded } from './execution.ts'
import { type AcceptedRun, type RunProgress, type RunResult, recordedRun } from './run.ts'
import type { StartedStatement } from './statements.ts'

/** Times are ISO 8601 UTC. `until` is when the claim expires unless it is renewed. */
export type ExecutionCommand =
  | { type: 'AcceptExecution'; run: AcceptedRun }
  | { type: 'AbandonExecution'; at: string }
  | ({ type: 'ClaimExecution' } & ClaimRequest)
  | { type: 'ProgressExecution'; fence: number; at: string; until: string; progress: RunProgress | null }
  | { type: 'NoteStatement'; fence: number; at: string; statement: StartedStatement }
  | { type: 'ReleaseExecution'; fence: number; at: string }
  | { type: 'DelayExecution'; fence: number; at: string; until: string; key: string }
  | { type: 'SucceedExecution'; fence: number; at: string; result: RunResult }
  | { type: 'FailExecution'; fence: number; at: string; error: string }
  | { type: 'CancelExecution'; at: string; by: string }
  | { type: 'RemoveExecutionRows'; at: string }
  | { type: 'RemoveExecutionPoints'; at: string }

/**
 * Commands of a worker that has lost the run (another worker claimed it, or it was cancelled) give no events. The
 * worker learns this from the returned state.
 */
export function decide(command: ExecutionCommand, state: ExecutionState): ExecutionEvent[] {
  switch (command.type) {
    case 'AcceptExecution':
      if (state.status === 'abandoned') {
        throw new AssayError('unavailable', 'The start took too long and was abandoned. Start the policy again.')
      }
      return state.status === 'none' ? [{ type: 'ExecutionAccepted', data: { run: recordedRun(command.run) } }] : []
    case 'AbandonExecution':
      return state.status === 'none' ? [{ type: 'ExecutionAbandoned', data: { at: command.at } }] : []
    case 'ClaimExecution':
      return claim(command, state)
    case 'ProgressExecution': {
      const { fence, at, until, progress } = command
      return holds(state, fence) ? [{ type: 'ExecutionProgressed', data: { fence, at, until, progress } }] : []
    }
    case 'NoteStatement': {
      const { fence, at, statement } = command
      return holds(state, fence) ? [{ type: 'ExecutionStatementNoted', data: { fence, at, statement } }] : []
    }
    case 'ReleaseExecution':
      return holds(state, command.fence)
        ? [{ type: 'ExecutionReleased', data: { fence: command.fence, at: command.at } }]
        : []
    case 'DelayExecution': {
      const { fence, at, until, key } = command
      return holds(state, fence) ? [{ type: 'ExecutionDelayed', data: { fence, at, until, key } }] : []
    }
    case 'SucceedExecution': {
      const { fence, at, result } = command
      return holds(state, fence) ? [{ type: 'ExecutionSucceeded', data: { fence, finishedAt: at, result } }] : []
    }
    case 'FailExecution':
      return holds(state, command.fence)
        ? [{ type: 'ExecutionFailed', data: { finishedAt: command.at, error: command.error } }]
        : []
    case 'CancelExecution':
      return cancel(command, state)
    case 'RemoveExecutionRows':
      return hasEnded(state) && state.rowsRemovedAt === undefined
        ? [{ type: 'ExecutionRowsRemoved', data: { at: command.at } }]
        : []
    case 'RemoveExecutionPoints':
      return state.status === 'succeeded' && (state.result.points ?? state.result.periods) != null
        ? [{ type: 'ExecutionPointsRemoved', data: { at: command.at } }]
        : []
    default:
      return command satisfies never
  }
}

function claim(
  command: Extract<ExecutionCommand, { type: 'ClaimExecution' }>,
  state: ExecutionState,
): ExecutionEvent[] {
  if (state.status === 'waiting' && state.waitsUntil !== undefined && state.waitsUntil > command.at) return []
  const granted = decideClaim(state, command)
  if (granted === 'taken') return []
  if (granted === 'died')
    return [
      { type: 'ExecutionFailed', data: { finishedAt: command.at, error: 'The run ended unexpectedly three times.' } },
    ]
  return [{ type: 'ExecutionClaimed', data: granted }]
}

function cancel(
  command: Extract<ExecutionCommand, { type: 'CancelExecution' }>,
  state: ExecutionState,
): ExecutionEvent[] {
  if (state.status === 'none' || state.status === 'abandoned') {
    throw new AssayError('not-found', 'There is no such execution.')
  }
  if (hasEnded(state)) throw new AssayError('unprocessable', 'The execution has already finished.')
  return [{ type: 'ExecutionAborted', data: { finishedAt: command.at, by: command.by } }]
}
