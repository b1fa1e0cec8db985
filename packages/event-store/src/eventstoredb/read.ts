import type { Timers } from '@assay/service-kit'
import { AssayError } from '@assay/service-kit/errors'
import {
  BACKWARDS,
  END,
  type EventStoreDBClient,
  FORWARDS,
  type ReadStreamOptions,
  type ResolvedEvent,
} from '@eventstore/db-client'
import { checkedStreamName } from '../limits.ts'
import type { RecordedEvent, StreamSlice } from '../port.ts'
import { readError, troubleOf } from './errors.ts'
import { received } from './received.ts'
import { recordedEvent } from './recorded-event.ts'

/** Maximum number of events of a stream per call. */
const streamPage = 4096
const buffered = 128

export interface StreamReader {
  read(stream: string, range?: { from?: number; limit?: number }): Promise<StreamSlice>
  /** The event at `revision`; `undefined` if there is none. */
  at(stream: string, revision: number): Promise<RecordedEvent | undefined>
}

type Range = { from: number; limit: number } | 'last'

/** Errors: `unavailable`, `timeout`, and `internal` for an event that was not written by Assay. */
export function createStreamReader(client: EventStoreDBClient, idleMs: number, timers: Timers): StreamReader {
  function call(stream: string, range: Range) {
    const options: ReadStreamOptions =
      range === 'last'
        ? { direction: BACKWARDS, fromRevision: END, maxCount: 1 }
        : { direction: FORWARDS, fromRevision: BigInt(range.from), maxCount: range.limit }
    return client.readStream(stream, options, { highWaterMark: buffered })
  }

  function ours(resolved: ResolvedEvent): RecordedEvent {
    const event = recordedEvent(resolved)
    if (event !== undefined) return event
    const { streamId: stream, revision } = resolved.event ?? {}
    throw new AssayError(
      'internal',
      "A stream has an event that Assay did not write. No other application may write to Assay's streams.",
      {
        details: { stream, revision: String(revision) },
      },
    )
  }

  /** `undefined` if there is no such stream. */
  async function page(stream: string, range: Range): Promise<RecordedEvent[] | undefined> {
    const events: RecordedEvent[] = []
    try {
      for await (const resolved of received(call(stream, range), idleMs, timers)) events.push(ours(resolved))
    } catch (error) {
      if (troubleOf(error) === 'no-stream') return undefined
      throw readError(error)
    }
    return events
  }

  async function lastRevision(stream: string): Promise<number> {
    const last = (await page(stream, 'last'))?.at(-1)
    return last?.revision ?? -1
  }

  async function read(stream: string, range: { from?: number; limit?: number } = {}): Promise<StreamSlice> {
    checkedStreamName(stream)
    const from = Math.max(range.from ?? 0, 0)
    const end = range.limit === undefined ? Infinity : from + range.limit
    const events: RecordedEvent[] = []
    for (let next = from; next < end; ) {
      const limit = Math.min(streamPage, end - next)
      const got = await page(stream, { from: next, limit })
      if (got === undefined) return { events: [], revision: -1 }
      for (const event of got) events.push(event)
      const last = events.at(-1)
      // A short page ends with the last event of the stream.
      if (got.length < limit && last !== undefined) return { events, revision: last.revision }
      if (got.length < limit) {
        const revision = await lastRevision(stream)
        // Callers append at this revision after folding the events, so an event written between the two calls must be
        // read as well.
        if (revision < next) return { events, revision }
      }
      next += got.length
    }
    return { events, revision: await lastRevision(stream) }
  }

  return {
    read,
    async at(stream, revision) {
      return (await page(stream, { from: revision, limit: 1 }))?.at(0)
    },
  }
}
