import { cloudEvent } from '@assay/contracts'
import { defineCollection } from '@assay/documents'
import { z } from 'zod'

const keptEvent = z.object({
  eventId: z.string(),
  /** When a process took it from the bus, epoch milliseconds: the order in which readers get it. */
  storedAt: z.int(),
  /** The process that took it. Within one process `storedAt` never repeats. */
  writer: z.string(),
  topic: z.string(),
  type: z.string(),
  subject: z.string(),
  event: cloudEvent.extend({ data: z.json() }),
})
export type KeptEvent = z.infer<typeof keptEvent>

/** How many events of a tenant are kept: a reader that comes back behind more of them has missed the first. */
export const keptPerTenant = 20_000

/**
 * The last public events of each tenant, in a ring: the id is the event's number modulo its size, so that a new event
 * takes the place of the oldest. Made by the bus once; a rebuild leaves it as it is.
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
