import { done, type MessageBus } from '../port.ts'

/** Subscribes to topic `a` as group `g`: `ids` has the ids of the handled messages, in order. */
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
