import { setImmediate } from 'node:timers/promises'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { maxBatchBytes, maxEventBytes } from '../limits.ts'
import { outcomeOf } from './append.features.ts'
import type { StoreHandle } from './event-store.features.ts'
import { freshStream, newEvent, newEvents } from './new-events.ts'

/** Data whose JSON text is `bytes` long. */
const dataOf = (bytes: number): { text: string } => ({ text: 'x'.repeat(bytes - '{"text":""}'.length) })

export function contentFeatures(handle: StoreHandle): void {
  describe('the content of events', () => {
    it('when an event is read, then it equals the written one, with its position and the time of recording', async () => {
      const { stream } = freshStream()
      const event = newEvent({ nested: { list: [1, 'two', null, true, 1.5e300] }, absent: undefined })
      event.metadata = { ...event.metadata, accessKey: 'key', correlationId: 'c', causationId: 'd', traceparent: 'tp' }
      const { position } = await handle.store().append(stream, [event], 'none')
      const { events } = await handle.store().read(stream)
      const { absent, ...data } = event.data
      expect(absent).toBeUndefined()
      expect(events).toEqual([{ ...event, data, stream, revision: 0, position, recordedAt: expect.any(String) }])
      expect(events[0]?.recordedAt).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    })

    it.each([
      'ä',
      '日本語',
      '😀',
      'e\u0301',
      '\u202eright',
      "'; DROP TABLE event; --",
      '\u0000\u0001',
      '\ud800',
      '__proto__',
    ])('when data has %j as value and as key, then it is read unchanged', async (text) => {
      const { stream } = freshStream()
      const data = JSON.parse(JSON.stringify({ value: text, [`k${text}`]: [text] }))
      await handle.store().append(stream, [newEvent(data)], 'none')
      expect((await handle.store().read(stream)).events[0]?.data).toEqual(data)
    })

    it.each(['ä', '日本語', '😀', 'e\u0301', 'with space', "o'clock", '%', 'a-b/c', '\u202e'])(
      'when a stream and a type are named %j, then both are found under exactly that name',
      async (text) => {
        const { other } = freshStream()
        await handle.store().append(other(text), [newEvent({}, text)], 'none')
        const { events, revision } = await handle.store().read(other(text))
        expect([events[0]?.stream, events[0]?.type, revision]).toEqual([other(text), text, 0])
        expect((await handle.store().read(other(`${text}x`))).revision).toBe(-1)
      },
    )

    it('given names that differ only in the form of their Unicode, then they are different streams', async () => {
      const { other } = freshStream()
      await handle.store().append(other('\u00e9'), [newEvent()], 'none')
      expect((await handle.store().read(other('e\u0301'))).revision).toBe(-1)
    })

    it('law: any JSON is read unchanged', async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.array(fc.jsonValue({ stringUnit: 'binary' }), { minLength: 1, maxLength: 5 }),
          async (values) => {
            const { stream } = freshStream()
            const events = values.map((value) => newEvent({ value: JSON.parse(JSON.stringify(value)) }))
            await handle.store().append(stream, events, 'none')
            const read = await handle.store().read(stream)
            expect(read.events.map((event) => event.data)).toEqual(events.map((event) => event.data))
          },
        ),
        { numRuns: 25 },
      )
    })

    it('when an event has 1 MiB, then it is accepted, and one byte more is refused with nothing written', async () => {
      const { stream } = freshStream()
      const store = handle.store()
      expect(await outcomeOf(store.append(stream, [newEvent(), newEvent(dataOf(maxEventBytes + 1))], 'none'))).toBe(
        'too-large',
      )
      expect((await store.read(stream)).revision).toBe(-1)
      await store.append(stream, [newEvent(dataOf(maxEventBytes))], 'none')
      expect((await store.read(stream)).events[0]?.data).toEqual(dataOf(maxEventBytes))
    })

    it('when a batch has more than 4 MiB, then it is refused with nothing written', async () => {
      const { stream } = freshStream()
      const batch = Array.from({ length: 5 }, () => newEvent(dataOf(maxBatchBytes / 5 + 1)))
      expect(await outcomeOf(handle.store().append(stream, batch, 'none'))).toBe('too-large')
      expect((await handle.store().read(stream)).revision).toBe(-1)
      expect(await outcomeOf(handle.store().append(stream, batch.slice(1), 'none'))).toBe('appended')
    })
  })

  describe('reading a stream', () => {
    it('given no stream, then a read returns no events and revision -1', async () => {
      expect(await handle.store().read(freshStream().stream)).toEqual({ events: [], revision: -1 })
    })

    it('given ten events, when some are read, then exactly those are returned, with the revision of the last event', async () => {
      const { stream } = freshStream()
      await handle.store().append(stream, newEvents(10), 'none')
      const revisions = async (range: { from?: number; limit?: number }): Promise<unknown> => {
        const { events, revision } = await handle.store().read(stream, range)
        return [events.map((event) => event.revision), revision]
      }
      expect(await revisions({ from: 7 })).toEqual([[7, 8, 9], 9])
      expect(await revisions({ from: 2, limit: 3 })).toEqual([[2, 3, 4], 9])
      expect(await revisions({ limit: 1 })).toEqual([[0], 9])
      expect(await revisions({ from: 10 })).toEqual([[], 9])
    })

    it('given a concurrent writer, when a reader continues after its last event, then the returned revision is that of the last returned event', async () => {
      const { stream } = freshStream()
      await handle.store().append(stream, newEvents(1), 'none')
      let isWriting = true
      const writing = (async () => {
        for (let revision = 0; revision < 150; revision++) await handle.store().append(stream, newEvents(1), revision)
        isWriting = false
      })()
      for (let known = 0; isWriting; ) {
        const { events, revision } = await handle.store().read(stream, { from: known + 1 })
        expect(revision).toBe(events.at(-1)?.revision ?? known)
        known = revision
        // A store that answers synchronously would starve the writer.
        await setImmediate()
      }
      await writing
    })

    it('given a stream of 3,000 events, then all of them are read back in order', async () => {
      const { stream } = freshStream()
      for (let n = 0; n < 3_000; n += 500) {
        const batch = Array.from({ length: 500 }, (_, k) => newEvent({ n: n + k }))
        await handle.store().append(stream, batch, n === 0 ? 'none' : n - 1)
      }
      const { events, revision } = await handle.store().read(stream)
      expect([events.length, revision]).toEqual([3_000, 2_999])
      expect(events.every((event, n) => event.revision === n && event.data.n === n)).toBe(true)
    })
  })
}
