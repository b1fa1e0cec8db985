import { cloudEvent, publicTopics } from '@assay/contracts'
import { type Documents, documentPut, type Source } from '@assay/documents'
import type { NumberBlocks } from '@assay/event-store'
import { type Delivery, type Message, type MessageBus, type Subscription, withSchema } from '@assay/message-bus'
import type { Clock } from '@assay/service-kit'
import { z } from 'zod'
import { type KeptEvent, keptPerTenant, publicEvents } from './collection.ts'
import { numberingOf } from './numbering.ts'

/** Consumer group that stores events for readers. */
export const eventsGroup = 'notification-events'

/** After this many milliseconds, a put is repeated with a new time. Readers elsewhere wait twice as long for events. */
const slowMs = 2_500
/** After this many slow puts, the last one is accepted. */
const maxRounds = 6

const kept = cloudEvent.extend({ data: z.json() })

/**
 * Keeps every public event once, even if the bus delivers it to several replicas, for example because one was paused.
 * All of them put it under the same id, where the first put of each revision wins. No replica continues before it knows
 * which put won, so an event never moves behind later ones.
 */
export interface EventBuffer {
  subscribe(): Promise<Subscription>
  /** This process will keep no more events with this time or an earlier one. Later ones may still be in flight. */
  settledUntil(): number
  /** Names this process in `KeptEvent.writer`. */
  writer: string
  /** Registers a listener for events that this process keeps. Returns a function that removes it. */
  onKept(listener: () => void): () => void
}

export function createEventBuffer(deps: {
  bus: MessageBus
  documents: Pick<Documents, 'put' | 'get' | 'find'>
  numbers: NumberBlocks
  clock: Clock
  writer: string
  /** Whether there are no other replicas. */
  isSole?: boolean | undefined
}): EventBuffer {
  const { bus, documents, numbers, clock, writer, isSole = false } = deps
  const inFlight = new Set<number>()
  const listeners = new Set<() => void>()
  let latest = 0

  /** For each event that is being kept: the times that this process has put, by revision. Some puts may have failed. */
  const tries = new Map<string, Map<number, number>>()

  const { freeNumber, numberOf } = numberingOf({ documents, numbers })

  /**
   * Without other replicas, one put suffices: nobody else numbers the event, and readers wait for what is in flight.
   * Answers whether the event is new.
   */
  async function putAlone(event: z.infer<typeof kept>, { tenant, position }: Message, topic: string): Promise<boolean> {
    const { id: eventId, type, subject } = event
    const where = [{ field: 'eventId', is: eventId }]
    // The order of the index, so that no other has to be found.
    const sort = [{ field: 'eventId', direction: 'asc' as const }]
    const known = await documents.find(publicEvents, tenant, { where, sort, size: 1 })
    if (known.documents.length > 0) return false
    const number = await freeNumber(tenant)
    const document = { eventId, writer, topic, type, subject, event }
    await putWithNewTime(tenant, number % keptPerTenant, document, { revision: number, position })
    return true
  }

  /** Returns the event's time; `undefined` if the put took so long that readers may have passed that time. */
  async function putWithNewTime(
    tenant: string,
    id: number,
    event: Omit<KeptEvent, 'storedAt'>,
    source: Source,
  ): Promise<number | undefined> {
    latest = Math.max(latest + 1, clock.now())
    const storedAt = latest
    if (!isSole) {
      const name = `${tenant} ${event.eventId}`
      tries.set(name, (tries.get(name) ?? new Map<number, number>()).set(source.revision, storedAt))
    }
    inFlight.add(storedAt)
    try {
      await documents.put([documentPut(publicEvents, tenant, id, { ...event, storedAt }, source)])
    } finally {
      inFlight.delete(storedAt)
    }
    return clock.now() - storedAt > slowMs ? undefined : storedAt
  }

  /** Resolves when the event has a time that no replica changes any more. Answers whether this process changed it. */
  async function put(event: z.infer<typeof kept>, { tenant, position }: Message, topic: string): Promise<boolean> {
    const { id: eventId, type, subject } = event
    const name = `${tenant} ${eventId}`
    const number = await numberOf(tenant, eventId, position)
    const id = number % keptPerTenant
    let last: number | undefined
    let isChanged = false
    for (let round = 0; round < maxRounds; round += 1) {
      const found = await documents.get(publicEvents, tenant, id)
      if (found === undefined || found.source.revision < number) {
        const document = { eventId, writer, topic, type, subject, event }
        last = await putWithNewTime(tenant, id, document, { revision: number, position })
        isChanged = true
        continue
      }
      const { document, source } = found
      if (document.eventId !== eventId || document.storedAt === last) break
      const next = { ...source, revision: source.revision + 1 }
      if (document.writer === writer) {
        // Readers may have passed the time of a put whose outcome was unknown, unless another replica has confirmed it.
        if (tries.get(name)?.get(source.revision) !== document.storedAt) break
        last = await putWithNewTime(tenant, id, document, next)
      } else {
        // Confirms the time, so that the replica that kept the event can no longer move it behind later events.
        await documents.put([documentPut(publicEvents, tenant, id, document, next)])
        last = document.storedAt
      }
      isChanged = true
    }
    tries.delete(name)
    return isChanged
  }

  const keep = withSchema(kept, async (event, message, { topic }: Delivery) => {
    if (await (isSole ? putAlone : put)(event, message, topic)) for (const listener of [...listeners]) listener()
  })

  return {
    writer,
    subscribe: () => bus.subscribe({ topics: Object.values(publicTopics), group: eventsGroup, handle: keep }),
    settledUntil() {
      // Every later event gets a later time than the one returned here.
      latest = Math.max(latest, clock.now())
      return Math.min(latest, ...[...inFlight].map((storedAt) => storedAt - 1))
    },
    onKept(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}
