import { setImmediate } from 'node:timers/promises'
import type { Message, MessageBus } from './port.ts'

/** A message with its topic. */
export interface Publication {
  topic: string
  message: Message
}

/** Events whose messages are created concurrently. */
const madeAtOnce = 32
/** Events whose messages are sent to the bus together: over a network each call waits for its answer. */
const sentTogether = 128

async function publishByTopic(bus: Pick<MessageBus, 'publish'>, publications: readonly Publication[]): Promise<void> {
  // All have ended before this rejects or continues: a retry must not overlap with messages that are still being sent.
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
 * Publishes the messages that `messagesOf` creates for each event, in the order of the events within each topic, and
 * resolves when the bus has all of them. Batched, because a call per message would be too slow over a network for some
 * hundred messages a second. Rejects with the error of `messagesOf` or the bus; some messages may be published then.
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
      // Messages may be made without leaving the event loop: others get a turn here.
      await setImmediate()
    }
    await publishByTopic(bus, publications)
  }
}
