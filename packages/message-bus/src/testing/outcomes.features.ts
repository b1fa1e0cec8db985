import { AssayError } from '@assay/service-kit/errors'
import { beforeEach, describe, expect, it } from 'vitest'
import { type BusAdapter, type Delivery, done } from '../port.ts'
import { following, handledAll, type MessageBusUnderTest, messages, testRetry, waitFor } from './following.ts'
import { testMessage } from './message.ts'

/** The effects of a handler's outcomes. */
export function outcomesFeatures(open: () => MessageBusUnderTest): void {
  let bus: BusAdapter
  beforeEach(() => {
    bus = open().bus
  })
  const follow = following(() => bus)

  describe('outcomes', () => {
    const failsUntil = (attempt: number, error: 'answers' | 'throws') => (delivery: Delivery) => {
      if (delivery.message.id !== '1' || delivery.attempt >= attempt) return done
      if (error === 'throws') throw new Error('broken')
      return { kind: 'retry', error: new Error('not yet') } as const
    }
    for (const how of ['answers', 'throws'] as const) {
      it(`given a handler that ${how} with a failure twice, then the third attempt succeeds before the next message is handled`, async () => {
        const { seen } = await follow({ answer: failsUntil(3, how) })
        await bus.publish('orders', messages('k', '1', '2'))
        await waitFor(() =>
          expect(seen.map(({ message, attempt }) => [message.id, attempt])).toEqual([
            ['1', 1],
            ['1', 2],
            ['1', 3],
            ['2', 1],
          ]),
        )
        expect(await bus.parked('g')).toEqual([])
      })
    }

    it('given a skipped message, then the next one is handled and nothing is parked', async () => {
      const { ids, subscription } = await follow({ answer: () => ({ kind: 'skip', reason: 'old' }) })
      await bus.publish('orders', messages('k', '1', '2'))
      await waitFor(() => expect(ids()).toEqual(['1', '2']))
      await handledAll(subscription)
      expect(await bus.parked('g')).toEqual([])
    })

    it('given a key that keeps failing, then other keys do not wait for it', async () => {
      const { ids } = await follow({
        answer: ({ message }) => (message.key === 'bad' ? { kind: 'retry', error: new Error('not yet') } : done),
      })
      await bus.publish('orders', [testMessage('bad', 'b1'), ...messages('good', 'g1', 'g2')])
      await waitFor(() => expect(ids()).toEqual(expect.arrayContaining(['g1', 'g2'])))
    })

    it('given more transient errors than attempts, then nothing is parked, and the message is handled in the end', async () => {
      const { seen, subscription } = await follow({
        answer: ({ attempt }) => {
          if (attempt <= testRetry.attempts + 2) throw new AssayError('unavailable', 'the disk is full')
          return done
        },
      })
      await bus.publish('orders', messages('k', '1'))
      await waitFor(() => expect(seen).toHaveLength(testRetry.attempts + 3))
      await handledAll(subscription)
      expect(await bus.parked('g')).toEqual([])
    })

    it('given a message that fails every time, then it is parked with the reason after the last attempt', async () => {
      const { seen, subscription } = await follow({
        answer: () => {
          throw new Error('never works')
        },
      })
      await bus.publish('orders', messages('k', '1'))
      await waitFor(async () => expect(await bus.parked('g')).toHaveLength(1))
      expect(seen.map(({ attempt }) => attempt)).toEqual([1, 2, 3])
      const [parked] = await bus.parked('g')
      const { data: _, ...message } = testMessage('k', '1')
      expect(parked).toMatchObject({ topic: 'orders', group: 'g', message })
      expect(parked?.reason).toContain('never works')
      await handledAll(subscription)
    })
  })
}
