import type { KeptEvent } from './collection.ts'
import { latenessMs, type PageReader, readAtOnce } from './reader.ts'
import type { Batch, Tail } from './tail.ts'

/** Reads the kept events of a tenant in order, each once. */
export interface EventReader {
  /** The next events in order; empty if there are none. */
  next(): Promise<readonly KeptEvent[]>
  /** Whether the reader has been up to date. */
  hasCaughtUp(): boolean
}

/**
 * Reads pages until it reaches the tail of the tenant, and from then on what the tail reads for all. The place in the
 * tail is noted before the last page is read, so no event falls between the two; an event that is in both is skipped.
 * The tail may have returned an event that is being moved to a later time while the page is read, so the reader stays
 * with pages until it has read the events that were not settled.
 */
export function tailReader(pages: PageReader, tail: Pick<Tail, 'latest'>): EventReader {
  let batch: Batch | undefined
  let place: { batch: Batch; awaited: readonly KeptEvent[] } | undefined
  let own: PageReader | undefined = pages

  /** Without events that a page had. */
  function fresh(events: readonly KeptEvent[]): readonly KeptEvent[] {
    const reader = own
    if (reader === undefined) return events
    // No later batch has an event that is so old that a page had it.
    if (events.every(({ storedAt }) => storedAt > reader.reached() + 2 * latenessMs)) own = undefined
    return events.filter((event) => reader.isNew(event))
  }

  return {
    hasCaughtUp: () => batch !== undefined,
    async next() {
      const latest = tail.latest()
      if (batch === undefined) {
        const events = await pages.next()
        if (place !== undefined) place.awaited = place.awaited.filter(pages.isNew)
        else if (events.length < readAtOnce) place = { batch: latest, awaited: pages.unsettled() }
        if (place?.awaited.length === 0) batch = place.batch
        return events
      }
      while (batch.next !== undefined) {
        batch = batch.next
        const events = fresh(await batch.events())
        if (events.length > 0) return events
      }
      return []
    },
  }
}
