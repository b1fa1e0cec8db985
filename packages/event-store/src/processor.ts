import type { Clock, Timers } from '@assay/service-kit'
import { isTransient } from '@assay/service-kit/errors'
import type { Checkpoints, ParkedStream } from './checkpoints.ts'
import { createMutex } from './mutex.ts'
import { createParkedStreams } from './parked-streams.ts'
import type { EventStore, LogSlice, Position, RecordedEvent } from './port.ts'

/** Tries of one event before its stream is parked; trouble of the surroundings does not count. */
const maxTries = 5
const firstPauseMs = 100
const longestPauseMs = 10_000
/** A checkpoint is kept this often at most while events come: those behind it are handled again after a crash. */
const busyCheckpointMs = 500
/** A checkpoint that moves only over events of others is kept this rarely. */
const idleCheckpointMs = 5_000
/** Batches of so many events are large enough. */
const largeBatch = 100
/** How often is looked whether somebody has asked for a parked stream. */
const parkedLookMs = 5_000
/** Where `lag` stops counting. */
const maxLag = 10_000

export interface Processor {
  /** Goes on behind the checkpoint. Resolves when the checkpoint has been read. */
  start(): Promise<void>
  /** Finishes the batch in hand, keeps the checkpoint. */
  stop(): Promise<void>
  /** Events that wait to be handled, counted up to 10,000. */
  lag(): Promise<number>
  parked(): Promise<ParkedStream[]>
}

export interface ProcessorOptions {
  /** Unique among those that share `checkpoints`. */
  name: string
  store: Pick<EventStore, 'subscribe' | 'readAll' | 'read'>
  checkpoints: Checkpoints
  categories?: readonly string[] | undefined
  /** Must bear to get an event again. After a failed batch it gets events one by one. */
  handle(events: readonly RecordedEvent[]): Promise<void>
  /** Told of every failure; `parked` when the stream was set aside because of it. */
  onError(error: unknown, about: { event?: RecordedEvent | undefined; parked: boolean }): void
  /** Told when a parked stream is handled again: so many of its events have been made up for. */
  onResumed?: ((stream: string, events: number) => void) | undefined
  timers: Timers
  clock: Clock
  /**
   * Pause behind each small batch, for what comes meanwhile to be handled together: where stores and bus are asked over a
   * network, a batch costs about as much as its events. Milliseconds; default none.
   */
  gatherMs?: number
}

/**
 * A follower of the log with a checkpoint of its own: at least once, in order, nothing skipped. An event that fails five
 * times parks its stream, with all later events of that stream, and the other streams go on. What is parked is tried again
 * once after each start, and when somebody asks for it by `Checkpoints.ask`.
 */
