import { isAssayError } from '@assay/service-kit/errors'
import { describe, expect, it } from 'vitest'
import type { ExpectedRevision } from '../port.ts'
import type { StoreHandle } from './event-store.features.ts'
import { freshStream, newEvent, newEvents } from './new-events.ts'

/** The code with which `promise` rejects, or `appended`. Errors without a code fail the test. */
export async function outcomeOf(promise: Promise<unknown>): Promise<string> {
  try {
    await promise
    return 'appended'
  } catch (error) {
    if (isAssayError(error)) return error.code
    throw error
  }
}

export function appendFeatures(handle: StoreHandle): void {
  const idsOf = async (stream: string): Promise<string[]> =>
    (await handle.store().read(stream)).events.map((event) => event.id)

  describe('expected revisions', () => {
    const onAbsent: [ExpectedRevision, string][] = [
      ['none', 'appended'],
      ['any', 'appended'],
      ['exists', 'conflict'],
      [0, 'conflict'],
      [3, 'conflict'],
    ]
    it.each(onAbsent)('given no stream, when appending with %j expected, then %s', async (expected, outcome) => {
      const { stream } = freshStream()
      expect(await outcomeOf(handle.store().append(stream, [newEvent()], expected))).toBe(outcome)
      expect(await idsOf(stream)).toHaveLength(outcome === 'appended' ? 1 : 0)
    })

    const onThree: [ExpectedRevision, string][] = [
      ['none', 'conflict'],
      ['any', 'appended'],
      ['exists', 'appended'],
      [2, 'appended'],
      [1, 'conflict'],
      [3, 'conflict'],
    ]
    it.each(onThree)('given three events, when appending with %j expected, then %s', async (expected, outcome) => {
      const { stream } = freshStream()
      await handle.store().append(stream, newEvents(3), 'none')
      expect(await outcomeOf(handle.store().append(stream, newEvents(2), expected))).toBe(outcome)
      expect(await idsOf(stream)).toHaveLength(outcome === 'appended' ? 5 : 3)
    })

    it('given three events, when two are appended, then the answer has the last revision and its position', async () => {
      const { stream } = freshStream()
      const first = await handle.store().append(stream, newEvents(3), 'none')
      const second = await handle.store().append(stream, newEvents(2), first.revision)
      const { events, revision } = await handle.store().read(stream)
      expect([first.revision, second.revision, revision]).toEqual([2, 4, 4])
      expect(events.map((event) => event.revision)).toEqual([0, 1, 2, 3, 4])
      expect([events[2]?.position, events[4]?.position]).toEqual([first.position, second.position])
    })

    it('when no events are appended, then the append is refused', async () => {
      expect(await outcomeOf(handle.store().append(freshStream().stream, [], 'any'))).toBe('invalid')
    })

    it.each(['', 'acme', 'acme/policy', '/policy-1', 'acme/-1', 'acme/policy-', 'acme/policy-\ud800'])(
      'when the name of the stream is %j, then the append is refused',
      async (stream) => {
        expect(await outcomeOf(handle.store().append(stream, [newEvent()], 'any'))).toBe('invalid')
      },
    )
  })

  describe('repeated appends (the same ids at the same expected revision)', () => {
    it('given six events, when any first part of a batch is appended again, then the append succeeds and adds nothing', async () => {
      const { stream } = freshStream()
      const events = newEvents(6)
      const [e0, e1, e2] = events
      if (!e0 || !e1 || !e2) throw new RangeError('six events were made')
      const store = handle.store()
      const first = await store.append(stream, [e0, e1], 'none')
      await store.append(stream, [e2], 1)
      await store.append(stream, events.slice(3), 2)
      expect(await store.append(stream, [e0, e1], 'none')).toEqual(first)
      expect((await store.append(stream, [e0], 'none')).revision).toBe(0)
      expect(await store.append(stream, [e1], 0)).toEqual(first)
      expect((await store.append(stream, events.slice(3), 2)).revision).toBe(5)
      expect(await idsOf(stream)).toEqual(events.map((event) => event.id))
    })

    it.each(['any', 'exists'] as const)(
      'when a batch is appended again with %j expected, then nothing is added',
      async (expected) => {
        const { stream } = freshStream()
        const store = handle.store()
        await store.append(stream, newEvents(1), 'none')
        const batch = newEvents(2)
        const first = await store.append(stream, batch, expected)
        expect(await store.append(stream, batch, expected)).toEqual(first)
        expect(await idsOf(stream)).toHaveLength(3)
      },
    )

    it('when a batch has earlier events and a new one, then the append is a conflict and writes nothing', async () => {
      const { stream } = freshStream()
      const events = newEvents(2)
      await handle.store().append(stream, events, 'none')
      expect(await outcomeOf(handle.store().append(stream, [...events, newEvent()], 'none'))).toBe('conflict')
      expect(await idsOf(stream)).toHaveLength(2)
    })

    it('when an earlier event is appended at another revision, then the append is a conflict', async () => {
      const { stream } = freshStream()
      const events = newEvents(6)
      await handle.store().append(stream, events, 'none')
      expect(await outcomeOf(handle.store().append(stream, events.slice(0, 1), 4))).toBe('conflict')
      expect(await outcomeOf(handle.store().append(stream, events.slice(0, 1), 6))).toBe('conflict')
    })

    it('when two writers send the same append concurrently, then both succeed and the events are stored once', async () => {
      const { stream } = freshStream()
      const batch = newEvents(3)
      const answers = await Promise.all([1, 2].map(() => handle.store().append(stream, batch, 'none')))
      expect(answers[0]).toEqual(answers[1])
      expect(await idsOf(stream)).toEqual(batch.map((event) => event.id))
    })
  })

  describe('many writers', () => {
    it('given 16 writers of one stream that retry on conflict, then all events are stored once, without a gap', async () => {
      const { stream } = freshStream()
      const write = async (): Promise<string> => {
        const event = newEvent()
        for (;;) {
          const { revision } = await handle.store().read(stream, { from: 1_000_000 })
          const expected = revision === -1 ? 'none' : revision
          if ((await outcomeOf(handle.store().append(stream, [event], expected))) === 'appended') return event.id
        }
      }
      const written = await Promise.all(Array.from({ length: 16 }, write))
      const { events } = await handle.store().read(stream)
      expect(events.map((event) => event.revision)).toEqual(written.map((_, n) => n))
      expect(events.map((event) => event.id).sort()).toEqual([...written].sort())
    }, 240_000)

    it('given a batch that conflicts among others that do not, then only that batch is missing', async () => {
      const { stream, other } = freshStream()
      await handle.store().append(stream, newEvents(1), 'none')
      const outcomes = await Promise.all([
        outcomeOf(handle.store().append(other('a'), newEvents(2), 'none')),
        outcomeOf(handle.store().append(stream, newEvents(3), 'none')),
        outcomeOf(handle.store().append(other('b'), newEvents(2), 'none')),
      ])
      expect(outcomes).toEqual(['appended', 'conflict', 'appended'])
      expect(await idsOf(stream)).toHaveLength(1)
    })
  })
}
