import type { Documents } from '@assay/documents'
import { AssayError } from '@assay/service-kit/errors'
import type { KeptEvent } from './collection.ts'
import { publicEvents } from './collection.ts'
import type { EventBuffer } from './event-buffer.ts'

const readAtOnce = 200
/** Maximum delay until an event of another replica is visible: its write plus clock skew. */
const latenessMs = 5_000

/** Reads the kept events of a tenant in order, each once. */
export interface EventReader {
  /** The next events in order; empty if there are none. */
  next(): Promise<KeptEvent[]>
}

/**
 * Starts after the event `lastEventId`, else with the first event that happened at `since` (epoch milliseconds) or later
 * and is still kept, else with new events. Throws `gone` if `lastEventId` is not kept, so that no gap goes unnoticed.
 * Events of other replicas may be up to five seconds late, so the last five seconds are read again. A reader that
 * resumes may get events of other replicas from that window twice.
 */
export async function createEventReader(deps: {
  documents: Pick<Documents, 'find'>
  buffer: Pick<EventBuffer, 'settledUntil' | 'writer'>
  tenant: string
  lastEventId: string | undefined
  since?: number | undefined
}): Promise<EventReader> {
  const { documents, buffer, tenant, lastEventId, since } = deps
  /** Ids already read in the window that is read again, with their times. */
  const read = new Map<string, number>()
  let from = buffer.settledUntil() + 1
  let last: KeptEvent | undefined
  if (lastEventId !== undefined) {
    const where = [{ field: 'eventId', is: lastEventId }]
    const sort = [{ field: 'storedAt', direction: 'asc' as const }]
    const found = await documents.find(publicEvents, tenant, { where, sort, size: 1 })
    last = found.documents[0]
    if (last === undefined)
      throw new AssayError(
        'gone',
        'No event with the id in Last-Event-ID is kept any more. Connect without it, or with since=<time>, and read what happened meanwhile over the API.',
      )
    from = last.storedAt - latenessMs
  } else if (since !== undefined) {
    // An event is kept after it happened; clocks of processes may differ.
    from = Math.min(from, since - latenessMs)
  }
  const begin = from
  let reached = last?.storedAt ?? from - 1

  function isNew(event: KeptEvent): boolean {
    if (read.has(event.eventId)) return false
    if (last === undefined && since !== undefined && Date.parse(event.event.time) < since) return false
    // Events of the process that wrote the last event were read in order up to that event.
    return last === undefined || event.writer !== last.writer || event.storedAt > last.storedAt
  }

  return {
    async next() {
      const until = buffer.settledUntil()
      // Other replicas' clocks may be ahead.
      const where = [{ field: 'storedAt', from: Math.max(begin, reached - latenessMs), to: until + latenessMs }]
      const sort = [{ field: 'storedAt', direction: 'asc' as const }]
      const events: KeptEvent[] = []
      for (let page = 0; events.length < readAtOnce; page += 1) {
        const found = await documents.find(publicEvents, tenant, { where, sort, page, size: readAtOnce })
        for (const event of found.documents) {
          const isSettled = event.writer !== buffer.writer || event.storedAt <= until
          if (isSettled && isNew(event)) events.push(event)
        }
        if (found.documents.length < readAtOnce) break
      }
      for (const { eventId, storedAt } of events) {
        read.set(eventId, storedAt)
        reached = Math.max(reached, storedAt)
      }
      for (const [id, storedAt] of read) if (storedAt < reached - 2 * latenessMs) read.delete(id)
      return events
    },
  }
}
