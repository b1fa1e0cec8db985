import type { Message, MessageBus } from './port.ts'

/** What is to be told, and where. */
export interface Publication {
  topic: string
  message: Message
}

/** Events whose messages are made at once. */
const madeAtOnce = 32
/** Events whose messages are given to the bus together: over a network each time is a wait for its answer. */
const sentTogether = 128

async function publishByTopic(bus: Pick<MessageBus, 'publish'>, publications: readonly Publication[]): Promise<void> {
  // All have ended before this rejects or goes on: a second try must not overlap with messages still being sent.
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
 * Publishes what `messagesOf` makes of each event, in the order of the events within each topic, and resolves when the bus
 * has all of it. A message at a time would wait for the bus as often as there are messages, which a bus over a network
 * does not bear at some hundred a second. Rejects with what `messagesOf` or the bus throws; some may be published then.
 */
export async function publishEach<E>(
  bus: Pick<MessageBus, 'publish'>,
  events: readonly E[],
  messagesOf: (event: E) => Promise<readonly Publication[]>,
): Promise<void> {
  for (let from = 0; from < events.length; from += sentTogether) {
    const some = events.slice(from, from + sentTogether)
    const publications: Publication[] = []
    for (let at = 0; at < some.length; at += madeAtOnce)
      publications.push(...(await Promise.all(some.slice(at, at + madeAtOnce).map(messagesOf))).flat())
    await publishByTopic(bus, publications)
  }
}
