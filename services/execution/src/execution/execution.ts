import { z } from 'zod'
import {
  acceptedRun,
  type Claim,
  claim,
  progress,
  type RecordedRun,
  type RunProgress,
  type RunResult,
  runResult,
} from './run.ts'

export type ExecutionEvent =
  | { type: 'ExecutionAccepted'; data: { run: RecordedRun } }
  /** A start that never came to be accepted: nothing may be accepted under this id any more. */
  | { type: 'ExecutionForsaken'; data: { at: string } }
  | { type: 'ExecutionClaimed'; data: { worker: string; fence: number; at: string; until: string } }
  | { type: 'ExecutionProgressed'; data: { fence: number; at: string; until: string; progress: RunProgress | null } }
  | { type: 'ExecutionReleased'; data: { fence: number; at: string } }
  | { type: 'ExecutionSucceeded'; data: { fence: number; finishedAt: string; result: RunResult } }
  | { type: 'ExecutionFailed'; data: { finishedAt: string; error: string } }
  | { type: 'ExecutionAborted'; data: { finishedAt: string; by: string } }
  /** The time of keeping its rows is over; its figures stay. */
  | { type: 'ExecutionRowsRemoved'; data: { at: string } }
  /** Too long ago for any look-back; the outcomes stay. */
  | { type: 'ExecutionPointsForgotten'; data: { at: string } }

const accepted = { run: acceptedRun }
/** Of an ended run: how many claims there were of it, and when its rows and those of its dead attempts were removed. */
const left = { attempts: z.int().optional(), rowsRemovedAt: z.string().optional() }
const ended = { ...accepted, finishedAt: z.string(), ...left }
/** A run as it stands. `lost` counts the workers that let their claim expire, `fence` all claims there were. */
const shown = [
  z.object({ status: z.literal('waiting'), ...accepted, fence: z.int(), lost: z.int() }),
  z.object({ status: z.literal('running'), ...accepted, claim, lost: z.int(), progress: progress.nullable() }),
  z.object({ status: z.literal('succeeded'), ...ended, result: runResult }),
  z.object({ status: z.literal('failed'), ...ended, error: z.string() }),
  z.object({ status: z.literal('aborted'), ...ended, by: z.string() }),
] as const
/** A run that was accepted: what the documents hold. */
export const execution = z.discriminatedUnion('status', shown)
export type Execution = z.infer<typeof execution>
export type EndedExecution = Extract<Execution, { finishedAt: string }>
export type ExecutionState = { status: 'none' } | { status: 'forsaken' } | Execution

export const noExecution: ExecutionState = { status: 'none' }

/** Whether a run has come to its end, in whatever way. */
export function hasEnded(state: ExecutionState): state is EndedExecution {
  return state.status === 'succeeded' || state.status === 'failed' || state.status === 'aborted'
}

export function evolve(state: ExecutionState, event: ExecutionEvent): ExecutionState {
  switch (event.type) {
    case 'ExecutionAccepted':
      return { status: 'waiting', run: event.data.run, fence: 0, lost: 0 }
    case 'ExecutionForsaken':
      return { status: 'forsaken' }
    case 'ExecutionClaimed':
      return claimed(state, {
        worker: event.data.worker,
        fence: event.data.fence,
        until: event.data.until,
        renewedAt: event.data.at,
      })
    case 'ExecutionProgressed': {
      if (state.status !== 'running') return state
      const { at, until, progress } = event.data
      return { ...state, claim: { ...state.claim, until, renewedAt: at }, progress: progress ?? state.progress }
    }
    case 'ExecutionReleased':
      return state.status === 'running'
        ? { status: 'waiting', run: state.run, fence: state.claim.fence, lost: state.lost }
        : state
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
    case 'ExecutionPointsForgotten':
      return state.status === 'succeeded' ? { ...state, result: { ...state.result, points: null } } : state
    default:
      return event satisfies never
  }
}

function attemptsOf(state: Execution): number {
  if (state.status === 'waiting') return state.fence
  return state.status === 'running' ? state.claim.fence : (state.attempts ?? 0)
}

function claimed(state: ExecutionState, claim: Claim): ExecutionState {
  switch (state.status) {
    case 'waiting':
      return { status: 'running', run: state.run, claim, lost: state.lost, progress: null }
    case 'running':
      return { status: 'running', run: state.run, claim, lost: state.lost + 1, progress: null }
    case 'none':
    case 'forsaken':
    case 'succeeded':
    case 'failed':
    case 'aborted':
      return state
    default:
      return state satisfies never
  }
}
