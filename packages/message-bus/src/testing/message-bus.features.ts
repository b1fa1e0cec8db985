import { AssayError, isAssayError } from '@assay/service-kit/errors'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { type BusAdapter, type Delivery, done, type Outcome } from '../port.ts'
import type { Retry } from '../retry.ts'
import { testMessage } from './message.ts'

/** A bus of its own for one test. */
export interface MessageBusUnderTest {
  bus: BusAdapter
  /** Closes the bus and opens another one over the same data, as a restart does. */
  reopen(): Promise<BusAdapter>
  /** What the bus stands on answers nothing any more, and ends no connection, until `goOn`. */
  standStill(): void
  goOn(): void
  end(): Promise<void>
}

/** The topics that the suite uses: they exist, and are empty, when `make` has answered. */
export const testTopics = ['orders', 'payments'] as const

/** `unhealthyAfterMs` of the bus under test: longer than Kafka's bus waits for messages, so that looking is in time. */
export const testUnhealthyAfterMs = 2000

/** What the bus under test is to be made with. */
export const testRetry: Retry = { attempts: 3, firstPauseMs: 20, factor: 2, maxPauseMs: 50 }

const waitFor = (check: () => void | Promise<void>) => vi.waitFor(check, { timeout: 40_000, interval: 5 })

