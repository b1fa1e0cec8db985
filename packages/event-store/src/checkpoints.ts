import type { Position } from './port.ts'

/** A stream whose events a processor no longer handles, from `fromRevision` on, until it is replayed. */
export interface ParkedStream {
  stream: string
  fromRevision: number
  /** What went wrong, for people. */
  reason: string
  /** ISO 8601 UTC. */
  parkedAt: string
  /** Set while the processor has still to try the stream again after a request to do so. */
  isAsked?: true
}

/**
 * Who skips the events of a parked stream. Of two that run at once, the holder of a lease and one that has lost it
 * without knowing, the later one skips them, so only that one can know when all of them have been handled.
 */
export type Term = string

/** How far each processor has come, and which streams it has set aside. Durable when a promise resolves. */
export interface Checkpoints {
  get(name: string): Promise<Position | undefined>
  set(name: string, position: Position): Promise<void>
  /** Earliest first. */
  parked(name: string): Promise<ParkedStream[]>
  /** Those of every processor, by its name. */
  parkedByAll(): Promise<(ParkedStream & { name: string })[]>
  /** A stream that is parked already stays parked from its earlier revision. Ends every earlier term. */
  park(name: string, stream: ParkedStream): Promise<Term>
  /** Skips from now on the events of a stream that is parked. Ends every earlier term. `undefined`: it is not parked. */
  takeOver(name: string, stream: string): Promise<Term | undefined>
  /** The stream is no longer parked. False when it is not, or when the term has ended: nothing has changed then. */
  unpark(name: string, stream: string, term: Term): Promise<boolean>
  /** Asks whoever runs the processor to take the stream up again. False when it is not parked. */
  ask(name: string, stream: string): Promise<boolean>
  /** It was tried, and failed because of `reason`: stays parked, and is no longer asked for. */
  failAgain(name: string, stream: string, reason: string): Promise<void>
}
