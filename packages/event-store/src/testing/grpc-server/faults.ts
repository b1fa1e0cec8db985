/** Faults of the server. Each lasts until it is reset, except `unanswered`, which counts down. */
export interface Faults {
  /** Calls are refused as by a server that is still starting. */
  busy: boolean
  /** Milliseconds before a call is handled. */
  delayMs: number
  /** Appends that take effect without an answer: the connection is cut, or stays silent. */
  unanswered: { count: number; by: 'cut' | 'silence' }
  /** Appends take effect immediately, but are answered only when this promise resolves. */
  heldAnswers: Promise<void>
  /** Whether the server notifies subscribers that have caught up, as servers from 23.10 on do. */
  reportsCaughtUp: boolean
}

export function noFaults(): Faults {
  return {
    busy: false,
    delayMs: 0,
    unanswered: { count: 0, by: 'cut' },
    heldAnswers: Promise.resolve(),
    reportsCaughtUp: true,
  }
}
