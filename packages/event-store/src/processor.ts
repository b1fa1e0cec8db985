import type { Clock, Timers } from '@assay/service-kit'
import { isTransient } from '@assay/service-kit/errors'
import type { Checkpoints, ParkedStream } from './checkpoints.ts'
import { createMutex } from './mutex.ts'
import { createParkedStreams } from './parked-streams.ts'
import type { EventStore, LogSlice, Position, RecordedEvent } from './port.ts'

/** Maximum attempts per event before its stream is parked; transient errors do not count. */
const maxTries = 5
const firstPauseMs = 100
const longestPauseMs = 10_000
/**
 * Minimum time between checkpoints while events arrive. After a crash, events after the last checkpoint are handled
 * again.
 */
const busyCheckpointMs = 500
/** Minimum time between checkpoints while only unwanted events arrive. */
const idleCheckpointMs = 5_000
/** After a batch of this size, `batchDelayMs` does not apply. */
const largeBatch = 100
/** How often the processor checks for requests to resume a parked stream. */
const parkedCheckMs = 5_000
/** Maximum that `lag` reports. */
const maxLag = 10_000

export interface Processor {
  /** Continues after the checkpoint. Resolves when the checkpoint has been read. */
  start(): Promise<void>
  /** Finishes the current batch and saves the checkpoint. */
  stop(): Promise<void>
  /** The number of events to be handled, counted up to 10,000. */
  lag(): Promise<number>
  parked(): Promise<ParkedStream[]>
}

export interface ProcessorOptions {
  /** Unique among the processors that share `checkpoints`. */
  name: string
  store: Pick<EventStore, 'subscribe' | 'readAll' | 'read'>
  checkpoints: Checkpoints
  categories?: readonly string[] | undefined
  /** Must be idempotent. After a batch has failed, it gets the events one by one. */
  handle(events: readonly RecordedEvent[]): Promise<void>
  /** Called for every failure; `parked` if the stream was parked because of it. */
  onError(error: unknown, about: { event?: RecordedEvent | undefined; parked: boolean }): void
  /** Called when a parked stream is resumed, with the number of missed events that were handled. */
  onResumed?: ((stream: string, events: number) => void) | undefined
  timers: Timers
  clock: Clock
  /**
   * Pause after each small batch, to collect more events: over a network, a batch costs about as much as a single
   * event. Milliseconds; default none.
   */
  batchDelayMs?: number
  /** The fence of the current lease, read at each start; 0 if processors run in one process. */
  fence?: () => number
}

/**
 * A subscriber of the log with its own checkpoint. It gets each event at least once, in order, without gaps. An event
 * that fails five times parks its stream, with all later events of that stream, and other streams continue. Parked
 * streams are retried once after each start, and whenever `Checkpoints.requestRetry` requests it.
 */
export function createProcessor(options: ProcessorOptions): Processor {
  const {
    name,
    store,
    checkpoints,
    categories,
    handle,
    onError,
    timers,
    clock,
    batchDelayMs = 0,
    fence = () => 0,
  } = options
  const { onResumed = () => undefined } = options
  const mutex = createMutex()
  const parkedStreams = createParkedStreams({ name, store, checkpoints, handle, onError, onResumed, clock })
  let held = 0
  let position: Position | undefined
  let kept: Position | undefined
  let keptAt = 0
  /** When the checkpoint was last saved because of events. */
  let busyKeptAt = Number.NEGATIVE_INFINITY
  let isKeepingSoon = false
  let stopping = new AbortController()
  let running: Promise<void> | undefined
  let checkingParked: Promise<void> | undefined
  let parkedTimer: { stop(): void } | undefined

  const pause = (attempt: number): Promise<void> =>
    timers.sleep(Math.min(firstPauseMs * 2 ** (attempt - 1), longestPauseMs), stopping.signal)

  /** Retries until `work` succeeds (true) or the processor stops (false). Tries at least once. */
  async function retryUntilDone(work: () => Promise<void>, event?: RecordedEvent): Promise<boolean> {
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

  /** Handles or parks `event`. False if the processor stops first. */
  async function handleOne(event: RecordedEvent): Promise<boolean> {
    let failures = 0
    return retryUntilDone(async () => {
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
    // If the processor stops while a batch fails, the checkpoint must not advance: none of the events may be skipped.
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
    if (!(await retryUntilDone(() => checkpoints.set(name, reached, held)))) return false
    kept = reached
    keptAt = clock.now()
    return true
  }

  /** Flushes the checkpoint after the last event of a burst. */
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
          if (isSmall(slice) && batchDelayMs > 0) await timers.sleep(batchDelayMs, signal)
        }
      } catch (error) {
        onError(error, { parked: false })
      }
      if (!signal.aborted) await pause(attempt)
    }
  }

  async function retryParked(signal: AbortSignal): Promise<void> {
    // Within the mutex, because a batch in progress may be parking a stream.
    for (const stream of await mutex.run(() => parkedStreams.toRetry())) {
      for (let hasMore = true; hasMore; )
        hasMore = await mutex.run(
          async () =>
            !signal.aborted && position !== undefined && (await parkedStreams.retry(stream, position, signal)),
        )
    }
  }

  function checkParked(): void {
    checkingParked ??= retryParked(stopping.signal)
      .catch((error: unknown) => onError(error, { parked: false }))
      .finally(() => {
        checkingParked = undefined
      })
  }

  return {
    async start() {
      if (running !== undefined) return
      stopping = new AbortController()
      held = fence()
      position = await checkpoints.begin(name, held)
      kept = position
      keptAt = clock.now()
      await parkedStreams.load(held)
      running = follow()
      parkedTimer = timers.every(parkedCheckMs, checkParked)
      checkParked()
    },
    async stop() {
      stopping.abort()
      parkedTimer?.stop()
      await running
      await checkingParked
      running = undefined
      // A checkpoint may be in progress alongside the batches.
      await mutex.run(async () => undefined)
      // Best effort: if it fails, the next start only scans events of unwanted categories again.
      if (position !== undefined && position !== kept) await checkpoints.set(name, position, held)
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
