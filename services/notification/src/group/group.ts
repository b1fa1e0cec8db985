import { AssayError } from '@assay/service-kit/errors'

/** Milliseconds from the end of a crawl or a deletion to the writing of its rows. Its last events usually arrive in this time. */
export const settleMs = 1_000
/** The rows of a crawl or a deletion are written after this many milliseconds, even if the event of its end has not arrived. */
export const longestMs = 24 * 3_600_000

/** `dueAt`: when the rows are due, ISO 8601 UTC. */
export type GroupEvent =
  | { type: 'GroupOpened'; data: { at: string; dueAt: string } }
  /** `assemblyId`: of the crawl. Absent in older events. */
  | { type: 'GroupEnded'; data: { at: string; dueAt: string; assemblyId?: number | undefined } }
  /** A part arrived after the writing of the rows had begun. */
  | { type: 'GroupReopened'; data: { at: string; dueAt: string } }
  | { type: 'GroupWritingBegun'; data: { at: string } }
  | { type: 'GroupWritten'; data: { at: string } }

/**
 * The rows of one crawl or deletion. `open`: it is running. `due`: its rows will be written at `dueAt`. `writing`: they are being
 * written; after a crash, they are written again. `written`: they have been written.
 */
export type GroupState =
  | { status: 'none' }
  | {
      status: 'open' | 'due' | 'writing' | 'written'
      /** Unknown before the end. */
      assemblyId: number | null
      dueAt: string
      round: number
      endedAt: string | null
    }

export const noGroup: GroupState = { status: 'none' }

export function evolve(state: GroupState, event: GroupEvent): GroupState {
  if (event.type === 'GroupOpened') {
    const { dueAt } = event.data
    return { status: 'open', assemblyId: null, dueAt, round: 0, endedAt: null }
  }
  if (event.type === 'GroupEnded') {
    const { assemblyId = null, dueAt, at: endedAt } = event.data
    return { status: 'due', assemblyId, dueAt, round: state.status === 'none' ? 0 : state.round, endedAt }
  }
  if (state.status === 'none') return state
  switch (event.type) {
    case 'GroupReopened':
      return { ...state, status: 'due', dueAt: event.data.dueAt }
    case 'GroupWritingBegun':
      return { ...state, status: 'writing', round: state.round + 1 }
    case 'GroupWritten':
      return { ...state, status: 'written' }
    default:
      return event satisfies never
  }
}

/** `now`: epoch milliseconds. */
export type GroupCommand = { now: number } & (
  | { type: 'AddPart' }
  | { type: 'EndGroup'; assemblyId: number | undefined }
  /** Does nothing before the rows are due. */
  | { type: 'BeginWriting' }
  /** `round`: that of the preceding `BeginWriting`. Does nothing if parts have arrived since then. */
  | { type: 'FinishWriting'; round: number }
)

const iso = (time: number) => new Date(time).toISOString()

/**
 * A part is stored before `AddPart`, and the parts are read after `BeginWriting`. So the current round reads the part, or
 * the part reopens the group and the next round reads it. Pure.
 */
export function decide(command: GroupCommand, state: GroupState): GroupEvent[] {
  const at = iso(command.now)
  const soon = iso(command.now + settleMs)
  switch (command.type) {
    case 'AddPart': {
      if (state.status === 'none') return [{ type: 'GroupOpened', data: { at, dueAt: iso(command.now + longestMs) } }]
      return state.status === 'open' || state.status === 'due'
        ? []
        : [{ type: 'GroupReopened', data: { at, dueAt: soon } }]
    }
    case 'EndGroup': {
      const { assemblyId } = command
      return state.status !== 'none' && state.endedAt !== null
        ? []
        : [{ type: 'GroupEnded', data: { at, dueAt: soon, assemblyId } }]
    }
    case 'BeginWriting':
      if (state.status === 'none') throw new AssayError('not-found', 'There is no such group of notifications.')
      return state.status === 'written' || Date.parse(state.dueAt) > command.now
        ? []
        : [{ type: 'GroupWritingBegun', data: { at } }]
    case 'FinishWriting':
      return state.status === 'writing' && state.round === command.round ? [{ type: 'GroupWritten', data: { at } }] : []
    default:
      return command satisfies never
  }
}
