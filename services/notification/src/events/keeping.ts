import { cloudEvent, publicTopics } from '@assay/contracts'
import { type Documents, documentPut } from '@assay/documents'
import type { NumberBlocks } from '@assay/event-store'
import { type Delivery, type MessageBus, type Subscription, taking } from '@assay/message-bus'
import type { Clock } from '@assay/service-kit'
import { AssayError } from '@assay/service-kit/errors'
import { z } from 'zod'
import { keptPerTenant, publicEvents } from './collection.ts'

/** The group that keeps events for readers. */
export const eventsGroup = 'notification-events'

const kept = cloudEvent.extend({ data: z.json() })

/** Keeps the public events, whichever replica takes them. */
export interface EventKeeping {
  subscribe(): Promise<Subscription>
  /** Nothing will be kept here with a time at or before this one: what is later may still be being written. */
  settledUntil(): number
  /** Names this process in `KeptEvent.writer`. */
  writer: string
  /** Called when something was kept here. Answers how to stop that. */
  onKept(listener: () => void): () => void
}

export function createEventKeeping(deps: {
  bus: MessageBus
  documents: Pick<Documents, 'put'>
  numbers: NumberBlocks
  clock: Clock
  writer: string
}): EventKeeping {
  const { bus, documents, numbers, clock, writer } = deps
  const underWay = new Set<number>()
  const listeners = new Set<() => void>()
  let latest = 0

  const keep = taking(kept, async (event, { tenant, position }, { topic }: Delivery) => {
    const [number] = await numbers.take(tenant, 'public-event')
    if (number === undefined) throw new AssayError('internal', 'No number was given for an event.')
    latest = Math.max(latest + 1, clock.now())
    const storedAt = latest
    underWay.add(storedAt)
    try {
      const { id: eventId, type, subject } = event
      const document = { eventId, storedAt, writer, topic, type, subject, event }
      const source = { revision: number, position }
      await documents.put([documentPut(publicEvents, tenant, number % keptPerTenant, document, source)])
    } finally {
      underWay.delete(storedAt)
    }
    for (const listener of [...listeners]) listener()
  })

  return {
    writer,
    subscribe: () => bus.subscribe({ topics: Object.values(publicTopics), group: eventsGroup, handle: keep }),
    settledUntil() {
      // Whatever comes is later than what was said here.
      latest = Math.max(latest, clock.now())
      return Math.min(latest, ...[...underWay].map((storedAt) => storedAt - 1))
    },
    onKept(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}
