import { documentPut } from '@assay/documents'
import { openStores } from '@assay/hosting/testing'
import { systemTimers } from '@assay/service-kit/node'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { type KeptEvent, publicEventNumbers, publicEvents } from './collection.ts'
import type { Audience } from './frames.ts'
import { createEventReader, latenessMs, type PageReader } from './reader.ts'
import { followTail, type Tail } from './tail.ts'
import { type EventReader, newReader, tailReader } from './tail-reader.ts'
import { createTails } from './tails.ts'

const clock = { time: 1_000_000, now: () => clock.time }
let stores: Awaited<ReturnType<typeof openStores>>
let ending: AbortController
let settled: number
let isBroken: boolean
const kept = new Set<() => void>()
const buffer = {
  writer: 'here',
  settledUntil: () => settled,
  onKept: (listener: () => void) => {
    kept.add(listener)
    return () => kept.delete(listener)
  },
}
const documents: Pick<typeof stores.documents, 'find'> = {
  find: (...asked) => (isBroken ? Promise.reject(new Error('no database')) : stores.documents.find(...asked)),
}

beforeEach(async () => {
  stores = await openStores({ name: 'notification', collections: [publicEvents, publicEventNumbers], clock })
  ending = new AbortController()
  settled = 1_000_000
  isBroken = false
})
afterEach(async () => {
  ending.abort()
  await stores.close()
})

const until = (check: () => void | Promise<void>) => vi.waitFor(check, { timeout: 10_000, interval: 5 })
const follow = (tenant: string, signal: AbortSignal) =>
  followTail({ documents, buffer, timers: systemTimers, tenant, signal })
const pagesFrom = (lastEventId?: string) => {
  const from = lastEventId === undefined ? { since: settled + 1 + latenessMs } : { lastEventId }
  return createEventReader({ documents, buffer, tenant: 't', from })
}
const everyone: Audience = { key: 'all', ownKey: 'all of ann', isShown: () => true }
const readerOf = (pages: PageReader, tail: Pick<Tail, 'latest'>) => tailReader(pages, tail, everyone)

/** Keeps the event `id`, or moves it to another time. */
async function keep(id: number, storedAt: number, { writer = 'here', tenant = 't', revision = 1 } = {}) {
  const common = { type: 'x', subject: 'asset/1' }
  const cloud = { specversion: '1.0', source: 's', time: 'now', datacontenttype: 'application/json' } as const
  const event = { ...cloud, ...common, id: String(id), tenant, data: {} }
  const topic = 'assay.catalog.assets'
  const document: KeptEvent = { eventId: String(id), storedAt, writer, topic, ...common, event }
  await stores.documents.put([documentPut(publicEvents, tenant, id, document, { revision, position: String(id) })])
}

function settle(storedAt: number) {
  settled = storedAt
  for (const listener of [...kept]) listener()
}

/** Adds to `ids` what the reader has now. */
async function drain(reader: EventReader, ids: string[]) {
  const text = ((await reader.next()) ?? []).map(({ bytes }) => String(bytes)).join('')
  ids.push(...[...text.matchAll(/^id: (.*)$/gm)].map(([, id]) => id ?? ''))
}

