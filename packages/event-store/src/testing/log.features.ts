import { describe, expect, it } from 'vitest'
import { comparePositions, type Position, type RecordedEvent } from '../port.ts'
import type { StoreHandle } from './event-store.features.ts'
import { freshStream, newEvent, newEvents } from './new-events.ts'

export function logFeatures(handle: StoreHandle): void {
  /** All events of `categories`, read in pages of `limit`. */
  async function readLog(categories: readonly string[], limit: number, from?: Position): Promise<RecordedEvent[]> {
    const events: RecordedEvent[] = []
    for (let after = from; ; ) {
      const slice = await handle.store().readAll({ categories, after, limit })
      expect(slice.events.length).toBeLessThanOrEqual(limit)
      events.push(...slice.events)
      if (slice.atEnd) return events
      if (after !== undefined) expect(comparePositions(slice.position, after)).toBeGreaterThan(0)
      after = slice.position
    }
  }

  describe('the whole log', () => {
    it('when the log is read by category, then it returns exactly the streams of that category, of all tenants', async () => {
      const [one, two] = [freshStream(), freshStream()]
      const store = handle.store()
      await store.append(one.stream, newEvents(2), 'none')
      await store.append(two.stream, newEvents(3), 'none')
      await store.append(`other/${one.category}-9`, newEvents(1), 'none')
      await store.append(`acme/${one.category}x-1`, newEvents(1), 'none')
      const streams = async (...categories: string[]): Promise<string[]> =>
        (await readLog(categories, 100)).map((event) => event.stream)
      expect(await streams(one.category)).toEqual([one.stream, one.stream, `other/${one.category}-9`])
      expect(await streams(one.category, two.category)).toHaveLength(6)
      expect(await streams(freshStream().category)).toEqual([])
    })

    it.each([1, 3, 100])('when the log is read in pages of %d, then each event is returned once', async (limit) => {
      const { category, other } = freshStream()
      const start = (await handle.store().append(other('start'), newEvents(1), 'none')).position
      for (const name of ['a', 'b', 'c']) await handle.store().append(other(name), newEvents(4), 'none')
      const events = await readLog([category], limit, start)
      expect(events.map((event) => `${event.stream.at(-1)}${event.revision}`).join(' ')).toBe(
        'a0 a1 a2 a3 b0 b1 b2 b3 c0 c1 c2 c3',
      )
    })

    it('when the log is read without a filter, then it returns the events after a position', async () => {
      const { other } = freshStream()
      const { position } = await handle.store().append(other('a'), newEvents(1), 'none')
      const added = newEvent()
      await handle.store().append(other('b'), [added], 'none')
      const { events } = await handle.store().readAll({ after: position })
      expect(events.map((event) => event.id)).toContain(added.id)
    })

    it('given 100 concurrent writers, then positions increase, revisions have no gap, and batches stay together', async () => {
      const { category, other } = freshStream()
      const write = async (n: number): Promise<void> => {
        for (let k = 0; k < 5; k++) await handle.store().append(other(String(n % 20)), newEvents(2), 'any')
      }
      await Promise.all(Array.from({ length: 100 }, (_, n) => write(n)))
      const events = await readLog([category], 77)
      expect(events).toHaveLength(1000)
      const next = new Map<string, number>()
      for (const [n, event] of events.entries()) {
        const before = events[n - 1]
        if (before) expect(comparePositions(before.position, event.position)).toBeLessThan(0)
        expect(event.revision).toBe(next.get(event.stream) ?? 0)
        next.set(event.stream, event.revision + 1)
      }
    })
  })
}
