import { afterClaim, afterRelease, afterRenewal, claimed, claimsOf, newWork, waiting } from '@assay/work'
import { z } from 'zod'
import { acceptedRun, progress, type RecordedRun, type RunProgress, type RunResult, runResult } from './run.ts'

export type ExecutionEvent =
  | { type: 'ExecutionAccepted'; data: { run: RecordedRun } }
  /** The start was abandoned before acceptance. No run can be accepted under this id. */
  | { type: 'ExecutionAbandoned'; data: { at: string } }
  | { type: 'ExecutionClaimed'; data: { worker: string; fence: number; at: string; until: string } }
  | { type: 'ExecutionProgressed'; data: { fence: number; at: string; until: string; progress: RunProgress | null } }
  | { type: 'ExecutionReleased'; data: { fence: number; at: string } }
  | { type: 'ExecutionSucceeded'; data: { fence: number; finishedAt: string; result: RunResult } }
  | { type: 'ExecutionFailed'; data: { finishedAt: string; error: string } }
  | { type: 'ExecutionAborted'; data: { finishedAt: string; by: string } }
  /** The run's rows have passed their retention; its results stay. */
  | { type: 'ExecutionRowsRemoved'; data: { at: string } }
  /** The run's points are older than any look-back; its outcomes stay. */
  | { type: 'ExecutionPointsRemoved'; data: { at: string } }

const accepted = { run: acceptedRun }
/** Fields of an ended run: the number of claims, and when the rows of all attempts were removed. */
const left = { attempts: z.int().optional(), rowsRemovedAt: z.string().optional() }
const ended = { ...accepted, finishedAt: z.string(), ...left }
/** The states of a run that can be shown. */
const shown = [
  waiting.extend(accepted),
  claimed.extend({ ...accepted, progress: progress.nullable() }),
  z.object({ status: z.literal('succeeded'), ...ended, result: runResult }),
  z.object({ status: z.literal('failed'), ...ended, error: z.string() }),
  z.object({ status: z.literal('aborted'), ...ended, by: z.string() }),
] as const
/** An accepted run, as the documents hold it. */
export const execution = z.discriminatedUnion('status', shown)
export type Execution = z.infer<typeof execution>
export type EndedExecution = Extract<Execution, { finishedAt: string }>
export type ExecutionState = { status: 'none' } | { status: 'abandoned' } | Execution

export const noExecution: ExecutionState = { status: 'none' }

/** Whether a run succeeded, failed or was cancelled. */
export function hasEnded(state: ExecutionState): state is EndedExecution {
  return state.status === 'succeeded' || state.status === 'failed' || state.status === 'aborted'
}

export function evolve(state: ExecutionState, event: ExecutionEvent): ExecutionState {
  switch (event.type) {
    case 'ExecutionAccepted':
      return { ...newWork, run: event.data.run }
    case 'ExecutionAbandoned':
      return { status: 'abandoned' }
    case 'ExecutionClaimed':
      return state.status === 'waiting' || state.status === 'running'
        ? { ...afterClaim(state, event.data), run: state.run, progress: null }
        : state
    case 'ExecutionProgressed': {
      if (state.status !== 'running') return state
      const { progress } = event.data
      return { ...state, ...afterRenewal(state, event.data), progress: progress ?? state.progress }
    }
    case 'ExecutionReleased':
      return state.status === 'running' ? { ...afterRelease(state), run: state.run } : state
    case 'ExecutionSucceeded':
      return 'run' in state
        ? {
            status: 'succeeded',
            run: state.run,
            finishedAt: event.data.finishedAt,
            attempts: attemptsOf(state),
            result: event.data.result,
          }
        : state
    case 'ExecutionFailed':
      return 'run' in state
        ? {
            status: 'failed',
            run: state.run,
            finishedAt: event.data.finishedAt,
            attempts: attemptsOf(state),
            error: event.data.error,
          }
        : state
    case 'ExecutionAborted':
      return 'run' in state
        ? {
            status: 'aborted',
            run: state.run,
            finishedAt: event.data.finishedAt,
            attempts: attemptsOf(state),
            by: event.data.by,
          }
        : state
    case 'ExecutionRowsRemoved':
      return hasEnded(state) ? { ...state, rowsRemovedAt: event.data.at } : state
    case 'ExecutionPointsRemoved':
      if (state.status !== 'succeeded') return state
      return {
        ...state,
        result: { ...state.result, points: null, ...(state.result.periods === undefined ? {} : { periods: null }) },
      }
    default:
      return event satisfies never
  }
}

function attemptsOf(state: Execution): number {
  return state.status === 'waiting' || state.status === 'running' ? claimsOf(state) : (state.attempts ?? 0)
}
