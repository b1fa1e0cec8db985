import type { Timers } from '@assay/service-kit'
import { AssayError } from '@assay/service-kit/errors'
import { type AllStreamResolvedEvent, type EventStoreDBClient, START, streamNameFilter } from '@eventstore/db-client'
import type { LogSlice, Position, RecordedEvent } from '../port.ts'
import { logPosition, positionText, startPosition } from './positions.ts'
import { ignore } from './received.ts'
import { positionOf, recordedEvent } from './recorded-event.ts'

/** Maximum number of buffered events. */
const buffered = 500
/**
 * Number of records that the server scans before it reports a checkpoint for unwanted ones. With the client's default
 * of 32, every 32 unwanted events would cost a message.
 */
const searchWindow = 512
/** A constant abort reason, because a new error with a stack for each wake-up would be slow. */
const wokenUp = new Error('The subscription has new events.')
/** If the server reports nothing for this long, the subscription counts as caught up. */
export const quietMs = 500

/** One subscription, until it fails. It never ends normally. */
export interface Following {
  /**
   * The events since the last call, once there is something to report. `undefined` if `quietMs` passed, `signal`
   * aborted, or the server has just confirmed the subscription.
   */
  next(quietMs: number | undefined): Promise<LogSlice | undefined>
  confirmed(): boolean
  /** Advances the position without an event. Call it after a read has found no event up to `position`. */
  skipTo(position: Position): void
  stop(): void
}

/**
 * Subscribes to $all after `after`, filtered by the server. Events and checkpoints of the filter arrive separately. A
 * checkpoint is reported only while no event is buffered, because then all events before it have been returned. `next`
 * rejects with the client's error once it has returned everything that arrived before the failure.
 */
export function follow(options: {
  client: EventStoreDBClient
  pattern: string
  after: Position | undefined
  /** Whether `after` was the end of the log when it was read. */
  atEnd: boolean
  /** Maximum events per slice. */
  page: number
  timers: Timers
  signal: AbortSignal
}): Following {
  const { client, page, timers, signal } = options
  const from = logPosition(options.after)
  let position = options.after ?? startPosition
  let checkpoint = position
  let atEnd = options.atEnd
  let reportedAtEnd = atEnd
  let confirmed = false
  let failure: { error: unknown } | undefined
  let wake = new AbortController()
  const rouse = (): void => wake.abort(wokenUp)

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
  // Servers before 23.10 do not report it.
  subscription.on('caughtUp', () => {
    atEnd = true
    rouse()
  })
  subscription.on('fellBehind', () => {
    atEnd = false
    reportedAtEnd = false
  })

  function taken(): AllStreamResolvedEvent | undefined {
    const resolved: AllStreamResolvedEvent | null = subscription.read()
    return resolved ?? undefined
  }

  /** `undefined` if there is nothing to report. */
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
    if (position === before && (!end || reportedAtEnd)) return undefined
    reportedAtEnd = end
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
        // Created before the check, so that an event between check and wait wakes it.
        wake = new AbortController()
        if (signal.aborted) return undefined
        const received = slice()
        if (received !== undefined) return received
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
