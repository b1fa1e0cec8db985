import type { Position } from './port.ts'

/** A stream whose events a processor skips, from `fromRevision` on, until it is replayed. */
export interface ParkedStream {
  stream: string
  fromRevision: number
  /** The error, for people. */
  reason: string
  /** ISO 8601 UTC. */
  parkedAt: string
  /** Set until the processor has retried the stream on request. */
  isAsked?: true
}

/**
 * Identifies who skips the events of a parked stream. If a lease holder and one that has lost the lease without
 * noticing run at once, the later one skips them, so only that one knows when all of them have been handled.
 */
export type Term = string

/** The progress of each processor, and its parked streams. Durable when a promise resolves. */
export interface Checkpoints {
  get(name: string): Promise<Position | undefined>
  set(name: string, position: Position): Promise<void>
  /** Earliest first. */
  parked(name: string): Promise<ParkedStream[]>
  /** Those of every processor, by its name. */
  parkedByAll(): Promise<(ParkedStream & { name: string })[]>
  /** A stream that is parked already stays parked from its earlier revision. Ends every earlier term. */
  park(name: string, stream: ParkedStream): Promise<Term>
  /** Skips the events of a parked stream from now on. Ends every earlier term. `undefined`: it is not parked. */
  takeOver(name: string, stream: string): Promise<Term | undefined>
  /** Unparks the stream. False, without effect, if it is not parked or the term has ended. */
  unpark(name: string, stream: string, term: Term): Promise<boolean>
  /** Requests a retry of the stream from the processor. False if it is not parked. */
  ask(name: string, stream: string): Promise<boolean>
  /** The retry failed because of `reason`: the stream stays parked, and the request is done. */
  failAgain(name: string, stream: string, reason: string): Promise<void>
}
