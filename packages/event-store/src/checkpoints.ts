import type { Position } from './port.ts'

/** A stream whose events a processor no longer handles, from `fromRevision` on, until it is replayed. */
export interface ParkedStream {
  stream: string
  fromRevision: number
  /** What went wrong, for people. */
  reason: string
  /** ISO 8601 UTC. */
  parkedAt: string
}

/** How far each processor has come, and which streams it has set aside. Durable when a promise resolves. */
export interface Checkpoints {
  get(name: string): Promise<Position | undefined>
  set(name: string, position: Position): Promise<void>
  parked(name: string): Promise<ParkedStream[]>
  /** A stream that is parked already stays parked from its earlier revision. */
  park(name: string, stream: ParkedStream): Promise<void>
  unpark(name: string, stream: string): Promise<void>
}