describe('given the tail of a tenant', () => {
  test('when two writers append while readers change over, then each reader gets each event once, in the order of each writer', async () => {
    const tail = follow('t', ending.signal)
    const readers: { reader: EventReader; ids: string[]; from: number }[] = []
    for (let id = 1; id <= 300; id += 1) {
      const writer = id % 2 === 0 ? 'here' : 'elsewhere'
      await keep(id, 1_000_000 + id, { writer })
      await keep(id, 1_000_000 + id, { writer, tenant: 'other' })
      settle(1_000_000 + id)
      if (id % 60 === 0) readers.push({ reader: readerOf(await pagesFrom(String(id)), tail), ids: [], from: id })
      for (const { reader, ids } of readers) await drain(reader, ids)
    }
    for (const { reader, ids, from } of readers) {
      const expected = Array.from({ length: 300 - from }, (_, index) => String(from + 1 + index))
      await until(async () => {
        await drain(reader, ids)
        // A resumed reader may get events of the other writer from before its last event again.
        expect(ids.filter((id) => Number(id) > from)).toEqual(expected)
      })
      expect(reader.hasCaughtUp()).toBe(true)
      expect(new Set(ids).size).toBe(ids.length)
    }
  })

  test('when an event of another replica becomes visible after later ones, then a reader on the tail gets it', async () => {
    const reader = readerOf(await pagesFrom(), follow('t', ending.signal))
    const ids: string[] = []
    await drain(reader, ids)
    expect(reader.hasCaughtUp()).toBe(true)
    await keep(2, 1_004_000)
    settle(1_004_000)
    await until(async () => {
      await drain(reader, ids)
      expect(ids).toEqual(['2'])
    })
    await keep(1, 1_000_500, { writer: 'elsewhere' })
    settle(1_004_001)
    await until(async () => {
      await drain(reader, ids)
      expect(ids).toEqual(['2', '1'])
    })
  })

  test('when an event that the tail has read moves to a later time during the change-over, then the reader gets it', async () => {
    const pages = await pagesFrom()
    const tail = follow('t', ending.signal)
    const start = tail.latest()
    await keep(1, 1_000_001)
    settle(1_000_001)
    await until(() => expect(tail.latest()).not.toBe(start))
    await keep(1, 1_003_000, { revision: 2 })
    const reader = readerOf(pages, tail)
    const ids: string[] = []
    await drain(reader, ids)
    expect([ids, reader.hasCaughtUp()]).toEqual([[], false])
    settle(1_003_000)
    await drain(reader, ids)
    expect([ids, reader.hasCaughtUp()]).toEqual([['1'], true])
  })

  test('when a reader begins on the tail, then it gets only what is kept from then on', async () => {
    const tail = follow('t', ending.signal)
    const start = tail.latest()
    await keep(1, 1_000_001)
    const reader = newReader(tail, everyone, 1_000_002)
    await keep(2, 1_000_002)
    settle(1_000_002)
    await until(() => expect(tail.latest()).not.toBe(start))
    await keep(3, 1_000_003)
    settle(1_000_003)
    const ids: string[] = []
    await until(async () => {
      await drain(reader, ids)
      expect(ids).toEqual(['2', '3'])
    })
  })

  test('when several readers show the same events, then their text is made once, and others get theirs', async () => {
    const tail = follow('t', ending.signal)
    const even: Audience = { key: 'even', ownKey: 'even', isShown: ({ eventId }) => Number(eventId) % 2 === 0 }
    const [first, second, third] = [everyone, everyone, even].map((audience) => newReader(tail, audience, 1_000_001))
    const start = tail.latest()
    for (const id of [1, 2, 3]) await keep(id, 1_000_000 + id)
    settle(1_000_003)
    await until(() => expect(tail.latest()).not.toBe(start))
    const [frames, same, other] = await Promise.all([first?.next(), second?.next(), third?.next()])
    expect(String(frames?.[0]?.bytes).match(/^id: .*$/gm)).toEqual(['id: 1', 'id: 2', 'id: 3'])
    expect(same?.[0]?.bytes).toBe(frames?.[0]?.bytes)
    expect(String(other?.[0]?.bytes).match(/^id: .*$/gm)).toEqual(['id: 2'])
  })

  test('when the database fails, then readers of the tail fail, and a reader that resumes on a new tail misses nothing', async () => {
    const tails = createTails(follow)
    const first = tails.use('t')
    const reader = readerOf(await pagesFrom(), first.tail)
    const ids: string[] = []
    await keep(1, 1_000_001)
    settle(1_000_001)
    await until(async () => {
      await drain(reader, ids)
      expect(ids).toEqual(['1'])
    })
    isBroken = true
    await keep(2, 1_000_002)
    settle(1_000_002)
    await until(() => expect(() => first.tail.latest()).toThrow('no database'))
    await expect(reader.next()).rejects.toThrow('no database')
    isBroken = false
    const second = tails.use('t')
    first.release()
    expect(second.tail).not.toBe(first.tail)
    const resumed = readerOf(await pagesFrom('1'), second.tail)
    await keep(3, 1_000_003)
    settle(1_000_003)
    await until(async () => {
      await drain(resumed, ids)
      expect(ids).toEqual(['1', '2', '3'])
    })
    second.release()
  })

  test('when a reader is slow, then it gets events that the tail does not hold any more', async () => {
    const pages: PageReader = await pagesFrom()
    const tail = follow('t', ending.signal)
    const reader = readerOf(pages, tail)
    const ids: string[] = []
    await drain(reader, ids)
    const count = 2_700
    for (let id = 1; id <= count; id += 300) {
      const before = tail.latest()
      await Promise.all(Array.from({ length: 300 }, (_, index) => keep(id + index, 1_000_000 + id + index)))
      settle(1_000_000 + id + 299)
      await until(() => expect(tail.latest()).not.toBe(before))
    }
    await until(async () => {
      await drain(reader, ids)
      expect(ids.length).toBe(count)
    })
    expect(ids).toEqual(Array.from({ length: count }, (_, index) => String(index + 1)))
  })
})
