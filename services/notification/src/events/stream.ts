import { Readable } from 'node:stream'
import type { Timers } from '@assay/service-kit'
import type { KeptEvent } from './collection.ts'
import type { EventReader } from './reader.ts'

/** Poll interval for events of other replicas, in milliseconds. */
const pollMs = 500
const heartbeatMs = 15_000
/** A reader that takes nothing for this many milliseconds is disconnected; it can resume after its last event. */
const timeoutMs = 30_000

/** An event in the format of server-sent events (WHATWG HTML, 9.2). JSON has no line breaks. */
export function eventText({ eventId, type, event }: KeptEvent): string {
  return `id: ${eventId}\nevent: ${type}\ndata: ${JSON.stringify(event)}\n\n`
}

/** Resolves when `readable` wants more; false if it ended or took nothing for too long. */
function waitForDemand(
  demand: { wait(): Promise<void> },
  timers: Pick<Timers, 'sleep'>,
  ended: AbortSignal,
): Promise<boolean> {
  const over = new AbortController()
  const late = timers.sleep(timeoutMs, AbortSignal.any([over.signal, ended])).then(() => false)
  return Promise.race([demand.wait().then(() => !ended.aborted), late]).finally(() => over.abort())
}

/**
 * The events of a reader as text, with comments between them that keep the connection alive. Reads nothing ahead. Ends
 * when `signal` aborts, when it is destroyed, and when nobody reads for half a minute.
 */
export function eventStream(deps: {
  reader: EventReader
  isShown: (event: KeptEvent) => boolean
  timers: Pick<Timers, 'sleep'>
  /** Registers a listener for events that this process keeps; returns a function that removes it. */
  onKept: (listener: () => void) => () => void
  signal: AbortSignal
  onError: (error: unknown) => void
}): Readable {
  const { reader, isShown, timers, onKept, signal, onError } = deps
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
  const stop = onKept(() => wake.abort())

  async function push(text: string): Promise<boolean> {
    if (!(await waitForDemand(demand, timers, ended))) return false
    isWanted = stream.push(text)
    return true
  }

  async function run(): Promise<void> {
    if (!(await push('retry: 2000\n: events follow\n\n'))) return
    for (let idle = 0; !ended.aborted; ) {
      wake = new AbortController()
      const events = await reader.next()
      for (const event of events) if (isShown(event) && !(await push(eventText(event)))) return
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
      stream.push(null)
      // A caller who reads nothing would never see the end.
      if (!ended.aborted && !isWanted) stream.destroy()
    })
  return stream
}
