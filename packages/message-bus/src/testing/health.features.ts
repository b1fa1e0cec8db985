import { AssayError } from '@assay/service-kit/errors'
import { beforeEach, describe, expect, it } from 'vitest'
import { type BusAdapter, done } from '../port.ts'
import { following, handledAll, type MessageBusUnderTest, messages, waitFor } from './following.ts'
import { testMessage } from './message.ts'

/** The health of a bus, and the lag of its groups. */
export function healthFeatures(open: () => MessageBusUnderTest, unhealthyAfterMs: number): void {
  let bus: BusAdapter
  beforeEach(() => {
    bus = open().bus
  })
  const follow = following(() => bus)

  describe('health', () => {
    const becomes = (healthy: boolean) => waitFor(() => expect(bus.healthy()).toBe(healthy))
    const longerThanItsTimeout = () => new Promise((resolve) => setTimeout(resolve, 2 * unhealthyAfterMs))

    it('given no subscription, or a group without messages, when time passes, then the bus is healthy', async () => {
      expect(bus.healthy()).toBe(true)
      await follow({})
      await longerThanItsTimeout()
      await becomes(true)
    })

    it('given handlers that are slow, fail and park, when time passes, then the bus is healthy', async () => {
      const { seen } = await follow({
        answer: ({ message }) => {
          if (message.key === 'slow') return longerThanItsTimeout().then(() => done)
          return message.key === 'bad'
            ? { kind: 'retry', error: new AssayError('unavailable', 'its store is down') }
            : { kind: 'park', reason: 'odd' }
        },
      })
      await bus.publish(
        'orders',
        ['slow', 'bad', 'odd'].map((key) => testMessage(key, key)),
      )
      await waitFor(() => expect(new Set(seen.map(({ message }) => message.key)).size).toBe(3))
      await becomes(true)
      await longerThanItsTimeout()
      await becomes(true)
    })

    it('given a store that hangs, when time passes, then the bus is unhealthy until the store answers', async () => {
      let finish = () => {}
      const gate = new Promise<void>((resolve) => {
        finish = resolve
      })
      const { ids, subscription } = await follow({ answer: () => gate.then(() => done) })
      await bus.publish('orders', messages('k', '1'))
      await waitFor(() => expect(ids()).toEqual(['1']))
      await becomes(true)
      open().hang()
      try {
        finish()
        await becomes(false)
      } finally {
        open().resume()
      }
      await becomes(true)
      await bus.publish('orders', messages('k', '2'))
      await waitFor(() => expect(ids()).toEqual(['1', '2']))
      await handledAll(subscription)
    })

    it('given a closed bus, then it is unhealthy, and a new one over its data is healthy', async () => {
      await follow({})
      await bus.close()
      expect(bus.healthy()).toBe(false)
      bus = await open().reopen()
      expect(bus.healthy()).toBe(true)
    })
  })

  describe('lag', () => {
    it('given waiting messages, then the lag counts them until they are handled', async () => {
      await bus.publish('orders', messages('k', '1', '2', '3'))
      let release = () => {}
      const gate = new Promise<void>((resolve) => {
        release = resolve
      })
      const { subscription } = await follow({ answer: () => gate.then(() => done) })
      await waitFor(async () => expect(await subscription.lag()).toBe(3))
      release()
      await handledAll(subscription)
    })
  })
}
