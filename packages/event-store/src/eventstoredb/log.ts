import type { Timers } from '@assay/service-kit'
import { type EventStoreDBClient, FORWARDS } from '@eventstore/db-client'
import { type LogFilter, type LogSlice, type Position, parseStreamName, type RecordedEvent } from '../port.ts'
import { readError } from './errors.ts'
import { streamNamePattern } from './filter.ts'
import { follow, quietMs } from './following.ts'
import { logPosition, startPosition } from './positions.ts'
import { received } from './received.ts'
import { positionOf, recordedEvent } from './recorded-event.ts'

/** Maximum number of log records that are filtered here before the server is asked to filter. */
const scannedRecords = 1000
const buffered = 128

/** Up to `limit` events after `after`, of `categories`. Errors: `unavailable`, `timeout`, `invalid` (the position). */
export type ReadLog = (
  after: Position | undefined,
  limit: number,
  categories: LogFilter['categories'],
) => Promise<LogSlice>

/** Whether the event's stream has one of `categories`. */
function wantedBy(categories: LogFilter['categories'], event: RecordedEvent): boolean {
  return categories === undefined || categories.includes(parseStreamName(event.stream)?.category ?? '')
}

/**
 * Reads $all and filters it here, because the client reads $all without a filter. Reads at most 1,000 records (more if
 * `limit` is larger). A read from a position begins with the record at that position.
 */
export function createScan(client: EventStoreDBClient, idleMs: number, timers: Timers): ReadLog {
  return async (after, limit, categories) => {
    const most = Math.max(limit, scannedRecords)
    const events: RecordedEvent[] = []
    let position = after ?? startPosition
    let seen = 0
    const read = client.readAll(
      // One more for the record at `after`, and another to see whether a record follows.
      { direction: FORWARDS, fromPosition: logPosition(after), maxCount: most + 2 },
      { highWaterMark: buffered },
    )
    try {
      for await (const resolved of received(read, idleMs, timers)) {
        if (resolved.event === undefined) continue
        const here = positionOf(resolved.event)
        if (here <= position) continue
        if (events.length >= limit || seen >= most) return { events, position, atEnd: false }
        seen += 1
        position = here
        const event = recordedEvent(resolved)
        if (event !== undefined && wantedBy(categories, event)) events.push(event)
      }
    } catch (error) {
      throw readError(error)
    }
    return { events, position, atEnd: true }
  }
}

/**
 * Scans first. If the scan finds too few events of `categories`, a subscription that the server filters reads the
 * remainder of the page, so that a reader of rare events does not receive all others. If the server stops sending
 * before it reports the end, the slice has the events received so far, and the next read continues after them.
 */
export function createReadLog(client: EventStoreDBClient, scan: ReadLog, idleMs: number, timers: Timers): ReadLog {
  return async (after, limit, categories) => {
    const first = await scan(after, limit, categories)
    if (first.atEnd || first.events.length >= limit || categories === undefined) return first
    const { signal } = new AbortController()
    const rest = { after: first.position, atEnd: false, page: limit - first.events.length }
    const following = follow({ client, pattern: streamNamePattern(categories), ...rest, timers, signal })
    let slice: LogSlice | undefined
    try {
      while (slice === undefined || (slice.events.length === 0 && !slice.atEnd)) {
        const confirmed = following.confirmed()
        const next = await following.next(confirmed ? quietMs : idleMs)
        slice = next ?? slice
        if (next === undefined && following.confirmed() === confirmed) break
      }
    } catch (error) {
      throw readError(error)
    } finally {
      following.stop()
    }
    return slice === undefined ? first : { ...slice, events: [...first.events, ...slice.events] }
  }
}
