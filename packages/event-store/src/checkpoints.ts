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
 * The progress of each processor, and its parked streams. A write is durable once its promise resolves. `fence`: the
 * fence of the lease under which the processor runs. A holder that lost its lease without noticing can change neither
 * the position nor the streams that the next holder has parked.
 */
export interface Checkpoints {
  get(name: string): Promise<Position | undefined>
  /**
   * The position to continue from. From now on, writes with a lower fence have no effect. Throws `unavailable` if a
   * processor with a higher fence has begun.
   */
  begin(name: string, fence: number): Promise<Position | undefined>
  set(name: string, position: Position, fence: number): Promise<void>
  /**
   * Deletes the position, so that the processor starts at the beginning of the log the next time it begins. Checkpoints
   * in documents ignore positions that are set until then; with checkpoints in a file, stop the processor first. False
   * if there is no position.
   */
  restart(name: string): Promise<boolean>
  /** Earliest first. */
  parked(name: string): Promise<ParkedStream[]>
  /** The parked streams of all processors, with the processor's name. */
  parkedByAll(): Promise<(ParkedStream & { name: string })[]>
  /**
   * Parks a stream, or takes over one that was parked under a lower fence. A stream that is already parked stays parked
   * from the earlier revision.
   */
  park(name: string, stream: ParkedStream, fence: number): Promise<void>
  /** False, without effect, if a higher fence skips the stream. */
  unpark(name: string, stream: string, fence: number): Promise<boolean>
  /** Requests a retry of the stream from the processor. False if it is not parked. */
  requestRetry(name: string, stream: string): Promise<boolean>
  /** Records that the retry failed because of `reason`: the stream stays parked, and the request is cleared. */
  recordFailedRetry(name: string, stream: string, reason: string): Promise<void>
}
