import { beforeEach, describe, expect, it } from 'vitest'
import { type BusAdapter, done } from '../port.ts'
import { following, handledAll, type MessageBusUnderTest, messages, waitFor } from './following.ts'
import { testMessage } from './message.ts'

/** Parked keys, and how they are released. */
export function parkingFeatures(open: () => MessageBusUnderTest): void {
  let bus: BusAdapter
  beforeEach(() => {
    bus = open().bus
  })
  const follow = following(() => bus)

  describe('parking', () => {
    /** Parks the message `1` of the key `bad` while `broken` is true. */
    async function parking(group = 'g') {
      const fault = { broken: true }
      const followed = await follow({
        group,
        answer: ({ message }) =>
          message.id === '1' && fault.broken ? { kind: 'park', reason: 'cannot be read' } : done,
      })
      return { ...followed, fault }
    }

    it('given a parked message, when more messages arrive, then only messages of its key are parked', async () => {
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

    it('given a group with parked messages, then another group handles them', async () => {
      await parking('a')
      const other = await follow({ group: 'b' })
      await bus.publish('orders', messages('bad', '1', '2'))
      await waitFor(() => expect(other.ids()).toEqual(['1', '2']))
      await waitFor(async () => expect(await bus.parked('a')).toHaveLength(2))
      expect(await bus.parked('b')).toEqual([])
      expect([await bus.parkedCount('a'), await bus.parkedCount('b')]).toEqual([2, 0])
    })

    it('given parked messages, when they are replayed, then they are handled in order, before later ones, and are no longer parked', async () => {
      const { ids, seen, fault, subscription } = await parking()
      await bus.publish('orders', messages('bad', '1', '2', '3'))
      await waitFor(async () => expect(await bus.parked('g')).toHaveLength(3))
      expect(await bus.parkedCount('g')).toBe(3)
      fault.broken = false
      const replaying = bus.replayParked('g', ['bad'])
      await bus.publish('orders', messages('bad', '4'))
      expect(await replaying).toBeGreaterThanOrEqual(3)
      await waitFor(() => expect(ids()).toEqual(['1', '1', '2', '3', '4']))
      expect(seen[1]?.attempt).toBe(1)
      await handledAll(subscription)
      expect(await bus.parked('g')).toEqual([])
      expect(await bus.parkedCount('g')).toBe(0)
    })

    it('given a replay that parks again, when later messages arrive, then all messages of the key are parked in order', async () => {
      const { ids } = await parking()
      await bus.publish('orders', messages('bad', '1', '2'))
      await waitFor(async () => expect(await bus.parked('g')).toHaveLength(2))
      expect(await bus.replayParked('g', ['bad'])).toBe(2)
      await waitFor(() => expect(ids()).toEqual(['1', '1']))
      await bus.publish('orders', messages('bad', '3'))
      await waitFor(async () =>
        expect((await bus.parked('g')).map(({ message }) => message.id)).toEqual(['1', '2', '3']),
      )
      expect(ids()).toEqual(['1', '1'])
    })

    it('given a parked message, when it is dropped, then the other messages of its key are handled', async () => {
      const { ids, subscription } = await follow({
        answer: ({ message }) => (message.type === 'odd' ? { kind: 'park', reason: 'cannot be read' } : done),
      })
      const odd = (id: string) => ({ ...testMessage('bad', id), type: 'odd' })
      await bus.publish('orders', [odd('1'), ...messages('bad', '2')])
      await waitFor(async () => expect(await bus.parkedCount('g')).toBe(2))
      expect(await bus.replayParked('g', ['bad'], 'payments')).toBe(2)
      await waitFor(async () => expect(await bus.parkedCount('g')).toBe(2))
      expect(await bus.replayParked('g', ['bad'], 'orders')).toBe(2)
      await waitFor(() => expect(ids()).toEqual(['1', '1', '2']))
      await bus.publish('orders', [odd('3')])
      await waitFor(async () => expect(await bus.parkedCount('g')).toBe(1))
      expect(await bus.replayParked('g', ['bad'], 'orders')).toBe(1)
      await bus.publish('orders', messages('bad', '4'))
      await waitFor(() => expect(ids()).toEqual(['1', '1', '2', '3', '4']))
      await handledAll(subscription)
      expect(await bus.parked('g')).toEqual([])
    })

    it('given no parked messages, then a replay releases none', async () => {
      await parking()
      expect(await bus.replayParked('g', ['bad'])).toBe(0)
      expect(await bus.replayParked('unknown', ['bad'])).toBe(0)
      expect(await bus.parked('unknown')).toEqual([])
    })

    it('given a parked key, when the bus is opened again, then it is still parked and can be replayed', async () => {
      await parking()
      await bus.publish('orders', messages('bad', '1', '2'))
      await waitFor(async () => expect(await bus.parked('g')).toHaveLength(2))
      bus = await open().reopen()
      const { ids, fault } = await parking()
      await bus.publish('orders', [...messages('bad', '3'), ...messages('good', 'g1')])
      await waitFor(async () => expect(await bus.parked('g')).toHaveLength(3))
      await waitFor(() => expect(ids()).toEqual(['g1']))
      fault.broken = false
      expect(await bus.replayParked('g', ['bad'])).toBe(3)
      await waitFor(() => expect(ids()).toEqual(['g1', '1', '2', '3']))
    })
  })
}
