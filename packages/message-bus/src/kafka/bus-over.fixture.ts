import { systemClock, systemTimers } from '@assay/service-kit/node'
import { done, type MessageBus } from '../port.ts'
import { createKafkaBus, type KafkaBusOptions } from './index.ts'

/** A bus with what the buses of tests have in common. */
export const busOver = (brokers: readonly string[], more: Partial<KafkaBusOptions> = {}) =>
  createKafkaBus({
    brokers,
    clientId: 'test',
    clock: systemClock,
    timers: systemTimers,
    partitions: 3,
    replication: 1,
    maxWaitMs: 100,
    ...more,
  })

/** Follows the topic `a` as the group `g`: `ids` are those of the messages that were handled, in the order of that. */
export async function following(bus: MessageBus) {
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
