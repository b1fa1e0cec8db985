import { defineCollection, documentPut } from '@assay/documents'
import type { Aggregate } from '@assay/event-store'
import { uuidV5 } from '@assay/service-kit'
import { z } from 'zod'
import {
  type Delivery,
  type DeliveryCommand,
  type DeliveryEvent,
  type DeliveryState,
  decide,
  delivery,
  evolve,
  noDelivery,
} from './delivery.ts'

/** A delivery with the id of its stream. */
const storedDelivery = delivery.extend({ key: z.string() })
export type StoredDelivery = z.infer<typeof storedDelivery>

/** What is sent by itself has its status. What a digest contains is `COLLECTED`, and then `DIGESTED`. Pure. */
function stageOf({ rowKey, digest, status }: Delivery): Delivery['status'] | 'COLLECTED' | 'DIGESTED' {
  if (rowKey === undefined) return status
  return digest === undefined ? 'COLLECTED' : 'DIGESTED'
}

/** One document per delivery. */
export const deliveries = defineCollection<StoredDelivery>({
  name: 'notification_deliveries',
  version: 3,
  idType: 'text',
  schema: storedDelivery,
  fields: {
    channelId: { type: 'integer', of: ({ channelId }) => channelId, required: true, alone: false },
    status: { type: 'text', of: stageOf, required: true, alone: false },
    digest: { type: 'text', of: ({ digest }) => digest ?? null, alone: false, sparse: true },
    parkedByPause: {
      type: 'boolean',
      of: ({ parkedByPause }) => (parkedByPause ? true : null),
      alone: false,
      sparse: true,
    },
    order: { type: 'text', of: ({ order }) => order, required: true, alone: false },
    createdAt: { type: 'text', of: ({ createdAt }) => createdAt, required: true, alone: false },
  },
  listings: [
    ['channelId', 'status', 'order'],
    ['channelId', 'parkedByPause', 'order'],
    ['channelId', 'createdAt', 'order'],
    ['digest'],
  ],
})

/** The id of a delivery. Deterministic, so that a redelivered event causes no second delivery. */
export function deliveryKey(of: { eventId: string; about: string; recipient: string; channelId: number }): string {
  return uuidV5('delivery', of.eventId, of.about, of.recipient, String(of.channelId))
}

/** The id that receivers see. It is the same in each attempt. */
export const messageIdOf = (key: string): string => `msg_${key.replaceAll('-', '')}`

/** Streams `<tenant>/delivery-<deliveryKey>`. */
export const deliveryAggregate: Aggregate<DeliveryState, DeliveryCommand, DeliveryEvent> = {
  category: 'delivery',
  decider: { initialState: noDelivery, decide, evolve },
  schemaVersion: 2,
  documents: (state, { tenant, id }, source) =>
    state.status === 'NONE' ? [] : [documentPut(deliveries, tenant, id, { key: id, ...state }, source)],
}
export type { Delivery }
