import { z } from 'zod'
import { type Delivery, done, type Message, type Outcome } from './port.ts'

/** Handles messages whose data matches `schema`. Other messages are parked, with the reason. */
export function withSchema<T, D extends Pick<Delivery, 'message'>>(
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
