import { afterClaim, afterRelease, afterRenewal, claimed, claimsOf, newWork, waiting } from '@assay/work'
import { z } from 'zod'
import { acceptedRun, progress, type RecordedRun, type RunProgress, type RunResult, runResult } from './run.ts'
import { afterNote, type StartedStatement, statementsOf, withStatements } from './statements.ts'

export type ExecutionEvent =
  | { type: 'ExecutionAccepted'; data: { run: RecordedRun } }
  /** The start was abandoned before acceptance. No run can be accepted under this id. */
  | { type: 'ExecutionAbandoned'; data: { at: string } }
  | { type: 'ExecutionClaimed'; data: { worker: string; fence: number; at: string; until: string } }
  | { type: 'ExecutionProgressed'; data: { fence: number; at: string; until: string; progress: RunProgress | null } }
  /** A statement of the run has started at a source, or has come further. */
  | { type: 'ExecutionStatementNoted'; data: { fence: number; at: string; statement: StartedStatement } }
  | { type: 'ExecutionReleased'; data: { fence: number; at: string } }
  /** The run has read one side, and waits until it reads the other one. `key`: of the folder with what it read. */
  | { type: 'ExecutionDelayed'; data: { fence: number; at: string; until: string; key: string } }
  | { type: 'ExecutionSucceeded'; data: { fence: number; finishedAt: string; result: RunResult } }
  | { type: 'ExecutionFailed'; data: { finishedAt: string; error: string } }
  | { type: 'ExecutionAborted'; data: { finishedAt: string; by: string } }
  /** The run's rows have passed their retention; its results stay. */
  | { type: 'ExecutionRowsRemoved'; data: { at: string } }
  /** The run's points are older than any look-back; its outcomes stay. */
  | { type: 'ExecutionPointsRemoved'; data: { at: string } }

const accepted = { run: acceptedRun }
/** What a run that waits between its sides has read: the key of a folder, and the fence of the claim that stored it. */
const readFirst = z.object({ key: z.string(), fence: z.int() })
const begun = { ...accepted, readFirst: readFirst.exactOptional() }
/** Fields of an ended run: the number of claims, and when the rows of all attempts were removed. */
const left = { attempts: z.int().optional(), rowsRemovedAt: z.string().optional() }
const ended = { ...begun, finishedAt: z.string(), ...left }
/** The states of a run that can be shown. */
const shown = [
  /** `waitsUntil`: no worker may claim it before. */
  waiting.extend({ ...begun, ...withStatements, waitsUntil: z.string().exactOptional() }),
  claimed.extend({ ...begun, ...withStatements, progress: progress.nullable() }),
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
        ? { ...afterClaim(state, event.data), ...begunOf(state), ...statementsOf(state), progress: null }
        : state
    case 'ExecutionProgressed': {
      if (state.status !== 'running') return state
      const { progress } = event.data
      return { ...state, ...afterRenewal(state, event.data), progress: progress ?? state.progress }
    }
    case 'ExecutionStatementNoted':
      return state.status === 'running'
        ? { ...state, statements: afterNote(state.statements, event.data.statement) }
        : state
    case 'ExecutionReleased':
      return state.status === 'running' ? { ...afterRelease(state), ...begunOf(state), ...statementsOf(state) } : state
    case 'ExecutionDelayed': {
      if (state.status !== 'running') return state
      const { fence, key, until } = event.data
      return { ...afterRelease(state), run: state.run, readFirst: { key, fence }, waitsUntil: until }
    }
    case 'ExecutionSucceeded':
      return 'run' in state ? { status: 'succeeded', ...endOf(state, event.data), result: event.data.result } : state
    case 'ExecutionFailed':
      return 'run' in state ? { status: 'failed', ...endOf(state, event.data), error: event.data.error } : state
    case 'ExecutionAborted':
      return 'run' in state ? { status: 'aborted', ...endOf(state, event.data), by: event.data.by } : state
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

/** The parts of a run that stay as it goes on. */
function begunOf({ run, readFirst }: Execution): Pick<Execution, 'run' | 'readFirst'> {
  return { run, ...(readFirst === undefined ? {} : { readFirst }) }
}

function endOf(state: Execution, { finishedAt }: { finishedAt: string }) {
  const attempts = hasEnded(state) ? (state.attempts ?? 0) : claimsOf(state)
  return { ...begunOf(state), finishedAt, attempts }
}
