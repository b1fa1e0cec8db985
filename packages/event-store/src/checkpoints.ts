import type { Position } from './port.ts'

/** A stream whose events a processor skips, from `fromRevision` on, until it is replayed. */
export interface ParkedStream {
  stream: string
  fromRevision: number
  /** The error message. */
  reason: string
  /** ISO 8601 UTC. */
  parkedAt: string
  /** A retry was requested, and the processor has not tried yet. */
  isRetryRequested?: true
  /** The fence of the holder that skips the stream; absent if all processors run in one process. */
  fence?: number | undefined
}

/**
 * The progress of each processor, and its parked streams. Durable when a promise resolves. `fence` is that of the lease
 * under which the processor runs. A holder that lost its lease without noticing can change neither the position nor the
 * streams that the next holder has parked.
 */
export interface Checkpoints {
  get(name: string): Promise<Position | undefined>
  /**
   * The position to continue from. From now on, lower fences can no longer write. Throws `unavailable` if a higher one
   * has begun.
   */
  begin(name: string, fence: number): Promise<Position | undefined>
  set(name: string, position: Position, fence: number): Promise<void>
  /**
   * Forgets the position: the processor starts at the beginning of the log when it next begins. In documents, positions
   * set until then have no effect; with a file, the processor must be stopped. False if there is no position.
   */
  restart(name: string): Promise<boolean>
  /** Earliest first. */
  parked(name: string): Promise<ParkedStream[]>
  /** The parked streams of all processors, with the processor's name. */
  parkedByAll(): Promise<(ParkedStream & { name: string })[]>
  /**
   * Also takes over a stream parked under a lower fence. If the stream is already parked, it stays parked from the
   * earlier revision.
   */
  park(name: string, stream: ParkedStream, fence: number): Promise<void>
  /** False, without effect, if a higher fence skips the stream. */
  unpark(name: string, stream: string, fence: number): Promise<boolean>
  /** Requests a retry of the stream from the processor. False if it is not parked. */
  requestRetry(name: string, stream: string): Promise<boolean>
  /** Records that the retry failed because of `reason`: the stream stays parked, and the request is done. */
  recordFailedRetry(name: string, stream: string, reason: string): Promise<void>
}
