import { cloudEvent, publicTopics } from '@assay/contracts'
import { type Documents, documentPut, type Source, type Stored } from '@assay/documents'
import type { NumberBlocks } from '@assay/event-store'
import { type Delivery, type Message, type MessageBus, type Subscription, taking } from '@assay/message-bus'
import type { Clock } from '@assay/service-kit'
import { z } from 'zod'
import { type KeptEvent, keptPerTenant, publicEvents } from './collection.ts'
import { numberingOf } from './numbering.ts'

/** Consumer group that keeps events for readers. */
export const eventsGroup = 'notification-events'

const kept = cloudEvent.extend({ data: z.json() })

/**
 * Keeps every public event once, whichever replica takes it: the bus may redeliver, and a replica that was paused may
 * continue with an event that another has kept meanwhile. Both put it in the same place, where the first put of each
 * revision wins, and neither goes on before it knows which one that was, so an event never moves behind later ones.
 */
export interface EventKeeping {
  subscribe(): Promise<Subscription>
  /** No event will be kept here with this time or an earlier one; events with later times may still be in flight. */
  settledUntil(): number
  /** Names this process in `KeptEvent.writer`. */
  writer: string
  /** Registers a listener for events kept here. Answers how to remove it. */
  onKept(listener: () => void): () => void
}

export function createEventKeeping(deps: {
  bus: MessageBus
  documents: Pick<Documents, 'put' | 'get'>
  numbers: NumberBlocks
  clock: Clock
  writer: string
}): EventKeeping {
  const { bus, documents, numbers, clock, writer } = deps
  const underWay = new Set<number>()
  const listeners = new Set<() => void>()
  let latest = 0

  /** Events whose last put here had an unknown outcome, with its revision: readers may have passed its time. */
  const unsure = new Map<string, number>()

  const numberOf = numberingOf({ documents, numbers })

  /** Whether the event keeps its time. `tried`: the revision of a put from here with an unknown outcome. */
  function isSettled({ document, source }: Stored<KeptEvent>, tried: number | undefined): boolean {
    if (document.writer !== writer) return tried !== undefined
    return tried === undefined || source.revision > tried
  }

  async function putNew(
    tenant: string,
    id: number,
    event: Omit<KeptEvent, 'storedAt'>,
    source: Source,
  ): Promise<number> {
    latest = Math.max(latest + 1, clock.now())
    const storedAt = latest
    underWay.add(storedAt)
    unsure.set(`${tenant} ${event.eventId}`, source.revision)
    try {
      await documents.put([documentPut(publicEvents, tenant, id, { ...event, storedAt }, source)])
      return storedAt
    } finally {
      underWay.delete(storedAt)
    }
  }

  async function put(event: z.infer<typeof kept>, { tenant, position }: Message, topic: string): Promise<boolean> {
    const { id: eventId, type, subject } = event
    const name = `${tenant} ${eventId}`
    const number = await numberOf(tenant, eventId, position)
    const id = number % keptPerTenant
    let last: number | undefined
    for (;;) {
      const found = await documents.get(publicEvents, tenant, id)
      const tried = unsure.get(name)
      if (found === undefined || found.source.revision < number) {
        const document = { eventId, writer, topic, type, subject, event }
        last = await putNew(tenant, id, document, { revision: number, position })
        if (tried === undefined) break
      } else {
        const { document, source } = found
        if (document.eventId !== eventId || document.storedAt === last || isSettled(found, tried)) break
        const next = { ...source, revision: source.revision + 1 }
        // Put again as it is, so that the replica that kept it gives it no new time, behind the events that follow here.
        if (tried === undefined) await documents.put([documentPut(publicEvents, tenant, id, document, next)])
        last = tried === undefined ? document.storedAt : await putNew(tenant, id, document, next)
      }
    }
    unsure.delete(name)
    return last !== undefined
  }

  const keep = taking(kept, async (event, message, { topic }: Delivery) => {
    if (await put(event, message, topic)) for (const listener of [...listeners]) listener()
  })

  return {
    writer,
    subscribe: () => bus.subscribe({ topics: Object.values(publicTopics), group: eventsGroup, handle: keep }),
    settledUntil() {
      // Every later event gets a later time than the one returned here.
      latest = Math.max(latest, clock.now())
      return Math.min(latest, ...[...underWay].map((storedAt) => storedAt - 1))
    },
    onKept(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}
