import { setImmediate } from 'node:timers/promises'
import type { Message, MessageBus } from './port.ts'

/** A message with its topic. */
export interface Publication {
  topic: string
  message: Message
}

/** Number of events whose messages are created concurrently. */
const madeAtOnce = 32
/** Number of events whose messages are sent together, because each call over a network waits for an answer. */
const sentTogether = 128

async function publishByTopic(bus: Pick<MessageBus, 'publish'>, publications: readonly Publication[]): Promise<void> {
  // Waits for all sends even if one fails, so that a retry does not overlap with them.
  const sent = await Promise.allSettled(
    [...Map.groupBy(publications, ({ topic }) => topic)].map(([topic, of]) =>
      bus.publish(
        topic,
        of.map(({ message }) => message),
      ),
    ),
  )
  for (const each of sent) if (each.status === 'rejected') throw each.reason
}

/**
 * Publishes the messages that `messagesOf` creates for each event. Within each topic, they are in the order of the
 * events. Resolves when the bus has all of them. Sends batches, because over a network, a call per message would be too
 * slow for some hundred messages a second. Rejects with the error of `messagesOf` or of the bus; some messages may then
 * be published.
 */
export async function publishEach<E>(
  bus: Pick<MessageBus, 'publish'>,
  events: readonly E[],
  messagesOf: (event: E) => Promise<readonly Publication[]>,
): Promise<void> {
  for (let from = 0; from < events.length; from += sentTogether) {
    const some = events.slice(from, from + sentTogether)
    const publications: Publication[] = []
    for (let at = 0; at < some.length; at += madeAtOnce) {
      publications.push(...(await Promise.all(some.slice(at, at + madeAtOnce).map(messagesOf))).flat())
      // Yields to the event loop, because `messagesOf` may do no I/O.
      await setImmediate()
    }
    await publishByTopic(bus, publications)
  }
}
