import type { Message, MessageBus } from './port.ts'

/** What is to be told, and where. */
export interface Told {
  topic: string
  message: Message
}

/** Events whose messages are made at once. */
const atOnce = 32

/**
 * Publishes what `messagesOf` makes of each event, in the order of the events within each topic, and resolves when the bus
 * has all of it. A message at a time would wait for the bus as often as there are messages, which a bus over a network
 * does not bear at some hundred a second. Rejects with what `messagesOf` or the bus throws; some may be published then.
 */
export async function publishEach<E>(
  bus: Pick<MessageBus, 'publish'>,
  events: readonly E[],
  messagesOf: (event: E) => Promise<readonly Told[]>,
): Promise<void> {
  for (let from = 0; from < events.length; from += atOnce) {
    const told = (await Promise.all(events.slice(from, from + atOnce).map(messagesOf))).flat()
    const byTopic = Map.groupBy(told, ({ topic }) => topic)
    // All settle before the next ones are sent, or an order would be lost where one fails.
    await Promise.all(
      [...byTopic].map(([topic, of]) =>
        bus.publish(
          topic,
          of.map(({ message }) => message),
        ),
      ),
    )
  }
}
