import { Readable } from 'node:stream'
import type { Clock, Timers } from '@assay/service-kit'
import type { Frame } from './frames.ts'
import type { EventReader } from './tail-reader.ts'

/** Interval in milliseconds at which a stream that is not up to date looks for events that it was not notified of. */
const pollMs = 500
const heartbeatMs = 10_000
/** When a reader connects again, spread so that the readers of a process that ended do not come at the same moment. */
const [minRetryMs, maxRetryMs] = [1_000, 3_000]
/** A reader that takes nothing for this many milliseconds is disconnected; it can resume after its last event. */
const timeoutMs = 30_000
/** A reader that has been up to date is disconnected if its next event has waited for more than this many milliseconds. */
const maxDelayMs = 30_000
/** A reader is disconnected if more than this many bytes wait for it, and it takes nothing for `pauseMs`. */
const maxWaitingBytes = 1024 * 1024
const pauseMs = 1_000
/** The reason of aborts that only end a sleep. Without a reason, each would create an error with its stack. */
const awake = 'awake'

/** Resolves when `readable` wants more; false if it ended or took nothing for `limitMs`. */
function waitForDemand(
  demand: { wait(): Promise<void> },
  timers: Pick<Timers, 'sleep'>,
  ended: AbortSignal,
  limitMs: number,
): Promise<boolean> {
  const over = new AbortController()
  const late = timers.sleep(limitMs, AbortSignal.any([over.signal, ended])).then(() => false)
  return Promise.race([demand.wait().then(() => !ended.aborted), late]).finally(() => over.abort(awake))
}

/**
 * The events of a reader as text, with comments between them that keep the connection alive. Reads at most one batch
 * ahead. Ends when `signal` aborts or when it is destroyed, and after a whole event if the reader is too slow: it takes
 * nothing for half a minute, it falls half a minute behind, or more than 1 MiB waits for it. The reader can resume after
 * the last event that it has.
 */
export function eventStream(deps: {
  reader: EventReader
  timers: Pick<Timers, 'sleep'>
  clock: Clock
  /** Registers a listener for new events; returns a function that removes it. */
  onMore: (listener: () => void) => () => void
  signal: AbortSignal
  /** Called when no more events follow. The last ones may still wait for the reader. */
  onEnd: () => void
  onError: (error: unknown) => void
  /** From 0 to 1. */
  random: () => number
}): Readable {
  const { reader, timers, clock, onMore, signal, onEnd, onError, random } = deps
  const ending = new AbortController()
  const ended = AbortSignal.any([ending.signal, signal])
  let taken: (() => void) | undefined
  let isWanted = false
  const demand = {
    wait: () =>
      isWanted
        ? Promise.resolve()
        : new Promise<void>((resolve) => {
            taken = resolve
          }),
  }
  const stream = new Readable({
    highWaterMark: 65_536,
    read() {
      isWanted = true
      taken?.()
      taken = undefined
    },
    destroy(error, done) {
      ending.abort()
      done(error)
    },
  })
  let sentAt = clock.now()
  let wake = new AbortController()
  const stop = onMore(() => wake.abort(awake))
  // Not `AbortSignal.any` for each wait: many streams wait at the same time, and often.
  ended.addEventListener('abort', () => wake.abort(awake), { once: true })

  /** False if the stream must end. `waiting`: the number of bytes that wait for the reader, with these. */
  async function push(bytes: string | Buffer, waiting = 0): Promise<boolean> {
    const limitMs = waiting > maxWaitingBytes ? pauseMs : timeoutMs
    if (!isWanted && !(await waitForDemand(demand, timers, ended, limitMs))) return false
    isWanted = stream.push(bytes)
    sentAt = clock.now()
    return true
  }

  /** False if the stream must end. `isLive`: the reader has been up to date before. */
  async function pushAll(frames: readonly Frame[], isLive: boolean): Promise<boolean> {
    let waiting = frames.reduce((sum, { bytes }) => sum + bytes.length, 0)
    for (const { bytes, storedAt } of frames) {
      if (!(await push(bytes, waiting))) return false
      if (isLive && clock.now() - storedAt > maxDelayMs) return false
      waiting -= bytes.length
    }
    return true
  }

  async function run(): Promise<void> {
    const retryMs = Math.round(minRetryMs + random() * (maxRetryMs - minRetryMs))
    if (!(await push(`retry: ${retryMs}\n: events follow\n\n`))) return
    while (!ended.aborted) {
      wake = new AbortController()
      const isLive = reader.hasCaughtUp()
      const frames = await reader.next()
      if (!(await pushAll(frames ?? [], isLive))) return
      const idleMs = clock.now() - sentAt
      if (idleMs >= heartbeatMs && !(await push(': still here\n\n'))) return
      if (frames !== undefined || wake.signal.aborted || ended.aborted) continue
      const untilBeat = heartbeatMs - (clock.now() - sentAt)
      await timers.sleep(isLive ? untilBeat : Math.min(pollMs, untilBeat), wake.signal)
    }
  }

  run()
    .catch(onError)
    .finally(() => {
      stop()
      // Ends after a whole event. The HTTP server closes the connection of a caller who does not read it.
      stream.push(null)
      onEnd()
    })
  return stream
}
