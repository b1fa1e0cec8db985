import { describe, expect, it } from 'vitest'
import type { EventStore, Position } from '../port.ts'
import type { StoreHandle } from './event-store.features.ts'
import { freshStream, newEvent, newEvents } from './new-events.ts'

export function subscriptionFeatures(handle: StoreHandle): void {
  /**
   * Subscribes to `category` until `count` events have arrived. Returns their ids and the position to continue from.
   */
  async function follow(store: EventStore, category: string, count: number, after?: Position) {
    const stop = new AbortController()
    const ids: string[] = []
    let position = after
    for await (const slice of store.subscribe({ categories: [category], after, signal: stop.signal })) {
      ids.push(...slice.events.map((event) => event.id))
      position = slice.position
      if (ids.length >= count) stop.abort()
    }
    return { ids, position }
  }

  describe('subscriptions', () => {
    it('given earlier and later events, then all arrive in order', async () => {
      const { category, stream } = freshStream()
      const events = newEvents(20)
      await handle.store().append(stream, events.slice(0, 10), 'none')
      const following = follow(handle.store(), category, 20)
      for (const event of events.slice(10)) await handle.store().append(stream, [event], 'any')
      expect((await following).ids).toEqual(events.map((event) => event.id))
    })

    it('given constant writes and a store that is reopened, then each event arrives once', async () => {
      const { category, other } = freshStream()
      const written: string[] = []
      const write = async (name: string, count: number): Promise<void> => {
        for (let n = 0; n < count; n++) {
          const event = newEvent()
          await handle.store().append(other(name), [event], 'any')
          written.push(event.id)
        }
      }
      const writing = Promise.all(['a', 'b', 'c', 'd'].map((name) => write(name, 50)))
      const first = await follow(handle.store(), category, 30)
      await writing
      await handle.reopen()
      const more = Promise.all(['a', 'e'].map((name) => write(name, 50)))
      const second = await follow(handle.store(), category, 300 - first.ids.length, first.position)
      await more
      const seen = [...first.ids, ...second.ids]
      expect([...seen].sort()).toEqual([...written].sort())
    })

    it('when the log is empty, then an empty first batch is yielded immediately', async () => {
      const stop = new AbortController()
      const { category } = freshStream()
      const slices: number[] = []
      for await (const slice of handle.store().subscribe({ categories: [category], signal: stop.signal })) {
        slices.push(slice.events.length)
        if (slice.atEnd) stop.abort()
      }
      expect(slices.every((count) => count === 0)).toBe(true)
      expect(slices.length).toBeGreaterThan(0)
    })

    it('when a subscription is aborted while it waits, then it ends', async () => {
      const stop = new AbortController()
      const { category } = freshStream()
      let batches = 0
      const over = (async () => {
        for await (const slice of handle.store().subscribe({ categories: [category], signal: stop.signal })) {
          batches += 1
          if (slice.atEnd) setImmediate(() => stop.abort())
        }
      })()
      await over
      expect(batches).toBeGreaterThan(0)
    })

    it('when a subscription is aborted before it starts, then it ends without reading', async () => {
      for await (const _ of handle.store().subscribe({ signal: AbortSignal.abort() })) expect.unreachable()
    })
  })
}
