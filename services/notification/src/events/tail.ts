import { setImmediate } from 'node:timers/promises'
import type { Documents } from '@assay/documents'
import type { Timers } from '@assay/service-kit'
import { AssayError } from '@assay/service-kit/errors'
import { type KeptEvent, publicEvents } from './collection.ts'
import type { EventBuffer } from './event-buffer.ts'
import { type Audience, type Frame, framesOf } from './frames.ts'
import { createPageReader, latenessMs } from './reader.ts'
import { hasOwner } from './visible.ts'

/** Poll interval for events of other replicas, in milliseconds. */
const pollMs = 500
/** After each batch, the tail waits this many milliseconds, so that busy tenants get larger batches. */
const paceMs = 20
/** And at least this many for each stream, because each stream writes each batch to its connection. */
const paceOfStreamMs = 0.1
/** Maximum number of events that a tail holds in memory, besides its latest batch. */
const heldEvents = 2_000
/**
 * Number of batches whose frames are held, and maximum number of different audiences for which they are. Batches whose
 * frames are held are in memory.
 */
const heldFrames = { batches: 4, audiences: 32 }
/** Number of streams that a batch wakes in one turn of the event loop. Each then writes to its connection. */
const wokenAtOnce = 50

/** Events that the tail read at once. Whoever has got them continues with `next`, which is set once it is read. */
export interface Batch {
  /** In order. Read from the documents again if the tail does not hold them any more. */
  events(): Promise<readonly KeptEvent[]>
  /** The text of the events that the audience sees, made once for all its streams. */
  frames(audience: Audience): Promise<readonly Frame[]>
  /** The earliest time of the events, in epoch milliseconds. */
  oldest: number
  next: Batch | undefined
}

/** The newest events of one tenant, read once for all streams. */
export interface Tail {
  /** The latest batch; later ones follow it. Throws if the tail could not be read. */
  latest(): Batch
  /** Registers a listener for new batches and for failure. Returns a function that removes it. */
  onMore(listener: () => void): () => void
}

/** Follows the events of a tenant until `signal` aborts or a read fails. */
export function followTail(deps: {
  documents: Pick<Documents, 'find'>
  buffer: Pick<EventBuffer, 'settledUntil' | 'writer' | 'onKept'>
  timers: Pick<Timers, 'sleep'>
  tenant: string
  /** Whether there are no other replicas, whose events may be late. */
  isSole?: boolean | undefined
  signal: AbortSignal
}): Tail {
  const { documents, buffer, timers, tenant, isSole = false, signal } = deps
  // A stream that changes over to the tail may still need events of other replicas that are late.
  const begin = buffer.settledUntil() + 1 - latenessMs
  const reader = createPageReader({ documents, buffer, tenant, begin, isSole })
  const listeners = new Set<() => void>()
  /** The batches whose events are held, oldest first. */
  const held: { count: number; release(): void }[] = []
  /** The frames of the latest batches, oldest first. */
  const framed: { clear(): void }[] = []
  let heldCount = 0
  let failure: { error: unknown } | undefined
  let latest: Batch = { events: async () => [], frames: async () => [], oldest: 0, next: undefined }
  let wake = new AbortController()

  async function readAgain(ids: readonly string[]): Promise<KeptEvent[]> {
    const where = [{ field: 'eventId', in: ids }]
    const found = await documents.find(publicEvents, tenant, { where, size: ids.length })
    const byId = new Map(found.documents.map((event) => [event.eventId, event]))
    return ids.map((id) => {
      const event = byId.get(id)
      if (event === undefined) throw new AssayError('gone', 'A slow reader needs an event that is not kept any more.')
      return event
    })
  }

  function append(events: readonly KeptEvent[]): void {
    let inMemory: readonly KeptEvent[] | undefined = events
    const ids = events.map(({ eventId }) => eventId)
    const hasOwners = events.some(hasOwner)
    const frames = new Map<string, Promise<readonly Frame[]>>()
    const batch: Batch = {
      events: async () => inMemory ?? readAgain(ids),
      frames({ key, ownKey, isShown }) {
        const name = hasOwners ? ownKey : key
        const made = frames.get(name) ?? batch.events().then((all) => framesOf(all, isShown))
        if (framed.includes(frames) && frames.size < heldFrames.audiences) frames.set(name, made)
        return made
      },
      oldest: Math.min(...events.map(({ storedAt }) => storedAt)),
      next: undefined,
    }
    framed.push(frames)
    if (framed.length > heldFrames.batches) framed.shift()?.clear()
    for (let oldest = held[0]; oldest !== undefined && heldCount > heldEvents; oldest = held[0]) {
      oldest.release()
      heldCount -= oldest.count
      held.shift()
    }
    held.push({
      count: events.length,
      release() {
        inMemory = undefined
      },
    })
    heldCount += events.length
    latest.next = batch
    latest = batch
  }

  async function wakeAll(): Promise<void> {
    const waiting = [...listeners]
    for (let from = 0; from < waiting.length; from += wokenAtOnce) {
      for (const listener of waiting.slice(from, from + wokenAtOnce)) listener()
      await setImmediate()
    }
  }

  async function follow(): Promise<void> {
    while (!signal.aborted) {
      wake = new AbortController()
      const events = await reader.next()
      if (events.length > 0) {
        append(events)
        await wakeAll()
        await timers.sleep(Math.max(paceMs, paceOfStreamMs * listeners.size), signal)
      } else if (!wake.signal.aborted) await timers.sleep(pollMs, AbortSignal.any([wake.signal, signal]))
    }
  }

  // With a reason: without one, each abort would create an error with its stack.
  const stop = buffer.onKept(() => wake.abort('kept'))
  follow()
    .catch((error: unknown) => {
      failure = { error }
      return wakeAll()
    })
    .finally(stop)

  return {
    latest() {
      if (failure !== undefined) throw failure.error
      return latest
    },
    onMore(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}
