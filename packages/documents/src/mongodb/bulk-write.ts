import { AssayError } from '@assay/service-kit/errors'
import type { AnyBulkWriteOperation, Collection, Db, MongoClient } from 'mongodb'
import { createBatcher } from './batcher.ts'
import { duplicatesIn, isDuplicateKey } from './errors.ts'
import type { Limits } from './limits.ts'
import type { DocumentRecord } from './record.ts'

export interface Written {
  /** Number of documents that updates have inserted. */
  upserted: number
}

/**
 * An unordered bulk write. Resolves, or reports duplicate keys, once everything that it has written is in the journal.
 */
export type BulkWrite = (
  collection: Collection<DocumentRecord>,
  operations: AnyBulkWriteOperation<DocumentRecord>[],
) => Promise<Written>

const maxRounds = 3

/**
 * Some servers flush the journal once per update if a bulk write asks for journaling. So a bulk write of several
 * updates does not ask for it. It waits for a majority, and then for one small journaled write that all concurrent bulk
 * writes share. A journal is written in order, so it then contains the earlier updates, too. This holds only while the
 * server does not restart: if a connection was lost meanwhile, the whole bulk write is repeated. That is harmless,
 * because writes are guarded by revision.
 */
export function createBulkWrite({
  client,
  database,
  limits,
}: {
  client: MongoClient
  database: Db
  limits: Limits
}): BulkWrite {
  // Stored in the collection of the catalog entries, whose ids contain `@`, so its id is unique there.
  const flushes = database.collection<{ _id: string; count: number }>('documents_catalog')
  let losses = 0
  const lost = (): void => {
    losses += 1
  }
  client.on('connectionPoolCleared', lost)
  client.on('connectionClosed', lost)
  client.on('serverDescriptionChanged', ({ newDescription: { type } }) => {
    if (type === 'Unknown') lost()
  })

  async function flush(): Promise<void> {
    const counted = () => flushes.updateOne({ _id: 'flushes' }, { $inc: { count: 1 } }, { upsert: true })
    try {
      await counted()
    } catch (error) {
      // Another process has just created it.
      if (!isDuplicateKey(error)) throw error
      await counted()
    }
  }
  const flushed = createBatcher<null>({ write: flush, isForAll: () => true })

  return async (collection, operations) => {
    const updates = operations.filter((operation) => !('insertOne' in operation)).length
    if (updates < 2) {
      const { upsertedCount } = await collection.bulkWrite(operations, { ordered: false })
      return { upserted: upsertedCount }
    }
    const writeConcern = { w: 'majority', wtimeoutMS: limits.operation } as const
    for (let round = 0; round < maxRounds; round++) {
      const before = losses
      let upserted = 0
      let duplicates: { error: unknown } | undefined
      try {
        upserted = (await collection.bulkWrite(operations, { ordered: false, writeConcern })).upsertedCount
      } catch (error) {
        if (duplicatesIn(error) === undefined) throw error
        duplicates = { error }
      }
      await flushed([null])
      if (losses !== before) continue
      if (duplicates !== undefined) throw duplicates.error
      return { upserted }
    }
    throw new AssayError('unavailable', 'The connection to MongoDB was lost several times in a row. Try again.')
  }
}
