import { done, type MessageBus } from '../port.ts'

/** Follows the topic `a` as the group `g`: `ids` are those of the messages that were handled, in the order of that. */
export async function followingIds(bus: MessageBus) {
  const ids: string[] = []
  const subscription = await bus.subscribe({
    topics: ['a'],
    group: 'g',
    async handle({ message }) {
      ids.push(message.id)
      return done
    },
  })
  return { ids, subscription }
}
