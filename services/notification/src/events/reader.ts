import type { Documents } from '@assay/documents'
import { AssayError } from '@assay/service-kit/errors'
import type { KeptEvent } from './collection.ts'
import { publicEvents } from './collection.ts'
import type { EventBuffer } from './event-buffer.ts'

/** A page is the last one for now if it has fewer events. */
export const readAtOnce = 200
/** Maximum delay until an event of another replica is visible: its write plus clock skew. */
export const latenessMs = 5_000

const oldestFirst = [{ field: 'storedAt', direction: 'asc' as const }]

/** Reads the kept events of a tenant in order, each once. */
export interface PageReader {
  /** The next events in order; fewer than `readAtOnce` if there are no more. */
  next(): Promise<KeptEvent[]>
  /** Whether the reader has yet to return this event. */
  isNew(event: KeptEvent): boolean
  /** New events that the last read found, and left for later because this process may still change their time. */
  unsettled(): readonly KeptEvent[]
  /** The latest time of the events that were read, in epoch milliseconds. */
  reached(): number
}

interface ReaderDeps {
  documents: Pick<Documents, 'find'>
  buffer: Pick<EventBuffer, 'settledUntil' | 'writer'>
  tenant: string
}

/**
 * Starts after the event `lastEventId`, or with the kept events that may have happened at `since` (epoch milliseconds)
 * or later. Throws `gone` if `lastEventId` is not kept, so that no gap goes unnoticed. A
 * reader that resumes may get events of other replicas from the last five seconds before that event twice.
 */
export async function createEventReader(
  deps: ReaderDeps & { from: { lastEventId: string } | { since: number } },
): Promise<PageReader> {
  const { documents, buffer, tenant, from } = deps
  if ('since' in from) {
    // An event is kept after it happened; clocks of processes may differ.
    const begin = Math.min(buffer.settledUntil() + 1, from.since - latenessMs)
    return createPageReader({ documents, buffer, tenant, begin })
  }
  const { lastEventId } = from
  const where = [{ field: 'eventId', is: lastEventId }]
  const [last] = (await documents.find(publicEvents, tenant, { where, sort: oldestFirst, size: 1 })).documents
  if (last === undefined)
    throw new AssayError(
      'gone',
      'No event with the id in Last-Event-ID is kept any more. Connect without it, or with since=<time>, and read what happened meanwhile over the API.',
    )
  return createPageReader({ documents, buffer, tenant, begin: last.storedAt - latenessMs, last })
}

/**
 * Reads events that were kept at `begin` or later. Events of other replicas may be up to five seconds late, so the last
 * five seconds are read again.
 */
export function createPageReader(
  deps: ReaderDeps & {
    begin: number
    last?: KeptEvent | undefined
    /** Whether there are no other replicas, so that nothing has to be read again. */
    isSole?: boolean
  },
): PageReader {
  const { documents, buffer, tenant, begin, last, isSole = false } = deps
  const againMs = isSole ? 0 : latenessMs
  /** Ids already read in the window that is read again, with their times. */
  const read = new Map<string, number>()
  let reached = last?.storedAt ?? begin - 1
  let unsettled: readonly KeptEvent[] = []

  function isNew(event: KeptEvent): boolean {
    if (event.storedAt < begin || read.has(event.eventId)) return false
    // Events of the process that wrote the last event were read in order up to that event.
    return last === undefined || event.writer !== last.writer || event.storedAt > last.storedAt
  }

  return {
    isNew,
    unsettled: () => unsettled,
    reached: () => reached,
    async next() {
      const until = buffer.settledUntil()
      // Other replicas' clocks may be ahead.
      const where = [{ field: 'storedAt', from: Math.max(begin, reached - againMs), to: until + latenessMs }]
      const events: KeptEvent[] = []
      const left: KeptEvent[] = []
      for (let page = 0; events.length < readAtOnce; page += 1) {
        const found = await documents.find(publicEvents, tenant, { where, sort: oldestFirst, page, size: readAtOnce })
        for (const event of found.documents) {
          const isSettled = event.writer !== buffer.writer || event.storedAt <= until
          if (isNew(event)) (isSettled ? events : left).push(event)
        }
        if (found.documents.length < readAtOnce) break
      }
      unsettled = left
      for (const { eventId, storedAt } of events) {
        read.set(eventId, storedAt)
        reached = Math.max(reached, storedAt)
      }
      for (const [id, storedAt] of read) if (storedAt < reached - 2 * latenessMs) read.delete(id)
      return events
    },
  }
}