export function createProcessor(options: ProcessorOptions): Processor {
  const { name, store, checkpoints, categories, handle, onError, timers, clock, gatherMs = 0 } = options
  const { onResumed = () => undefined } = options
  const mutex = createMutex()
  const parkedStreams = createParkedStreams({ name, store, checkpoints, handle, onError, onResumed, clock })
  let position: Position | undefined
  let kept: Position | undefined
  let keptAt = 0
  /** When the checkpoint was last kept because of events. */
  let busyKeptAt = Number.NEGATIVE_INFINITY
  let isKeepingSoon = false
  let stopping = new AbortController()
  let running: Promise<void> | undefined
  let lookingAtParked: Promise<void> | undefined
  let looks: { stop(): void } | undefined

  const pause = (attempt: number): Promise<void> =>
    timers.sleep(Math.min(firstPauseMs * 2 ** (attempt - 1), longestPauseMs), stopping.signal)

  /** Again until it works (true) or the processor stops (false). Tries once in any case. */
  async function surely(work: () => Promise<void>, event?: RecordedEvent): Promise<boolean> {
    for (let attempt = 1; ; attempt++) {
      try {
        await work()
        return true
      } catch (error) {
        onError(error, { event, parked: false })
      }
      if (stopping.signal.aborted) return false
      await pause(attempt)
    }
  }

  /** Handles or parks `event`. False when the processor stops before either is done. */
  async function handleOne(event: RecordedEvent): Promise<boolean> {
    let failures = 0
    return surely(async () => {
      try {
        await handle([event])
      } catch (error) {
        if (!isTransient(error)) failures += 1
        if (failures < maxTries) throw error
        await parkedStreams.park(event, error)
      }
    }, event)
  }

  async function handleBatch(events: readonly RecordedEvent[]): Promise<boolean> {
    const wanted = events.filter((event) => !parkedStreams.holds(event))
    if (wanted.length === 0) return true
    try {
      await handle(wanted)
      return true
    } catch (error) {
      onError(error, { event: wanted.length === 1 ? wanted[0] : undefined, parked: false })
    }
    for (const event of wanted) {
      if (!parkedStreams.holds(event) && !(await handleOne(event))) return false
    }
    return true
  }

  async function take(slice: LogSlice): Promise<void> {
    // A stop in the middle of a failing batch leaves the checkpoint where it was: nothing of it may be skipped.
    if (!(await handleBatch(slice.events))) return
    const hasEvents = slice.events.length > 0
    const isDue = hasEvents ? clock.now() - busyKeptAt >= busyCheckpointMs : clock.now() - keptAt >= idleCheckpointMs
    if (isDue) {
      if (!(await keep(slice.position))) return
      if (hasEvents) busyKeptAt = keptAt
    } else if (hasEvents) keepSoon()
    position = slice.position
  }

  async function keep(reached: Position): Promise<boolean> {
    if (!(await surely(() => checkpoints.set(name, reached)))) return false
    kept = reached
    keptAt = clock.now()
    return true
  }

  /** For the last events of a busy time: nothing may come behind them that would keep the checkpoint. */
  function keepSoon(): void {
    if (isKeepingSoon) return
    isKeepingSoon = true
    const { signal } = stopping
    void timers.sleep(busyCheckpointMs, signal).then(() =>
      mutex.run(async () => {
        isKeepingSoon = false
        if (signal.aborted || position === undefined || position === kept) return
        if (await keep(position)) busyKeptAt = keptAt
      }),
    )
  }

  const isSmall = ({ events }: LogSlice): boolean => events.length > 0 && events.length < largeBatch

  async function follow(): Promise<void> {
    const { signal } = stopping
    for (let attempt = 1; !signal.aborted; attempt++) {
      try {
        for await (const slice of store.subscribe({ categories, after: position, signal })) {
          await mutex.run(() => take(slice))
          attempt = 1
          if (signal.aborted) break
          if (isSmall(slice) && gatherMs > 0) await timers.sleep(gatherMs, signal)
        }
      } catch (error) {
        onError(error, { parked: false })
      }
      if (!signal.aborted) await pause(attempt)
    }
  }

  async function tryParkedAgain(signal: AbortSignal): Promise<void> {
    // In turns: a stream that is just being parked is not yet known to be ours.
    for (const stream of await mutex.run(() => parkedStreams.wanted())) {
      for (let hasMore = true; hasMore; )
        hasMore = await mutex.run(
          async () =>
            !signal.aborted && position !== undefined && (await parkedStreams.tryAgain(stream, position, signal)),
        )
    }
  }

  function lookAtParked(): void {
    lookingAtParked ??= tryParkedAgain(stopping.signal)
      .catch((error: unknown) => onError(error, { parked: false }))
      .finally(() => {
        lookingAtParked = undefined
      })
  }

  return {
    async start() {
      if (running !== undefined) return
      stopping = new AbortController()
      position = await checkpoints.get(name)
      kept = position
      keptAt = clock.now()
      await parkedStreams.load()
      running = follow()
      looks = timers.every(parkedLookMs, lookAtParked)
      lookAtParked()
    },
    async stop() {
      stopping.abort()
      looks?.stop()
      await running
      await lookingAtParked
      running = undefined
      // A checkpoint may be under way beside the batches.
      await mutex.run(async () => undefined)
      // Best effort: without it the next start looks again at events of others.
      if (position !== undefined && position !== kept) await checkpoints.set(name, position)
      kept = position
    },
    async lag() {
      let after = position
      for (let count = 0; ; ) {
        const slice = await store.readAll({ categories, after, limit: 1000 })
        count += slice.events.length
        if (slice.atEnd || count >= maxLag) return Math.min(count, maxLag)
        after = slice.position
      }
    },
    parked: () => checkpoints.parked(name),
  }
}
