import { type BulkWriteResult, Collection, MongoClient, type UpdateResult } from 'mongodb'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createBulkWrite } from './bulk-write.ts'
import { limitsOf } from './limits.ts'
import type { DocumentRecord } from './record.ts'

// The driver connects on the first operation, and no test makes one.
const client = new MongoClient('mongodb://127.0.0.1:1')
const database = client.db('test')
const things = database.collection<DocumentRecord>('things')
const update = { updateOne: { filter: { _id: 'a' }, update: { $set: { revision: 1 } } } }
const insert = { insertOne: { document: {} as DocumentRecord } }

/** The writes that the server received, in order. */
let asked: string[]
let duringFlush: (() => Promise<void> | void)[]
beforeEach(() => {
  asked = []
  duringFlush = []
  vi.spyOn(Collection.prototype, 'bulkWrite').mockImplementation(async (_operations, options) => {
    asked.push(options?.writeConcern === undefined ? 'write with the journal' : 'write')
    return { upsertedCount: 1 } as BulkWriteResult
  })
  vi.spyOn(Collection.prototype, 'updateOne').mockImplementation(async () => {
    asked.push('flush')
    await duringFlush.shift()?.()
    return {} as UpdateResult
  })
})
afterEach(() => {
  vi.restoreAllMocks()
  client.removeAllListeners()
})

const opened = () => createBulkWrite({ client, database, limits: limitsOf() })
/** Emits the driver's event for a lost connection. */
const lose = () => void client.emit('connectionClosed', {} as never)

describe('bulk writes', () => {
  it('given several updates, then one journaled flush follows them before the write resolves', async () => {
    expect(await opened()(things, [update, update])).toEqual({ upserted: 1 })
    expect(asked).toEqual(['write', 'flush'])
  })

  it('given at most one update, then the bulk write itself asks for the journal', async () => {
    await opened()(things, [update, insert, insert])
    expect(asked).toEqual(['write with the journal'])
  })

  it.each(['connectionClosed', 'connectionPoolCleared'] as const)(
    'given a connection that is lost (%s) between a write and its flush, then both are repeated',
    async (event) => {
      duringFlush = [() => void client.emit(event, {} as never)]
      expect(await opened()(things, [update, update])).toEqual({ upserted: 1 })
      expect(asked).toEqual(['write', 'flush', 'write', 'flush'])
    },
  )

  it('given a connection that is lost every time, then the write throws unavailable', async () => {
    duringFlush = [lose, lose, lose]
    await expect(opened()(things, [update, update])).rejects.toMatchObject({ code: 'unavailable' })
    expect(asked).toHaveLength(6)
  })

  it('given a write that ends during a flush, then the write waits for the next flush', async () => {
    const bulkWrite = opened()
    const second = Promise.withResolvers<unknown>()
    duringFlush = [
      async () => {
        second.resolve(bulkWrite(things, [update, update]))
        await new Promise((resolve) => setImmediate(resolve))
      },
    ]
    await bulkWrite(things, [update, update])
    await second.promise
    expect(asked).toEqual(['write', 'flush', 'write', 'flush'])
  })
})
