import { type Clock, isoTime } from '@assay/service-kit'
import { AssayError, isPassing, messageOf } from '@assay/service-kit/errors'
import type { Checkpoints, Term } from './checkpoints.ts'
import { comparePositions, type EventStore, type Position, type RecordedEvent } from './port.ts'

/** The streams that a processor has set aside. None of its calls may run beside another, or beside a batch. */
export interface ParkedStreams {
  /** Reads them, and skips their events from now on. Each is tried again once: what was wrong may have been mended. */
  load(): Promise<void>
  holds(event: RecordedEvent): boolean
  park(event: RecordedEvent, error: unknown): Promise<void>
  /** Those to be tried again, asked for since or not tried since the start. */
  wanted(): Promise<string[]>
  /**
   * Handles the stream's events up to `reached`, in order, and then goes on with it. Answers how many; rejects when one
   * fails again. What lies behind `reached` comes by subscription.
   */
  replay(stream: string, reached: Position, signal: AbortSignal): Promise<number>
  /** As `replay`, for one that is wanted: what fails again stays parked, for trouble of the surroundings it stays wanted. */
  tryAgain(stream: string, reached: Position, signal: AbortSignal): Promise<void>
}

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
  const streams = new Map<string, { from: number; term: Term }>()
  const untried = new Set<string>()

  /** `onFailed` is told of the event that failed. */
  async function handleMissed(
    stream: string,
    reached: Position,
    signal: AbortSignal,
    onFailed: (event: RecordedEvent) => void,
  ): Promise<number> {
    const known = streams.get(stream)
    if (known === undefined) return 0
    const { events } = await store.read(stream, { from: known.from })
    const missed = events.filter((event) => comparePositions(event.position, reached) <= 0)
    for (const event of missed) {
      if (signal.aborted) throw new AssayError('unavailable', `${name} stops before it has taken up ${stream} again.`)
      await handle([event]).catch((error: unknown) => {
        onFailed(event)
        throw error
      })
    }
    // Who came later skips its events beyond what was handled here, and takes it up itself.
    if (signal.aborted || !(await checkpoints.unpark(name, stream, known.term)))
      throw new AssayError('unavailable', `Another process runs ${name} by now, and takes up ${stream} again.`)
    streams.delete(stream)
    untried.delete(stream)
    return missed.length
  }

  return {
    async load() {
      streams.clear()
      untried.clear()
      for (const { stream, fromRevision: from } of await checkpoints.parked(name)) {
        const term = await checkpoints.takeOver(name, stream)
        if (term === undefined) continue
        streams.set(stream, { from, term })
        untried.add(stream)
      }
    },
    holds: ({ stream, revision }) => revision >= (streams.get(stream)?.from ?? Infinity),
    async park(event, error) {
      const { stream, revision: from } = event
      const parked = { stream, fromRevision: from, reason: messageOf(error), parkedAt: isoTime(clock.now()) }
      streams.set(stream, { from, term: await checkpoints.park(name, parked) })
      onError(error, { event, parked: true })
    },
    async wanted() {
      if (streams.size === 0) return []
      for (const { stream, isAsked } of await checkpoints.parked(name)) if (isAsked) untried.add(stream)
      return [...untried].filter((stream) => streams.has(stream))
    },
    replay: (stream, reached, signal) => handleMissed(stream, reached, signal, () => undefined),
    async tryAgain(stream, reached, signal) {
      let failed: RecordedEvent | undefined
      try {
        const count = await handleMissed(stream, reached, signal, (event) => {
          failed = event
        })
        onResumed(stream, count)
      } catch (error) {
        const isFinal = !isPassing(error)
        onError(error, { event: failed, parked: isFinal })
        if (!isFinal) return
        await checkpoints.failAgain(name, stream, messageOf(error))
        untried.delete(stream)
      }
    },
  }
}
