import { z } from 'zod'
import { type Delivery, done, type FedCopies, type Message, type Outcome } from './port.ts'

/** Handles messages whose data `schema` reads; one that it cannot read is parked, with the reason. */
export function taking<T, D extends Pick<Delivery, 'message'>>(
  schema: z.ZodType<T>,
  take: (data: T, message: Message, delivery: D) => Promise<void>,
): (delivery: D) => Promise<Outcome> {
  return async (delivery) => {
    const { message } = delivery
    const parsed = schema.safeParse(message.data)
    if (!parsed.success) return { kind: 'park', reason: z.prettifyError(parsed.error) }
    await take(parsed.data, message, delivery)
    return done
  }
}

/**
 * The copies in `collection` that messages of a topic make, each by its data as `schema` reads it. `putOf` is pure, and
 * answers `undefined` for a message that makes none.
 */
export function copiesOf<T, Put>(options: {
  collection: { name: string }
  topic: string
  schema: z.ZodType<T>
  putOf: (tenant: string, data: T, position: string) => Put | undefined
}): FedCopies<Put> {
  const { collection, topic, schema, putOf } = options
  return {
    collection: collection.name,
    topic,
    putOf({ tenant, position, data }) {
      const parsed = schema.safeParse(data)
      return parsed.success ? putOf(tenant, parsed.data, position) : undefined
    },
  }
}
