import { cloudEvent } from '@assay/contracts'
import { defineCollection } from '@assay/documents'
import { z } from 'zod'

const keptEvent = z.object({
  eventId: z.string(),
  /** When a process took it from the bus, in epoch milliseconds. Readers get events in this order. */
  storedAt: z.int(),
  /** The process that took it. `storedAt` never repeats within one process. */
  writer: z.string(),
  topic: z.string(),
  type: z.string(),
  subject: z.string(),
  event: cloudEvent.extend({ data: z.json() }),
})
export type KeptEvent = z.infer<typeof keptEvent>

/** Maximum number of events stored per tenant. A reader that was away for more events than that misses the oldest. */
export const keptPerTenant = 20_000

/**
 * The latest public events of each tenant, in a ring buffer: the id is the event's number modulo `keptPerTenant`, so a
 * new event replaces the oldest. A rebuild keeps them, because the bus does not deliver them again.
 */
export const publicEvents = defineCollection<KeptEvent>({
  name: 'public_events',
  version: 1,
  idType: 'integer',
  schema: keptEvent,
  fields: {
    eventId: { type: 'text', of: ({ eventId }) => eventId },
    storedAt: { type: 'integer', of: ({ storedAt }) => storedAt },
  },
})

/** Number of `publicEventNumbers` documents per tenant: few events share one, and a redelivered one is found by id. */
export const numberGroups = 4096

/** The numbers of the kept events, grouped by the hash of the event's id. */
export const publicEventNumbers = defineCollection<{ events: { eventId: string; number: number }[] }>({
  name: 'public_event_numbers',
  version: 1,
  idType: 'integer',
  schema: z.object({ events: z.array(z.object({ eventId: z.string(), number: z.int() })) }),
  fields: {},
})
