import { isAssayError } from '@assay/service-kit/errors'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type BusAdapter, done, type Outcome } from '../port.ts'
import type { Retry } from '../retry.ts'
import {
  following,
  handledAll,
  type MessageBusUnderTest,
  messages,
  testRetry,
  testTopics,
  waitFor,
} from './following.ts'
import { healthFeatures } from './health.features.ts'
import { testMessage } from './message.ts'
import { outcomesFeatures } from './outcomes.features.ts'
import { parkingFeatures } from './parking.features.ts'

/** The behaviour suite of the port. `unhealthyAfterMs`: longer than the bus waits for messages. */
export function messageBusFeatures(
  name: string,
  unhealthyAfterMs: number,
  make: (options: {
    topics: readonly string[]
    retry: Retry
    unhealthyAfterMs: number
  }) => Promise<MessageBusUnderTest>,
): void {
  describe(`message bus of ${name}`, () => {
    let world: MessageBusUnderTest
    let bus: BusAdapter

    beforeEach(async () => {
      world = await make({ topics: testTopics, retry: testRetry, unhealthyAfterMs })
      bus = world.bus
    })
    afterEach(() => world.end())
    const follow = following(() => bus)

    it('given a subscription, when a message is published, then the handler gets it unchanged', async () => {
      const { seen } = await follow({})
      const data = { text: 'ü😀', list: [1, null, { a: true }] }
      const message = { ...testMessage('k', '1', data), traceparent: '00-aa-bb-01' }
      await bus.publish('orders', [message])
      await waitFor(() => expect(seen).toEqual([{ topic: 'orders', message, attempt: 1 }]))
    })

    it('given a message with the states before and after a large event, when it is published, then the handler gets all of it', async () => {
      const { seen } = await follow({})
      const state = { text: 'ü'.repeat(1_000_000) }
      const sent = ['1', '2'].map((id) => testMessage('k', id, { before: state, after: state }))
      await bus.publish('orders', sent)
      await bus.publish('orders', messages('k', '3'))
      await waitFor(() => expect(seen.map(({ message }) => message.id)).toEqual(['1', '2', '3']))
      expect(seen.slice(0, 2).map(({ message }) => message.data)).toEqual(sent.map(({ data }) => data))
    })

    it('given published messages, when a group subscribes later, then it gets them', async () => {
      await bus.publish('orders', messages('k', '1', '2'))
      const { ids } = await follow({})
      await waitFor(() => expect(ids()).toEqual(['1', '2']))
    })

    it('given two topics, when a group subscribes to both, then each delivery names its topic', async () => {
      const { seen } = await follow({ topics: ['orders', 'payments'] })
      await bus.publish('orders', messages('k', '1'))
      await bus.publish('payments', messages('k', '1'))
      await waitFor(() => expect(seen.map(({ topic }) => topic).toSorted()).toEqual(['orders', 'payments']))
    })

    it('given a group of one topic, when another topic gets messages, then the group does not get them', async () => {
      const { ids, subscription } = await follow({})
      await bus.publish('payments', messages('k', 'other'))
      await bus.publish('orders', messages('k', 'mine'))
      await waitFor(() => expect(ids()).toEqual(['mine']))
      await handledAll(subscription)
    })

    it('given two groups, when messages are published, then each gets all of them', async () => {
      const first = await follow({ group: 'a' })
      const second = await follow({ group: 'b' })
      await bus.publish('orders', messages('k', '1', '2', '3'))
      await waitFor(() => expect(first.ids()).toEqual(['1', '2', '3']))
      await waitFor(() => expect(second.ids()).toEqual(['1', '2', '3']))
    })

    it('given 1,000 messages of 20 keys, then each is handled once, in order per key, one at a time', async () => {
      const working = new Set<string>()
      let overlaps = 0
      const { seen, subscription } = await follow({
        async answer({ message }) {
          if (working.has(message.key)) overlaps++
          working.add(message.key)
          await new Promise((resolve) => setImmediate(resolve))
          working.delete(message.key)
          return done
        },
      })
      const all = Array.from({ length: 1000 }, (_, index) => testMessage(`k${index % 20}`, String(index), index))
      for (let start = 0; start < all.length; start += 100) await bus.publish('orders', all.slice(start, start + 100))
      await waitFor(() => expect(seen.length).toBeGreaterThanOrEqual(1000))
      await handledAll(subscription)
      expect(new Set(seen.map(({ message }) => message.id)).size).toBe(1000)
      expect([seen.length, overlaps]).toEqual([1000, 0])
      for (let key = 0; key < 20; key++) {
        const ofKey = seen.filter(({ message }) => message.key === `k${key}`).map(({ message }) => Number(message.data))
        expect(ofKey).toEqual(ofKey.toSorted((a, b) => a - b))
      }
    })

    it('given many concurrent publishers, then no message is lost', async () => {
      const { ids, subscription } = await follow({})
      await Promise.all(Array.from({ length: 50 }, (_, index) => bus.publish('orders', messages('k', `m${index}`))))
      await waitFor(() => expect(new Set(ids()).size).toBe(50))
      await handledAll(subscription)
    })

    it('given a group that has handled some messages, when the bus is opened again, then the group continues after them', async () => {
      const first = await follow({})
      await bus.publish('orders', messages('k', '1', '2'))
      await waitFor(() => expect(first.ids()).toEqual(['1', '2']))
      await first.subscription.close()
      await bus.publish('orders', messages('k', '3'))
      bus = await world.reopen()
      const second = await follow({})
      await waitFor(() => expect(second.ids()).toEqual(['3']))
    })

    it('given one key that keeps failing, when the bus is opened again, then only unhandled messages are redelivered', async () => {
      const first = await follow({
        answer: ({ message }) => (message.key === 'bad' ? { kind: 'retry', error: new Error('not yet') } : done),
      })
      await bus.publish('orders', [testMessage('bad', 'b1'), ...messages('good', 'g1', 'g2')])
      await waitFor(() => expect(first.ids()).toEqual(expect.arrayContaining(['b1', 'g1', 'g2'])))
      await first.subscription.close()
      bus = await world.reopen()
      const second = await follow({})
      await waitFor(() => expect(second.ids()).toContain('b1'))
    })

    it('given a running handler, when the subscription is closed, then it waits for the handler and starts no other', async () => {
      let finish = () => {}
      const first = await follow({
        answer: () =>
          new Promise<Outcome>((resolve) => {
            finish = () => resolve(done)
          }),
      })
      await bus.publish('orders', messages('k', '1', '2'))
      await waitFor(() => expect(first.ids()).toEqual(['1']))
      let closed = false
      const closing = first.subscription.close().then(() => {
        closed = true
      })
      await new Promise((resolve) => setImmediate(resolve))
      expect(closed).toBe(false)
      finish()
      await closing
      expect(first.ids()).toEqual(['1'])
      const second = await follow({})
      await waitFor(() => expect(second.ids()).toEqual(['2']))
    })

    it('given a closed bus, then publish and subscribe throw unavailable', async () => {
      await bus.close()
      const unavailable = expect.toSatisfy((error: unknown) => isAssayError(error, 'unavailable'), 'unavailable')
      await expect(bus.publish('orders', messages('k', '1'))).rejects.toEqual(unavailable)
      await expect(bus.subscribe({ topics: ['orders'], group: 'g', handle: async () => done })).rejects.toEqual(
        unavailable,
      )
    })

    outcomesFeatures(() => world)
    parkingFeatures(() => world)
    healthFeatures(() => world, unhealthyAfterMs)
  })
}
