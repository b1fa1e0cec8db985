import type { Timers } from '@assay/service-kit'
import { AssayError } from '@assay/service-kit/errors'
import { type AllStreamResolvedEvent, type EventStoreDBClient, START, streamNameFilter } from '@eventstore/db-client'
import type { LogSlice, Position, RecordedEvent } from '../port.ts'
import { logPosition, positionText, startPosition } from './positions.ts'
import { ignore } from './received.ts'
import { positionOf, recordedEvent } from './recorded-event.ts'

/** Events that wait to be handed on. */
const buffered = 500
/**
 * Records that the server looks at in one go; after as many that were not wanted it tells how far it has come. The
 * client's default is 32 and would cost a message for each 32 events of others.
 */
const searchWindow = 512
/** Given by hand: without it each wake would make an error with a stack. */
const roused = new Error('There is something to look at.')
/** A server that has not told for so long whether its end is reached is taken to be waiting there. */
export const quietMs = 500

/** One subscription, until it fails: it never ends of itself. */
export interface Following {
  /**
   * What has come since, once there is something to tell. `undefined` when `quietMs` passed, `signal` aborted, or the
   * server has just confirmed the subscription.
   */
  next(quietMs: number | undefined): Promise<LogSlice | undefined>
  confirmed(): boolean
  /** Moves on without an event, where a read has shown that there is none up to `position`. */
  skipTo(position: Position): void
  stop(): void
}

/**
 * Subscribes to $all behind `after`, filtered by the server. Events and how far the filter has seen come by different
 * ways, so what is told is put together only when nothing waits to be read: then all before the checkpoint is out.
 * `next` rejects with the client's error once what came before the failure has been handed on.
 */
export function follow(options: {
  client: EventStoreDBClient
  pattern: string
  after: Position | undefined
  /** Whether `after` was the end of the log when it was read. */
  atEnd: boolean
  /** Most events of one slice. */
  page: number
  timers: Timers
  signal: AbortSignal
}): Following {
  const { client, page, timers, signal } = options
  const from = logPosition(options.after)
  let position = options.after ?? startPosition
  let checkpoint = position
  let atEnd = options.atEnd
  let toldAtEnd = atEnd
  let confirmed = false
  let failure: { error: unknown } | undefined
  let wake = new AbortController()
  const rouse = (): void => wake.abort(roused)

  const subscription = client.subscribeToAll(
    {
      fromPosition: from === 'start' ? START : from,
      filter: streamNameFilter({
        regex: options.pattern,
        maxSearchWindow: searchWindow,
        checkpointInterval: 1,
        checkpointReached(_subscription, reached) {
          checkpoint = positionText(reached)
          rouse()
        },
      }),
    },
    { highWaterMark: buffered },
  )
  const fail = (error: unknown): void => {
    failure ??= { error }
    rouse()
  }
  subscription.on('error', fail)
  subscription.on('end', () => fail(new AssayError('unavailable', 'The event store has ended the subscription.')))
  subscription.on('readable', rouse)
  subscription.on('confirmation', () => {
    confirmed = true
    rouse()
  })
  // Servers before 23.10 do not tell.
  subscription.on('caughtUp', () => {
    atEnd = true
    rouse()
  })
  subscription.on('fellBehind', () => {
    atEnd = false
    toldAtEnd = false
  })

  function taken(): AllStreamResolvedEvent | undefined {
    const resolved: AllStreamResolvedEvent | null = subscription.read()
    return resolved ?? undefined
  }

  /** `undefined` when there is nothing to tell. */
  function slice(): LogSlice | undefined {
    const before = position
    const events: RecordedEvent[] = []
    let resolved = taken()
    for (let count = 1; resolved !== undefined; count++) {
      if (resolved.event !== undefined) position = positionOf(resolved.event)
      const event = recordedEvent(resolved)
      if (event !== undefined) events.push(event)
      if (count === page) break
      resolved = taken()
    }
    const drained = resolved === undefined
    if (drained && checkpoint > position) position = checkpoint
    const end = drained && atEnd
    if (position === before && (!end || toldAtEnd)) return undefined
    toldAtEnd = end
    return { events, position, atEnd: end }
  }

  return {
    confirmed: () => confirmed,
    skipTo(reached) {
      if (reached > checkpoint) checkpoint = reached
      atEnd = true
    },
    async next(quietMs) {
      const wasConfirmed = confirmed
      for (;;) {
        // Made anew before looking, so that what comes between looking and waiting is not slept over.
        wake = new AbortController()
        if (signal.aborted) return undefined
        const told = slice()
        if (told !== undefined) return told
        if (failure !== undefined) throw failure.error
        if (confirmed !== wasConfirmed) return undefined
        const over = AbortSignal.any([wake.signal, signal])
        if (quietMs === undefined) await aborted(over)
        else await timers.sleep(quietMs, over)
        if (quietMs !== undefined && !over.aborted) return undefined
      }
    },
    stop() {
      subscription.removeListener('error', fail)
      subscription.on('error', ignore)
      subscription.unsubscribe().catch(ignore)
      subscription.destroy()
    },
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve()
    signal.addEventListener('abort', () => resolve(), { once: true })
  })
}
