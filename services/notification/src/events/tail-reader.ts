import type { KeptEvent } from './collection.ts'
import { type Audience, type Frame, framesOf } from './frames.ts'
import { latenessMs, type PageReader, readAtOnce } from './reader.ts'
import type { Batch, Tail } from './tail.ts'

/** Reads the kept events of a tenant in order, each once. */
export interface EventReader {
  /** The text of the next events that are shown, in order; `undefined` if there are no more events. */
  next(): Promise<readonly Frame[] | undefined>
  /** Whether the reader has been up to date. */
  hasCaughtUp(): boolean
}

/** Reads from the tail what is kept from now on. `begin`: epoch milliseconds; earlier events are skipped. */
export function newReader(tail: Pick<Tail, 'latest'>, audience: Audience, begin: number): EventReader {
  let batch = tail.latest()
  return {
    hasCaughtUp: () => true,
    async next() {
      tail.latest()
      if (batch.next === undefined) return undefined
      batch = batch.next
      if (batch.oldest >= begin) return batch.frames(audience)
      return framesOf(await batch.events(), (event) => event.storedAt >= begin && audience.isShown(event))
    },
  }
}

/**
 * Reads pages until it reaches the tail of the tenant, and from then on what the tail reads for all. The place in the
 * tail is noted before the last page is read, so no event falls between the two; an event that is in both is skipped.
 * The tail may have returned an event that is being moved to a later time while the page is read, so the reader stays
 * with pages until it has read the events that were not settled.
 */
export function tailReader(pages: PageReader, tail: Pick<Tail, 'latest'>, audience: Audience): EventReader {
  let batch: Batch | undefined
  let place: { batch: Batch; awaited: readonly KeptEvent[] } | undefined
  let own: PageReader | undefined = pages

  /** Without events that a page had. */
  async function fresh(of: Batch): Promise<readonly Frame[]> {
    // No later batch has an event that is so old that a page had it.
    if (own !== undefined && of.oldest > own.reached() + 2 * latenessMs) own = undefined
    const reader = own
    if (reader === undefined) return of.frames(audience)
    return framesOf(await of.events(), (event) => reader.isNew(event) && audience.isShown(event))
  }

  return {
    hasCaughtUp: () => batch !== undefined,
    async next() {
      const latest = tail.latest()
      if (batch !== undefined) {
        if (batch.next === undefined) return undefined
        batch = batch.next
        return fresh(batch)
      }
      const events = await pages.next()
      if (place !== undefined) place.awaited = place.awaited.filter(pages.isNew)
      else if (events.length < readAtOnce) place = { batch: latest, awaited: pages.unsettled() }
      if (place?.awaited.length === 0) batch = place.batch
      return events.length === 0 ? undefined : framesOf(events, audience.isShown)
    },
  }
}
