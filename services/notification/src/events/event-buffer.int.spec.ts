import { publicTopics } from '@assay/contracts'
import type { Documents } from '@assay/documents'
import { createNumberBlocks } from '@assay/event-store'
import { openStores } from '@assay/hosting/testing'
import type { Delivery, Outcome } from '@assay/message-bus'
import { AssayError } from '@assay/service-kit/errors'
import { systemTimers } from '@assay/service-kit/node'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { publicEventNumbers, publicEvents } from './collection.ts'
import { createEventBuffer } from './event-buffer.ts'

const clock = { time: 1_000_000, now: () => clock.time }
let stores: Awaited<ReturnType<typeof openStores>>
beforeEach(async () => {
  stores = await openStores({ name: 'notification', collections: [publicEvents, publicEventNumbers], clock })
})
afterEach(() => stores.close())

/** A replica. Returns a function that delivers a message to it. */
async function replica(writer: string, put: Documents['put'] = (puts) => stores.documents.put(puts), isSole = false) {
  let handle: ((delivery: Delivery) => Promise<Outcome>) | undefined
  const bus = {
    ...stores.bus,
    subscribe: async (options: { handle: typeof handle }) => {
      handle = options.handle
      return { lag: async () => 0, close: async () => undefined }
    },
  }
  const numbers = createNumberBlocks({
    store: stores.store,
    clock,
    timers: systemTimers,
    newId: () => crypto.randomUUID(),
  })
  const { get, find } = stores.documents
  const buffer = createEventBuffer({ bus, documents: { put, get, find }, numbers, clock, writer, isSole })
  await buffer.subscribe()
  return async (id: string) => {
    const event = { specversion: '1.0', id, source: '/assay/catalog', type: 'x', subject: 'asset/1', tenant: 't' }
    const data = { ...event, time: 'now', datacontenttype: 'application/json', data: {} }
    const message = { id, key: '1', type: 'x', tenant: 't', time: 'now', position: '1', data }
    return handle?.({ topic: publicTopics.assets, message, attempt: 1 })
  }
}

/** Runs `before` ahead of each put of an event, and of no other. */
const puttingEvents =
  (before: () => Promise<void>): Documents['put'] =>
  async (puts) => {
    if (puts.some(({ collection }) => collection.name === publicEvents.name)) await before()
    await stores.documents.put(puts)
  }

async function kept() {
  const found = await stores.documents.find(publicEvents, 't', {
    sort: [{ field: 'storedAt', direction: 'asc' }],
    size: 9,
  })
  return found.documents.map(({ eventId, writer }) => `${eventId} by ${writer}`)
}

test('given kept events, when they are delivered again, to another replica and in another order, then nothing changes', async () => {
  const [one, other] = [await replica('one'), await replica('other')]
  for (const take of [one, other]) for (const id of ['a', 'b', 'c']) await take(id)
  for (const id of ['c', 'b', 'a']) await other(id)
  expect(await kept()).toEqual(['a by one', 'b by one', 'c by one'])
})

test('given the only process, when events are delivered again, even to the next one, then each is kept once, by one put', async () => {
  let puts = 0
  const counted: Documents['put'] = (some) => {
    puts += 1
    return stores.documents.put(some)
  }
  for (const writer of ['one', 'next']) {
    const take = await replica(writer, counted, true)
    for (const id of ['a', 'b', 'c', 'b', 'a']) await take(id)
  }
  expect([await kept(), puts]).toEqual([['a by one', 'b by one', 'c by one'], 3])
})

test('given many concurrent events, delivered to two replicas and twice to each, then each is kept once', async () => {
  const replicas = [await replica('one'), await replica('other')]
  const ids = Array.from({ length: 40 }, (_, index) => `e${index}`)
  for (let round = 0; round < 2; round += 1) await Promise.all(replicas.flatMap((take) => ids.map((id) => take(id))))
  const found = await stores.documents.find(publicEvents, 't', { size: 99 })
  expect(found.documents.map(({ eventId }) => eventId).toSorted()).toEqual(ids.toSorted())
})

