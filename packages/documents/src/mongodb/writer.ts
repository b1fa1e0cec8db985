import type { AnyBulkWriteOperation, Collection } from 'mongodb'
import type { EncodedPut } from '../encoded-put.ts'
import { duplicatesIn } from './errors.ts'
import type { Layout } from './layout.ts'
import { type DocumentRecord, recordOf } from './record.ts'

/** Of several puts of one document the one that would stay: the highest revision, the first of equals. */
function deciding(layout: Layout, puts: readonly EncodedPut[]): DocumentRecord[] {
  const records = new Map<string, DocumentRecord>()
  for (const put of puts) {
    const record = recordOf(layout, put)
    const earlier = records.get(record._id)
    if (earlier === undefined || record.revision > earlier.revision) records.set(record._id, record)
  }
  return [...records.values()]
}

/** One conditional write: only where the stored revision is lower. The tenant is named for sharded collections. */
function guarded(record: DocumentRecord, upsert: boolean): AnyBulkWriteOperation<DocumentRecord> {
  const { _id, tenant, revision } = record
  return { replaceOne: { filter: { _id, tenant, revision: { $lt: revision } }, replacement: record, upsert } }
}

/**
 * Puts each document unless the stored revision is as high. An upsert that is refused for its key means that the document
 * is there: with as high a revision, or made by another writer at the same moment. The second, plain guarded write tells
 * the two apart. Inserting is tried first for a first revision, and for all with `mostlyNew`: it is cheaper where nothing is
 * stored yet, most of all on a server that flushes its journal for each update but once for many inserts.
 */
export async function writeRecords(
  collection: Collection<DocumentRecord>,
  layout: Layout,
  puts: readonly EncodedPut[],
  mostlyNew: boolean,
): Promise<void> {
  const records = deciding(layout, puts)
  if (records.length === 0) return
  const first = records.map(
    (record): AnyBulkWriteOperation<DocumentRecord> =>
      mostlyNew || record.revision === 0 ? { insertOne: { document: record } } : guarded(record, true),
  )
  try {
    await collection.bulkWrite(first, { ordered: false })
  } catch (error) {
    const there = duplicatesIn(error)
    if (there === undefined) throw error
    const again = there.flatMap((index) => records[index] ?? []).map((record) => guarded(record, false))
    await collection.bulkWrite(again, { ordered: false })
  }
}
