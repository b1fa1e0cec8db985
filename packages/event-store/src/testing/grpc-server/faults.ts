/** What the server is told to do wrong. Each stays until it is set back, but for `unanswered`, which counts down. */
export interface Faults {
  /** Calls are refused as by a server that has not come up yet. */
  busy: boolean
  /** Milliseconds before a call is worked on. */
  delayMs: number
  /** Appends that are made but get no answer: the connection is cut, or nothing comes at all. */
  unanswered: { count: number; by: 'cut' | 'silence' }
  /** Appends are made, and answered when this resolves. */
  heldAnswers: Promise<void>
  /** Whether subscribers are told that they have caught up, as servers from 23.10 on do. */
  tellsCaughtUp: boolean
}

export function noFaults(): Faults {
  return {
    busy: false,
    delayMs: 0,
    unanswered: { count: 0, by: 'cut' },
    heldAnswers: Promise.resolve(),
    tellsCaughtUp: true,
  }
}
