import type { Documents } from '@assay/documents'
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
 * Starts after the event `lastEventId`, or with the oldest kept event if that event is gone, or with new events if none
 * is named. Events of other replicas may be up to five seconds late, so the last five seconds are read again. A
 * reader that resumes may get events of other replicas from that window twice.
 */
export async function createEventReader(deps: {
  documents: Pick<Documents, 'find'>
  buffer: Pick<EventBuffer, 'settledUntil' | 'writer'>
  tenant: string
  lastEventId: string | undefined
}): Promise<EventReader> {
  const { documents, buffer, tenant, lastEventId } = deps
  /** Ids already read in the window that is read again, with their times. */
  const read = new Map<string, number>()
  let from = buffer.settledUntil() + 1
  let last: KeptEvent | undefined
  if (lastEventId !== undefined) {
    const where = [{ field: 'eventId', is: lastEventId }]
    const sort = [{ field: 'storedAt', direction: 'asc' as const }]
    const found = await documents.find(publicEvents, tenant, { where, sort, size: 1 })
    last = found.documents[0]
    from = last === undefined ? 0 : last.storedAt - latenessMs
  }
  const begin = from
  let reached = last?.storedAt ?? from - 1

  function isNew(event: KeptEvent): boolean {
    if (read.has(event.eventId)) return false
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