/** Asks every promise of the port of one adapter. */
export function messageBusFeatures(
  name: string,
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
      world = await make({ topics: testTopics, retry: testRetry, unhealthyAfterMs: testUnhealthyAfterMs })
      bus = world.bus
    })
    afterEach(() => world.end())

    /** Subscribes and answers the list of what is delivered, which grows. */
    async function follow(options: {
      group?: string
      topics?: readonly string[]
      answer?: (delivery: Delivery) => Outcome | Promise<Outcome>
    }) {
      const seen: Delivery[] = []
      const { group = 'g', topics = ['orders'], answer = () => done } = options
      const subscription = await bus.subscribe({
        topics,
        group,
        async handle(delivery) {
          seen.push(delivery)
          return await answer(delivery)
        },
      })
      return { seen, ids: () => seen.map(({ message }) => message.id), subscription }
    }

    const messages = (key: string, ...ids: string[]) => ids.map((id) => testMessage(key, id))
    const handledAll = (subscription: { lag(): Promise<number> }) =>
      waitFor(async () => expect(await subscription.lag()).toBe(0))

    it('given a subscription, when a message is published, then it comes as it was published', async () => {
      const { seen } = await follow({})
      const data = { text: 'ü😀', list: [1, null, { a: true }] }
      const message = { ...testMessage('k', '1', data), traceparent: '00-aa-bb-01' }
      await bus.publish('orders', [message])
      await waitFor(() => expect(seen).toEqual([{ topic: 'orders', message, attempt: 1 }]))
    })

    it('given a message that tells of a large event before and after, when it is published, then it comes whole', async () => {
      const { seen } = await follow({})
      const state = { text: 'ü'.repeat(1_000_000) }
      const sent = ['1', '2'].map((id) => testMessage('k', id, { before: state, after: state }))
      await bus.publish('orders', sent)
      await bus.publish('orders', messages('k', '3'))
      await waitFor(() => expect(seen.map(({ message }) => message.id)).toEqual(['1', '2', '3']))
      expect(seen.slice(0, 2).map(({ message }) => message.data)).toEqual(sent.map(({ data }) => data))
    })

    it('given published messages, when a group comes later, then it gets them', async () => {
      await bus.publish('orders', messages('k', '1', '2'))
      const { ids } = await follow({})
      await waitFor(() => expect(ids()).toEqual(['1', '2']))
    })

    it('given two topics, when a group follows both, then it gets both and is told which', async () => {
      const { seen } = await follow({ topics: ['orders', 'payments'] })
      await bus.publish('orders', messages('k', '1'))
      await bus.publish('payments', messages('k', '1'))
      await waitFor(() => expect(seen.map(({ topic }) => topic).toSorted()).toEqual(['orders', 'payments']))
    })

    it('given a group of one topic, when another topic gets messages, then the group does not', async () => {
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

    it('given 1,000 messages of 20 keys, when all are handled, then each came once, in order per key, one at a time', async () => {
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

    it('given many publishers at once, when all have answered, then nothing is lost', async () => {
      const { ids, subscription } = await follow({})
      await Promise.all(Array.from({ length: 50 }, (_, index) => bus.publish('orders', messages('k', `m${index}`))))
      await waitFor(() => expect(new Set(ids()).size).toBe(50))
      await handledAll(subscription)
    })

    it('given a handled message, when its id is published again, then it is not handled again', async () => {
      const { ids, subscription } = await follow({})
      await bus.publish('orders', messages('k', '1', '1'))
      await handledAll(subscription)
      await bus.publish('orders', messages('k', '1', '2'))
      await waitFor(() => expect(ids()).toContain('2'))
      expect(ids()).toEqual(['1', '2'])
    })

    it('given a group that has handled some, when the bus is opened again, then it goes on where it stopped', async () => {
      const first = await follow({})
      await bus.publish('orders', messages('k', '1', '2'))
      await waitFor(() => expect(first.ids()).toEqual(['1', '2']))
      await first.subscription.close()
      await bus.publish('orders', messages('k', '3'))
      bus = await world.reopen()
      const second = await follow({})
      await waitFor(() => expect(second.ids()).toEqual(['3']))
    })

    it('given one key that keeps failing, when the bus is opened again, then only what was not handled comes again', async () => {
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

    it('given a handler that runs, when the subscription is closed, then it is finished first and nothing more begins', async () => {
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

    it('given a closed bus, when published or subscribed to, then it is unavailable', async () => {
      await bus.close()
      const unavailable = expect.toSatisfy((error: unknown) => isAssayError(error, 'unavailable'), 'unavailable')
      await expect(bus.publish('orders', messages('k', '1'))).rejects.toEqual(unavailable)
      await expect(bus.subscribe({ topics: ['orders'], group: 'g', handle: async () => done })).rejects.toEqual(
        unavailable,
      )
    })

    describe('outcomes', () => {
      const failsUntil = (attempt: number, error: 'answers' | 'throws') => (delivery: Delivery) => {
        if (delivery.message.id !== '1' || delivery.attempt >= attempt) return done
        if (error === 'throws') throw new Error('broken')
        return { kind: 'retry', error: new Error('not yet') } as const
      }
      for (const how of ['answers', 'throws'] as const) {
        it(`given a handler that ${how} with a failure twice, when tried again, then it is done and the next comes after`, async () => {
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

      it('given a skip, when answered, then the next one comes and nothing is parked', async () => {
        const { ids, subscription } = await follow({ answer: () => ({ kind: 'skip', reason: 'old' }) })
        await bus.publish('orders', messages('k', '1', '2'))
        await waitFor(() => expect(ids()).toEqual(['1', '2']))
        await handledAll(subscription)
        expect(await bus.parked('g')).toEqual([])
      })

      it('given a key that keeps failing, when other keys come, then they do not wait for it', async () => {
        const { ids } = await follow({
          answer: ({ message }) => (message.key === 'bad' ? { kind: 'retry', error: new Error('not yet') } : done),
        })
        await bus.publish('orders', [testMessage('bad', 'b1'), ...messages('good', 'g1', 'g2')])
        await waitFor(() => expect(ids()).toEqual(expect.arrayContaining(['g1', 'g2'])))
      })

      it('given trouble that passes, when it lasts longer than the tries, then nothing is parked and it is handled in the end', async () => {
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

      it('given a message that fails every time, when the tries are used up, then it is parked with the reason', async () => {
        const { seen, subscription } = await follow({
          answer: () => {
            throw new Error('never works')
          },
        })
        await bus.publish('orders', messages('k', '1'))
        await waitFor(async () => expect(await bus.parked('g')).toHaveLength(1))
        expect(seen.map(({ attempt }) => attempt)).toEqual([1, 2, 3])
        const [parked] = await bus.parked('g')
        expect(parked).toMatchObject({ topic: 'orders', group: 'g', message: testMessage('k', '1') })
        expect(parked?.reason).toContain('never works')
        await handledAll(subscription)
      })
    })

    describe('parking', () => {
      /** Parks `1` of key `bad` as long as `broken` holds. */
      async function parking(group = 'g') {
        const fault = { broken: true }
        const followed = await follow({
          group,
          answer: ({ message }) =>
            message.id === '1' && fault.broken ? { kind: 'park', reason: 'cannot be read' } : done,
        })
        return { ...followed, fault }
      }

      it('given a parked message, when more of its key and of others come, then only its key is held back', async () => {
        const { ids } = await parking()
        await bus.publish('orders', [...messages('bad', '1', '2'), ...messages('good', 'g1')])
        await bus.publish('orders', [...messages('bad', '3'), ...messages('good', 'g2')])
        await waitFor(async () =>
          expect((await bus.parked('g')).map(({ message }) => message.id)).toEqual(['1', '2', '3']),
        )
        await waitFor(() => expect(ids()).toContain('g2'))
        expect(ids().toSorted()).toEqual(['1', 'g1', 'g2'])
        expect((await bus.parked('g'))[0]?.reason).toBe('cannot be read')
      })

      it('given one group that parked, when another group follows, then that one is not held back', async () => {
        await parking('a')
        const other = await follow({ group: 'b' })
        await bus.publish('orders', messages('bad', '1', '2'))
        await waitFor(() => expect(other.ids()).toEqual(['1', '2']))
        await waitFor(async () => expect(await bus.parked('a')).toHaveLength(2))
        expect(await bus.parked('b')).toEqual([])
      })

      it('given parked messages, when replayed, then they come in order, before later ones, and are parked no more', async () => {
        const { ids, seen, fault, subscription } = await parking()
        await bus.publish('orders', messages('bad', '1', '2', '3'))
        await waitFor(async () => expect(await bus.parked('g')).toHaveLength(3))
        fault.broken = false
        const replaying = bus.replayParked('g', 'bad')
        await bus.publish('orders', messages('bad', '4'))
        expect(await replaying).toBeGreaterThanOrEqual(3)
        await waitFor(() => expect(ids()).toEqual(['1', '1', '2', '3', '4']))
        expect(seen[1]?.attempt).toBe(1)
        await handledAll(subscription)
        expect(await bus.parked('g')).toEqual([])
      })

      it('given a replay that parks again, when later ones come, then all of the key are parked in order', async () => {
        const { ids } = await parking()
        await bus.publish('orders', messages('bad', '1', '2'))
        await waitFor(async () => expect(await bus.parked('g')).toHaveLength(2))
        expect(await bus.replayParked('g', 'bad')).toBe(2)
        await waitFor(() => expect(ids()).toEqual(['1', '1']))
        await bus.publish('orders', messages('bad', '3'))
        await waitFor(async () =>
          expect((await bus.parked('g')).map(({ message }) => message.id)).toEqual(['1', '2', '3']),
        )
        expect(ids()).toEqual(['1', '1'])
      })

      it('given nothing parked, when replayed, then none are put back', async () => {
        await parking()
        expect(await bus.replayParked('g', 'bad')).toBe(0)
        expect(await bus.replayParked('unknown', 'bad')).toBe(0)
        expect(await bus.parked('unknown')).toEqual([])
      })

      it('given a parked key, when the bus is opened again, then it is still held back and can be replayed', async () => {
        await parking()
        await bus.publish('orders', messages('bad', '1', '2'))
        await waitFor(async () => expect(await bus.parked('g')).toHaveLength(2))
        bus = await world.reopen()
        const { ids, fault } = await parking()
        await bus.publish('orders', [...messages('bad', '3'), ...messages('good', 'g1')])
        await waitFor(async () => expect(await bus.parked('g')).toHaveLength(3))
        await waitFor(() => expect(ids()).toEqual(['g1']))
        fault.broken = false
        expect(await bus.replayParked('g', 'bad')).toBe(3)
        await waitFor(() => expect(ids()).toEqual(['g1', '1', '2', '3']))
      })
    })

    describe('health', () => {
      const becomes = (healthy: boolean) => waitFor(() => expect(bus.healthy()).toBe(healthy))
      const longerThanItsPatience = () => new Promise((resolve) => setTimeout(resolve, 2 * testUnhealthyAfterMs))

      it('given nobody follows, and then a group that has nothing to do, when time passes, then it is healthy', async () => {
        expect(bus.healthy()).toBe(true)
        await follow({})
        await longerThanItsPatience()
        await becomes(true)
      })

      it('given handlers that are slow, fail and park, when time passes, then it is healthy', async () => {
        const { seen } = await follow({
          answer: ({ message }) => {
            if (message.key === 'slow') return longerThanItsPatience().then(() => done)
            return message.key === 'bad'
              ? { kind: 'retry', error: new AssayError('unavailable', 'its store is away') }
              : { kind: 'park', reason: 'odd' }
          },
        })
        await bus.publish(
          'orders',
          ['slow', 'bad', 'odd'].map((key) => testMessage(key, key)),
        )
        await waitFor(() => expect(new Set(seen.map(({ message }) => message.key)).size).toBe(3))
        await becomes(true)
        await longerThanItsPatience()
        await becomes(true)
      })

      it('given what it stands on answers no more, when time passes, then it is not healthy until answers come', async () => {
        let finish = () => {}
        const gate = new Promise<void>((resolve) => {
          finish = resolve
        })
        const { ids, subscription } = await follow({ answer: () => gate.then(() => done) })
        await bus.publish('orders', messages('k', '1'))
        await waitFor(() => expect(ids()).toEqual(['1']))
        await becomes(true)
        world.standStill()
        try {
          finish()
          await becomes(false)
        } finally {
          world.goOn()
        }
        await becomes(true)
        await bus.publish('orders', messages('k', '2'))
        await waitFor(() => expect(ids()).toEqual(['1', '2']))
        await handledAll(subscription)
      })

      it('given a bus that is closed, when asked, then it is not healthy, and the next one over its data is', async () => {
        await follow({})
        await bus.close()
        expect(bus.healthy()).toBe(false)
        bus = await world.reopen()
        expect(bus.healthy()).toBe(true)
      })
    })

    describe('lag', () => {
      it('given messages that wait, when asked, then they are counted until they are handled', async () => {
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
  })
}
