import { type Clock, isoTime } from '@assay/service-kit'
import { AssayError, isTransient, messageOf } from '@assay/service-kit/errors'
import type { Checkpoints, ParkedStream } from './checkpoints.ts'
import { comparePositions, type EventStore, type Position, type RecordedEvent } from './port.ts'

/** The parked streams of a processor. Calls must not overlap each other or a batch. */
export interface ParkedStreams {
  /**
   * Loads the parked streams for the holder with this fence, and skips their events from now on. Each stream is retried
   * once, because the cause may have been fixed.
   */
  load(fence: number): Promise<void>
  holds(event: RecordedEvent): boolean
  park(event: RecordedEvent, error: unknown): Promise<void>
  /**
   * The streams whose retry was requested, or that this process has not retried yet. Call it every few seconds, because
   * an earlier holder may still park a stream, which this process must then take over.
   */
  toRetry(): Promise<string[]>
  /**
   * Handles the stream's events up to `reached`, in order, and resumes the stream. If an event fails again, the stream
   * stays parked; after a transient error, `toRetry` returns it again. A call handles at most 100 events, and returns
   * whether another call is needed.
   */
  retry(stream: string, reached: Position, signal: AbortSignal): Promise<boolean>
}

/** While no stream is parked here, only every nth call of `toRetry` reads the store. */
const callsPerRead = 12
/** Maximum events per call of `retry`: other events of the processor wait meanwhile. */
const portion = 100

export function createParkedStreams(options: {
  name: string
  store: Pick<EventStore, 'read'>
  checkpoints: Checkpoints
  handle(events: readonly RecordedEvent[]): Promise<void>
  onError(error: unknown, about: { event?: RecordedEvent | undefined; parked: boolean }): void
  onResumed(stream: string, events: number): void
  clock: Clock
}): ParkedStreams {
  const { name, store, checkpoints, handle, onError, onResumed, clock } = options
  /** A retry advances `from` and counts `handled`. */
  const streams = new Map<string, { from: number; handled: number }>()
  const untried = new Set<string>()
  let fence = 0
  let calls = 0

  async function take(parked: ParkedStream): Promise<void> {
    const { stream, fromRevision: from } = parked
    await checkpoints.park(name, parked, fence)
    streams.set(stream, { from, handled: 0 })
    untried.add(stream)
  }

  /** Returns whether all missed events were handled. `onFailed` gets the event that failed. */
  async function handleMissed(
    stream: string,
    reached: Position,
    signal: AbortSignal,
    onFailed: (event: RecordedEvent) => void,
  ): Promise<boolean> {
    const known = streams.get(stream)
    if (known === undefined) return true
    const { events } = await store.read(stream, { from: known.from, limit: portion })
    const missed = events.filter((event) => comparePositions(event.position, reached) <= 0)
    for (const event of missed) {
      if (signal.aborted) throw new AssayError('unavailable', `${name} stops before it has resumed ${stream}.`)
      await handle([event]).catch((error: unknown) => {
        onFailed(event)
        throw error
      })
      known.from = event.revision + 1
      known.handled += 1
    }
    if (missed.length === portion) return false
    // The next holder has parked the stream, too, and resumes it itself.
    if (signal.aborted || !(await checkpoints.unpark(name, stream, fence)))
      throw new AssayError('unavailable', `Another process has taken over ${name} and resumes ${stream}.`)
    streams.delete(stream)
    untried.delete(stream)
    return true
  }

  return {
    async load(of) {
      fence = of
      streams.clear()
      untried.clear()
      for (const parked of await checkpoints.parked(name)) await take(parked)
    },
    holds: ({ stream, revision }) => revision >= (streams.get(stream)?.from ?? Infinity),
    async park(event, error) {
      const { stream, revision: from } = event
      const parked = { stream, fromRevision: from, reason: messageOf(error), parkedAt: isoTime(clock.now()) }
      await checkpoints.park(name, parked, fence)
      streams.set(stream, { from, handled: 0 })
      onError(error, { event, parked: true })
    },
    async toRetry() {
      calls += 1
      if (streams.size === 0 && calls % callsPerRead > 0) return []
      for (const parked of await checkpoints.parked(name)) {
        if (!streams.has(parked.stream) && (parked.fence ?? fence) <= fence) await take(parked)
        if (parked.isRetryRequested) untried.add(parked.stream)
      }
      return [...untried].filter((stream) => streams.has(stream))
    },
    async retry(stream, reached, signal) {
      const known = streams.get(stream)
      let failed: RecordedEvent | undefined
      const onFailed = (event: RecordedEvent) => {
        failed = event
      }
      try {
        if (!(await handleMissed(stream, reached, signal, onFailed))) return true
        onResumed(stream, known?.handled ?? 0)
      } catch (error) {
        const isFinal = !isTransient(error)
        onError(error, { event: failed, parked: isFinal })
        if (!isFinal) return false
        await checkpoints.recordFailedRetry(name, stream, messageOf(error))
        untried.delete(stream)
      }
      return false
    },
  }
}
