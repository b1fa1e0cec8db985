import { cloudEvent, publicTopics } from '@assay/contracts'
import { type Documents, documentPut } from '@assay/documents'
import type { NumberBlocks } from '@assay/event-store'
import { type Delivery, type Message, type MessageBus, type Subscription, taking } from '@assay/message-bus'
import type { Clock } from '@assay/service-kit'
import { AssayError } from '@assay/service-kit/errors'
import { z } from 'zod'
import { keptPerTenant, publicEvents } from './collection.ts'
import { createKnownEvents } from './known-events.ts'

/** Consumer group that keeps events for readers. */
export const eventsGroup = 'notification-events'

const kept = cloudEvent.extend({ data: z.json() })

/** The bus replaces a member of the group only after seconds of silence, so a quick put had no competitor. */
const quickMs = 1_000

/** `taken-back`: another replica kept it as well, and may have taken its own back too. */
type Keeping = 'kept' | 'known' | 'taken-back'

/**
 * Keeps every public event once, whichever replica takes it: the bus may redeliver, and a replica that was paused may
 * continue with an event that another has kept meanwhile.
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
  documents: Pick<Documents, 'put' | 'find'>
  numbers: NumberBlocks
  clock: Clock
  writer: string
}): EventKeeping {
  const { bus, documents, numbers, clock, writer } = deps
  const underWay = new Set<number>()
  const listeners = new Set<() => void>()
  let latest = 0

  /**
   * Slots of events whose put has an unknown outcome: the retry reuses the slot, even if the first put arrives later.
   */
  const unsure = new Map<string, { number: number; revision: number }>()

  const isKnown = createKnownEvents(documents)

  async function timesKept(tenant: string, eventId: string): Promise<number> {
    const where = [{ field: 'eventId', is: eventId }]
    return (await documents.find(publicEvents, tenant, { where, size: 0 })).count
  }

  async function newPlace(tenant: string): Promise<{ number: number; revision: number }> {
    const [number] = await numbers.take(tenant, 'public-event')
    if (number === undefined) throw new AssayError('internal', 'No number was given for an event.')
    return { number, revision: number }
  }

  async function put(
    event: z.infer<typeof kept>,
    { tenant, position }: Message,
    topic: string,
    mayBeAlone: boolean,
  ): Promise<Keeping> {
    const began = clock.now()
    const { id: eventId, type, subject } = event
    const name = `${tenant} ${eventId}`
    const before = unsure.get(name)
    if (before === undefined && (await isKnown(tenant, eventId))) return 'known'
    const { number, revision } =
      before === undefined ? await newPlace(tenant) : { ...before, revision: before.revision + 1 }
    unsure.set(name, { number, revision })
    latest = Math.max(latest + 1, clock.now())
    const storedAt = latest
    underWay.add(storedAt)
    try {
      const id = number % keptPerTenant
      const document = { eventId, storedAt, writer, topic, type, subject, event }
      await documents.put([documentPut(publicEvents, tenant, id, document, { revision, position })])
      const wasAlone = mayBeAlone && before === undefined && clock.now() - began < quickMs
      const isDoubled = !wasAlone && (await timesKept(tenant, eventId)) > 1
      if (isDoubled)
        await documents.put([documentPut(publicEvents, tenant, id, null, { revision: revision + 1, position })])
      unsure.delete(name)
      return isDoubled ? 'taken-back' : 'kept'
    } finally {
      underWay.delete(storedAt)
    }
  }

  const keep = taking(kept, async (event, message, { topic }: Delivery) => {
    let keeping = await put(event, message, topic, true)
    // Another replica handles this event too and may retry at the same moment, so being quick no longer proves that
    // this one is alone.
    while (keeping === 'taken-back') keeping = await put(event, message, topic, false)
    if (keeping === 'kept') for (const listener of [...listeners]) listener()
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
