import { createSqliteDocuments } from '@assay/documents/sqlite'
import { openDatabase } from '@assay/sqlite'
import { beforeEach, expect, it } from 'vitest'
import {
  createParkedMessages,
  type ParkedEntry,
  type ParkedMessages,
  parkedCollections,
  released,
} from './parked-messages.ts'
import { testMessage } from './testing/index.ts'

let store: ParkedMessages
/** The collections of which documents were read. */
let read: Set<string>

beforeEach(() => {
  read = new Set()
  const documents = createSqliteDocuments({
    database: openDatabase({ path: ':memory:' }),
    collections: parkedCollections,
  })
  store = createParkedMessages({
    put: documents.put,
    get(collection, ...rest) {
      read.add(collection.name)
      return documents.get(collection, ...rest)
    },
    find(collection, tenant, query) {
      if (query.size > 0) read.add(collection.name)
      return documents.find(collection, tenant, query)
    },
    scan(collection, options) {
      read.add(collection.name)
      return documents.scan(collection, options)
    },
  })
})

const where = { group: 'g', topic: 'orders', partition: 0 }
const body = { value: Buffer.from([0, 255, 10]), headers: { id: '1' } }

function entry(order: number, key = 'k'): ParkedEntry {
  const { data: _, ...message } = testMessage(key, String(order))
  return { id: `g ${order}`, revision: 0, ...where, key, order, reason: 'odd', isReleased: false, message }
}

it('given parked messages, when they are counted and listed, then they are in order, and no bodies are read', async () => {
  await store.write([11, 9, 10].map((order) => ({ entry: entry(order), body })))
  expect([await store.parkedCount('g'), await store.parkedCount('other'), [...read]]).toEqual([3, 0, []])
  expect((await store.parked('g')).map(({ message }) => message.id)).toEqual(['9', '10', '11'])
  expect([...read]).toEqual(['parked_messages'])
  expect(await store.body('g 9')).toEqual(body)
})

it('given a released key, when some of its messages are handled, then its other messages are released and no longer parked', async () => {
  await store.write([entry(1), entry(2), entry(3, 'other')].map((each) => ({ entry: each, body })))
  expect(await store.replayParked('g', ['k'])).toBe(2)
  expect(await store.replayParked('g', ['k'])).toBe(0)
  expect(await store.released('g')).toEqual([{ topic: 'orders', partition: 0, key: 'k' }])
  const [first] = await store.ofPartition(where)
  if (first === undefined) throw new Error('It was parked.')
  await store.write([{ entry: first, isHandled: true }])
  expect((await store.ofPartition(where)).map(({ order, isReleased }) => [order, isReleased])).toEqual([
    [2, true],
    [3, false],
  ])
  expect([await store.parkedCount('g'), await store.body('g 1')]).toEqual([1, undefined])
})

it('given very many released messages of one key, when a message of another key is released, then both keys are found', async () => {
  const busy = Array.from({ length: 1001 }, (_, order) => entry(order, 'busy'))
  await store.write([...busy, entry(9999, 'other')].map((each) => ({ entry: released(each, true) })))
  expect((await store.released('g')).map(({ key }) => key)).toEqual(['busy', 'other'])
})

it('given a handled message, when an earlier member parks it late, then it is not parked', async () => {
  await store.write([{ entry: entry(1), body }])
  await store.replayParked('g', ['k'])
  const [before] = await store.ofPartition(where)
  if (before === undefined) throw new Error('It was parked.')
  await store.write([{ entry: before, isHandled: true }])
  await store.write([{ entry: entry(1), body }])
  await store.write([{ entry: released(before, false) }])
  expect(await store.ofPartition(where)).toEqual([])
})

it('given a message that two members have, when one parks it again and the other handles it, then it is handled', async () => {
  await store.write([{ entry: entry(1), body }])
  await store.replayParked('g', ['k'])
  const [ofBoth] = await store.ofPartition(where)
  if (ofBoth === undefined) throw new Error('It was parked.')
  await store.write([{ entry: released(ofBoth, false) }])
  await store.write([{ entry: ofBoth, isHandled: true }])
  expect([await store.ofPartition(where), await store.body('g 1')]).toEqual([[], undefined])
})
