import { publicTopics } from '@assay/contracts'
import type { Documents } from '@assay/documents'
import { createNumberBlocks } from '@assay/event-store'
import { openStores } from '@assay/hosting/testing'
import type { Delivery, Outcome } from '@assay/message-bus'
import { AssayError } from '@assay/service-kit/errors'
import { systemTimers } from '@assay/service-kit/node'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { publicEvents } from './collection.ts'
import { createEventKeeping } from './keeping.ts'

const clock = { time: 1_000_000, now: () => clock.time }
let stores: Awaited<ReturnType<typeof openStores>>
beforeEach(async () => {
  stores = await openStores({ name: 'notification', collections: [publicEvents], clock })
})
afterEach(() => stores.close())

/** A replica. Answers a function that delivers a message to it, like a bus without deduplication. */
async function replica(
  writer: string,
  put: Documents['put'] = (puts) => stores.documents.put(puts),
  onFind: () => void = () => undefined,
) {
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
  const find: Documents['find'] = (...query) => {
    onFind()
    return stores.documents.find(...query)
  }
  const documents = { put, find }
  const keeping = createEventKeeping({ bus, documents, numbers, clock, writer })
  await keeping.subscribe()
  return async (id: string) => {
    const event = { specversion: '1.0', id, source: '/assay/catalog', type: 'x', subject: 'asset/1', tenant: 't' }
    const data = { ...event, time: 'now', datacontenttype: 'application/json', data: {} }
    const message = { id, key: '1', type: 'x', tenant: 't', time: 'now', position: '1', data }
    return handle?.({ topic: publicTopics.assets, message, attempt: 1 })
  }
}

async function kept() {
  const found = await stores.documents.find(publicEvents, 't', {
    sort: [{ field: 'storedAt', direction: 'asc' }],
    size: 9,
  })
  return found.documents.map(({ eventId, writer }) => `${eventId} by ${writer}`)
}

test('given kept events, when they arrive again, also at another replica and in another order, then nothing changes', async () => {
  const [one, other] = [await replica('one'), await replica('other')]
  for (const take of [one, other]) for (const id of ['a', 'b', 'c']) await take(id)
  for (const id of ['c', 'b', 'a']) await other(id)
  expect(await kept()).toEqual(['a by one', 'b by one', 'c by one'])
})

test('given many events at once, some of them twice, when they are kept, then each is kept once, with few queries', async () => {
  let finds = 0
  const take = await replica('one', undefined, () => {
    finds += 1
  })
  const ids = Array.from({ length: 40 }, (_, index) => `e${index}`)
  await Promise.all(ids.map(take))
  await Promise.all(ids.map(take))
  const found = await stores.documents.find(publicEvents, 't', { size: 99 })
  expect(found.documents.map(({ eventId }) => eventId).toSorted()).toEqual(ids.toSorted())
  expect(finds).toBeLessThan(10)
})

test('given a replica that was paused while another one kept its event, when it continues, then the event is kept once', async () => {
  const held = Promise.withResolvers<void>()
  const reached = Promise.withResolvers<void>()
  const slow = await replica('slow', async (puts) => {
    reached.resolve()
    await held.promise
    await stores.documents.put(puts)
  })
  const other = await replica('other')
  const late = slow('a')
  await reached.promise
  clock.time += 10_000
  await other('a')
  held.resolve()
  await late
  expect(await kept()).toEqual(['a by other'])
})

test.each([
  ['has happened', true],
  ['happens only later', false],
])(
  'given a put without an answer that %s, when it is retried, then the event is kept once, with its new time',
  async (_, atOnce) => {
    let lost: (() => Promise<void>) | undefined
    let tries = 0
    const take = await replica('one', async (puts) => {
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
