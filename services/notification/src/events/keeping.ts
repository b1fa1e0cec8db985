import { cloudEvent, publicTopics } from '@assay/contracts'
import { type Documents, documentPut } from '@assay/documents'
import type { NumberBlocks } from '@assay/event-store'
import { type Delivery, type Message, type MessageBus, type Subscription, taking } from '@assay/message-bus'
import type { Clock } from '@assay/service-kit'
import { z } from 'zod'
import { keptPerTenant, publicEvents } from './collection.ts'
import { numberingOf } from './numbering.ts'

/** Consumer group that keeps events for readers. */
export const eventsGroup = 'notification-events'

const kept = cloudEvent.extend({ data: z.json() })

/**
 * Keeps every public event once, whichever replica takes it: the bus may redeliver, and a replica that was paused may
 * continue with an event that another has kept meanwhile. Both put it in the same place, where the first put wins, so an
 * event never moves behind later ones.
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

  /**
   * How often an event was put with an unknown outcome: the next put replaces those, even if one arrives later, because
   * readers may have passed their times.
   */
  const unsure = new Map<string, number>()

  const numberOf = numberingOf({ documents, numbers })

  async function isKept(tenant: string, eventId: string, number: number, tries: number): Promise<boolean> {
    const found = await documents.get(publicEvents, tenant, number % keptPerTenant)
    if (found === undefined || found.source.revision < number) return false
    const isOwnTry = tries > 0 && found.document.eventId === eventId && found.document.writer === writer
    return !isOwnTry
  }

  async function put(event: z.infer<typeof kept>, { tenant, position }: Message, topic: string): Promise<boolean> {
    const { id: eventId, type, subject } = event
    const name = `${tenant} ${eventId}`
    const tries = unsure.get(name) ?? 0
    const number = await numberOf(tenant, eventId, position)
    if (await isKept(tenant, eventId, number, tries)) {
      unsure.delete(name)
      return false
    }
    unsure.set(name, tries + 1)
    latest = Math.max(latest + 1, clock.now())
    const storedAt = latest
    underWay.add(storedAt)
    try {
      const document = { eventId, storedAt, writer, topic, type, subject, event }
      const source = { revision: number + tries, position }
      await documents.put([documentPut(publicEvents, tenant, number % keptPerTenant, document, source)])
      unsure.delete(name)
      return true
    } finally {
      underWay.delete(storedAt)
    }
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
