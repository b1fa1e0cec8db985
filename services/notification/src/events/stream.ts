import { Readable } from 'node:stream'
import type { Clock, Timers } from '@assay/service-kit'
import type { KeptEvent } from './collection.ts'
import type { EventReader } from './tail-reader.ts'

/** Interval in milliseconds at which an idle stream looks for events that it was not told of. */
const pollMs = 500
const heartbeatMs = 10_000
/** A reader that takes nothing for this many milliseconds is disconnected; it can resume after its last event. */
const timeoutMs = 30_000
/** A reader that has been up to date is disconnected if its next event has waited for more than this many milliseconds. */
const maxDelayMs = 30_000
/** A reader is disconnected if more than this many bytes wait for it, and it takes nothing for `pauseMs`. */
const maxWaitingBytes = 1024 * 1024
const pauseMs = 1_000

/** An event in the format of server-sent events (WHATWG HTML, 9.2). JSON has no line breaks. */
export function eventText({ eventId, type, event }: KeptEvent): string {
  return `id: ${eventId}\nevent: ${type}\ndata: ${JSON.stringify(event)}\n\n`
}

/** Resolves when `readable` wants more; false if it ended or took nothing for `limitMs`. */
function waitForDemand(
  demand: { wait(): Promise<void> },
  timers: Pick<Timers, 'sleep'>,
  ended: AbortSignal,
  limitMs: number,
): Promise<boolean> {
  const over = new AbortController()
  const late = timers.sleep(limitMs, AbortSignal.any([over.signal, ended])).then(() => false)
  return Promise.race([demand.wait().then(() => !ended.aborted), late]).finally(() => over.abort())
}

/**
 * The events of a reader as text, with comments between them that keep the connection alive. Reads at most one batch
 * ahead. Ends when `signal` aborts or when it is destroyed, and after a whole event if the reader is too slow: it takes
 * nothing for half a minute, it falls half a minute behind, or more than 1 MiB waits for it. The reader can resume after
 * the last event that it has.
 */
export function eventStream(deps: {
  reader: EventReader
  isShown: (event: KeptEvent) => boolean
  timers: Pick<Timers, 'sleep'>
  clock: Clock
  /** Registers a listener for new events; returns a function that removes it. */
  onMore: (listener: () => void) => () => void
  signal: AbortSignal
  onError: (error: unknown) => void
}): Readable {
  const { reader, isShown, timers, clock, onMore, signal, onError } = deps
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
  let wake = new AbortController()
  const stop = onMore(() => wake.abort())

  /** False if the stream must end. `waiting`: the number of bytes that wait for the reader, with this text. */
  async function push(text: string, waiting = 0): Promise<boolean> {
    const limitMs = waiting > maxWaitingBytes ? pauseMs : timeoutMs
    if (!isWanted && !(await waitForDemand(demand, timers, ended, limitMs))) return false
    isWanted = stream.push(text)
    return true
  }

  /** False if the stream must end. `isLive`: the reader has been up to date before. */
  async function pushAll(events: readonly KeptEvent[], isLive: boolean): Promise<boolean> {
    const shown = events.filter(isShown).map((event) => ({ text: eventText(event), storedAt: event.storedAt }))
    let waiting = shown.reduce((sum, { text }) => sum + text.length, 0)
    for (const { text, storedAt } of shown) {
      if (!(await push(text, waiting))) return false
      if (isLive && clock.now() - storedAt > maxDelayMs) return false
      waiting -= text.length
    }
    return true
  }

  async function run(): Promise<void> {
    if (!(await push('retry: 2000\n: events follow\n\n'))) return
    for (let idle = 0; !ended.aborted; ) {
      wake = new AbortController()
      const isLive = reader.hasCaughtUp()
      const events = await reader.next()
      if (!(await pushAll(events, isLive))) return
      if (events.length > 0) continue
      const pause = wake.signal.aborted ? 0 : pollMs
      await timers.sleep(pause, AbortSignal.any([wake.signal, ended]))
      idle = wake.signal.aborted ? idle : idle + pollMs
      if (idle < heartbeatMs) continue
      idle = 0
      if (!(await push(': still here\n\n'))) return
    }
  }

  run()
    .catch(onError)
    .finally(() => {
      stop()
      // Ends after a whole event. The HTTP server closes the connection of a caller who does not read it.
      stream.push(null)
    })
  return stream
}
