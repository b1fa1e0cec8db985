import { type Clock, isoTime } from '@assay/service-kit'
import { AssayError, isTransient, messageOf } from '@assay/service-kit/errors'
import type { Checkpoints, ParkedStream, Term } from './checkpoints.ts'
import { comparePositions, type EventStore, type Position, type RecordedEvent } from './port.ts'

/** The parked streams of a processor. Its calls must not overlap each other, or a batch. */
export interface ParkedStreams {
  /** Loads them, and skips their events from now on. Each is retried once, because the cause may have been fixed. */
  load(): Promise<void>
  holds(event: RecordedEvent): boolean
  park(event: RecordedEvent, error: unknown): Promise<void>
  /**
   * Those to be retried: requested since, or not retried since the start. Call it every few seconds: it takes over
   * streams that have been parked by another owner for a minute of calls, by when an owner without the lease must have
   * noticed.
   */
  wanted(): Promise<string[]>
  /**
   * Handles the stream's events up to `reached`, in order, and continues with it; later ones come by subscription. A
   * stream that fails again stays parked, and after a transient error also wanted. Answers whether there is more of it,
   * for another call: one handles at most 100 events.
   */
  tryAgain(stream: string, reached: Position, signal: AbortSignal): Promise<boolean>
}

/** Calls of `wanted` after which a process that has lost the lease must have noticed. */
const looksBeforeTaking = 12
/** A process with longer gaps was held up, and may be the one that has lost the lease. */
const longestGapMs = 30_000
/** Events handled while others of the processor wait. */
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
  /** `from` grows during a retry; `handled`: how many of its events were handled since. */
  const streams = new Map<string, { from: number; term: Term; handled: number }>()
  const untried = new Set<string>()
  /** Parked by another owner since our lease expired, or since the start. By how often they were seen. */
  const strange = new Map<string, number>()
  /** Those of `strange` whose events are skipped here. */
  const lost = new Set<string>()
  let looks = 0
  let lookedAt = clock.now()

  function forget(stream: string): void {
    for (const known of [streams, untried, strange, lost]) known.delete(stream)
  }

  /** `onFailed` gets the event that failed. Answers whether that was all. */
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
      if (signal.aborted) throw new AssayError('unavailable', `${name} stops before it has taken up ${stream} again.`)
      await handle([event]).catch((error: unknown) => {
        onFailed(event)
        throw error
      })
      known.from = event.revision + 1
      known.handled += 1
    }
    if (missed.length === portion) return false
    // A later owner skips its events beyond those handled here, and resumes it itself.
    if (signal.aborted || !(await checkpoints.unpark(name, stream, known.term))) {
      lost.add(stream)
      throw new AssayError('unavailable', `Another process runs ${name} by now, and takes up ${stream} again.`)
    }
    forget(stream)
    return true
  }

  /**
   * Owned by us from now on. A stream that an owner with an ended term released is parked again, because its events
   * were skipped.
   */
  async function take(stream: string, entry: ParkedStream | undefined): Promise<void> {
    const known = streams.get(stream)
    const from = Math.min(known?.from ?? Infinity, entry?.fromRevision ?? Infinity)
    const reason = 'It was taken up again while another process ran.'
    const again = { stream, fromRevision: from, reason, parkedAt: isoTime(clock.now()) }
    const taken = entry === undefined ? undefined : await checkpoints.takeOver(name, stream)
    const term = taken ?? (known === undefined ? undefined : await checkpoints.park(name, again))
    forget(stream)
    if (term === undefined) return
    streams.set(stream, { from, term, handled: 0 })
    untried.add(stream)
  }

  async function takeStrange(parked: readonly ParkedStream[]): Promise<void> {
    const entries = new Map(parked.map((entry) => [entry.stream, entry]))
    const now = new Set([...entries.keys()].filter((stream) => !streams.has(stream)).concat([...lost]))
    for (const stream of strange.keys()) if (!now.has(stream)) strange.delete(stream)
    for (const stream of now) {
      const seen = (strange.get(stream) ?? 0) + 1
      strange.set(stream, seen)
      if (seen > looksBeforeTaking) await take(stream, entries.get(stream))
    }
  }

  return {
    async load() {
      for (const known of [streams, untried, strange, lost]) known.clear()
      for (const { stream, fromRevision: from } of await checkpoints.parked(name)) {
        const term = await checkpoints.takeOver(name, stream)
        if (term === undefined) continue
        streams.set(stream, { from, term, handled: 0 })
        untried.add(stream)
      }
    },
    holds: ({ stream, revision }) => revision >= (streams.get(stream)?.from ?? Infinity),
    async park(event, error) {
      const { stream, revision: from } = event
      const parked = { stream, fromRevision: from, reason: messageOf(error), parkedAt: isoTime(clock.now()) }
      streams.set(stream, { from, term: await checkpoints.park(name, parked), handled: 0 })
      onError(error, { event, parked: true })
    },
    async wanted() {
      const wasHeldUp = clock.now() - lookedAt > longestGapMs
      lookedAt = clock.now()
      if (wasHeldUp) strange.clear()
      looks += 1
      // Streams unknown here are looked up rarely.
      if (streams.size === 0 && strange.size === 0 && looks % looksBeforeTaking > 0) return []
      const parked = await checkpoints.parked(name)
      for (const { stream, isAsked } of parked) if (isAsked) untried.add(stream)
      await takeStrange(parked)
      return [...untried].filter((stream) => streams.has(stream) && !lost.has(stream))
    },
    async tryAgain(stream, reached, signal) {
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
        await checkpoints.failAgain(name, stream, messageOf(error))
        untried.delete(stream)
      }
      return false
    },
  }
}