test('given a replica that was paused while another one kept the same event, when it continues, then nothing changes', async () => {
  const held = Promise.withResolvers<void>()
  const reached = Promise.withResolvers<void>()
  const slow = await replica(
    'slow',
    puttingEvents(() => {
      reached.resolve()
      return held.promise
    }),
  )
  const other = await replica('other')
  const late = slow('a')
  await reached.promise
  clock.time += 10_000
  for (const id of ['a', 'b']) await other(id)
  held.resolve()
  await late
  expect(await kept()).toEqual(['a by other', 'b by other'])
})

test('given two replicas whose puts are both slow, when both keep the same event, then it stays before the next event', async () => {
  const both = Promise.withResolvers<void>()
  let waiting = 0
  const slowly = () => {
    clock.time += 10_000
    waiting += 1
    if (waiting === 2) both.resolve()
    return both.promise
  }
  const [one, other] = [await replica('one', puttingEvents(slowly)), await replica('other', puttingEvents(slowly))]
  const first = one('a')
  await other('a')
  await other('b')
  await first
  const found = await kept()
  expect(found.map((each) => each.slice(0, 1))).toEqual(['a', 'b'])
})

test('given a put that took effect without an answer, when another replica continues before the retry, then the order stays', async () => {
  let isLost = true
  const paused = await replica('paused', async (puts) => {
    await stores.documents.put(puts)
    if (!isLost || !puts.some(({ collection }) => collection.name === publicEvents.name)) return
    isLost = false
    throw new AssayError('unavailable', 'No answer came.')
  })
  const other = await replica('other')
  await expect(paused('a')).rejects.toThrow('No answer came.')
  clock.time += 20_000
  for (const id of ['a', 'b']) await other(id)
  clock.time += 1_000
  await paused('a')
  expect(await kept()).toEqual(['a by paused', 'b by other'])
})

test('given a replica that is paused while it retries a put without an answer, when another continues, then the order stays', async () => {
  const held = Promise.withResolvers<void>()
  const reached = Promise.withResolvers<void>()
  let tries = 0
  const paused = await replica('paused', async (puts) => {
    if (!puts.some(({ collection }) => collection.name === publicEvents.name)) return stores.documents.put(puts)
    tries += 1
    if (tries === 2) {
      reached.resolve()
      await held.promise
    }
    await stores.documents.put(puts)
    if (tries === 1) throw new AssayError('unavailable', 'No answer came.')
  })
  const other = await replica('other')
  await expect(paused('a')).rejects.toThrow('No answer came.')
  const retry = paused('a')
  await reached.promise
  clock.time += 20_000
  for (const id of ['a', 'b']) await other(id)
  clock.time += 1_000
  held.resolve()
  await retry
  expect(await kept()).toEqual(['a by paused', 'b by other'])
})

test('given a put that takes so long that readers pass its time, then the event gets a new time', async () => {
  let slow = 1
  const take = await replica(
    'one',
    puttingEvents(async () => {
      clock.time += slow-- > 0 ? 8_000 : 0
    }),
  )
  await take('a')
  const found = await stores.documents.find(publicEvents, 't', { size: 9 })
  expect(found.documents.map(({ storedAt }) => storedAt)).toEqual([clock.time])
})

test.each([
  ['took effect', true],
  ['takes effect later', false],
])(
  'given a put that %s without an answer, when it is retried, then the event is kept once, with its new time',
  async (_, atOnce) => {
    let lost: (() => Promise<void>) | undefined
    let tries = 0
    const take = await replica('one', async (puts) => {
      if (!puts.some(({ collection }) => collection.name === publicEvents.name)) return stores.documents.put(puts)
      tries += 1
      if (tries > 1) return stores.documents.put(puts)
      if (atOnce) await stores.documents.put(puts)
      else lost = () => stores.documents.put(puts)
      throw new AssayError('unavailable', 'No answer came.')
    })
    await expect(take('a')).rejects.toThrow('No answer came.')
    clock.time += 20_000
    await take('a')
    await lost?.()
    const found = await stores.documents.find(publicEvents, 't', { size: 9 })
    expect(found.documents.map(({ eventId, storedAt }) => [eventId, storedAt])).toEqual([['a', clock.time]])
  },
)
