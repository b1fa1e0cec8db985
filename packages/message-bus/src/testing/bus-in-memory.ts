import type { Delivery, Message, MessageBus, Outcome } from '../port.ts'

/** A bus that delivers immediately, in order, and records published messages and outcomes. */
export function createBusInMemory(): MessageBus & {
  published: { topic: string; message: Message }[]
  outcomes: Outcome[]
} {
  const handlers: { topics: readonly string[]; handle: (delivery: Delivery) => Promise<Outcome> }[] = []
  const published: { topic: string; message: Message }[] = []
  const outcomes: Outcome[] = []
  return {
    published,
    outcomes,
    async publish(topic, messages) {
      for (const message of messages) {
        published.push({ topic, message })
        for (const { topics, handle } of handlers) {
          if (topics.includes(topic)) outcomes.push(await handle({ topic, message, attempt: 1 }))
        }
      }
    },
    async subscribe(entry) {
      handlers.push(entry)
      return {
        lag: async () => 0,
        close: async () => {
          handlers.splice(handlers.indexOf(entry), 1)
        },
      }
    },
    parked: async () => [],
    parkedCount: async () => 0,
    replayParked: async () => 0,
    close: async () => undefined,
  }
}
