import type { Message, MessageBus, Outcome } from '@assay/message-bus'

type Handle = (delivery: { topic: string; message: Message; attempt: number }) => Promise<Outcome>

/** Delivers at once, in order, and remembers what was published. */
export function createBusInMemory(): MessageBus & { published: { topic: string; message: Message }[] } {
  const handlers: { topics: readonly string[]; handle: Handle }[] = []
  const published: { topic: string; message: Message }[] = []
  return {
    published,
    publish: async (topic, messages) => {
      for (const message of messages) {
        published.push({ topic, message })
        for (const { topics, handle } of handlers) {
          if (topics.includes(topic)) await handle({ topic, message, attempt: 1 })
        }
      }
    },
    subscribe: async ({ topics, handle }) => {
      const entry = { topics, handle }
      handlers.push(entry)
      return {
        lag: async () => 0,
        close: async () => {
          handlers.splice(handlers.indexOf(entry), 1)
        },
      }
    },
    parked: async () => [],
    replayParked: async () => 0,
    close: async () => undefined,
  }
}
