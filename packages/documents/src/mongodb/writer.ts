import type { AnyBulkWriteOperation, Collection } from 'mongodb'
import type { EncodedPut } from '../encoded-put.ts'
import type { BulkWrite } from './bulk-write.ts'
import { duplicatesIn } from './errors.ts'
import type { Layout } from './layout.ts'
import { type DocumentRecord, recordOf } from './record.ts'

/** Of several puts of one document, the one that wins: the highest revision, and the first of equal ones. */
function deciding(layout: Layout, puts: readonly EncodedPut[]): DocumentRecord[] {
  const records = new Map<string, DocumentRecord>()
  for (const put of puts) {
    const record = recordOf(layout, put)
    const earlier = records.get(record._id)
    if (earlier === undefined || record.revision > earlier.revision) records.set(record._id, record)
  }
  return [...records.values()]
}

/**
 * One conditional write, which applies only if the stored revision is lower. Its filter contains the tenant, for
 * sharded collections. It replaces the whole record except `since`, which keeps the time of the first write.
 */
function guarded(record: DocumentRecord, upsert: boolean, since: number): AnyBulkWriteOperation<DocumentRecord> {
  const { _id, tenant, ...fields } = record
  const { revision } = fields
  const gone = record.live ? {} : { $unset: { f: '', l: '', text: '' } as const }
  const update = { $set: fields, ...gone, ...(upsert ? { $setOnInsert: { since } } : {}) }
  return { updateOne: { filter: { _id, tenant, revision: { $lt: revision } }, update, upsert } }
}

/**
 * Puts with a revision above 0 are tried as inserts first if at least this share of the recent ones were inserts.
 */
const likely = 0.75

export type WriteRecords = (
  collection: Collection<DocumentRecord>,
  layout: Layout,
  puts: readonly EncodedPut[],
  options: { since: number; mostlyNew: boolean },
) => Promise<void>

/**
 * Puts each document unless the stored revision is at least as high. If an upsert fails on a duplicate key, the
 * document exists: either its revision is at least as high, or another writer has just created it. A second write
 * without upsert distinguishes the two cases. An insert is tried first if the document is probably new, because that is
 * cheaper: for first revisions, with `mostlyNew`, and for collections in which recent later revisions were mostly new.
 * `since` is the creation time of new documents, in epoch milliseconds.
 */
export function createWriteRecords(bulkWrite: BulkWrite): WriteRecords {
  /** The share of inserts among recent puts with later revisions, by MongoDB collection. */
  const shares = new Map<string, number>()

  return async (collection, layout, puts, { since, mostlyNew }) => {
    const records = deciding(layout, puts)
    if (records.length === 0) return
    const { collectionName } = collection
    const share = shares.get(collectionName) ?? 0
    const asInserts = mostlyNew || share >= likely
    const isLater = (record: DocumentRecord | undefined) => record !== undefined && record.revision > 0
    const later = records.filter(isLater).length
    const met = (fresh: number): void => {
      if (later > 0) shares.set(collectionName, (share + fresh / later) / 2)
    }
    const first = records.map(
      (record): AnyBulkWriteOperation<DocumentRecord> =>
        asInserts || record.revision === 0
          ? { insertOne: { document: { ...record, since } } }
          : guarded(record, true, since),
    )
    try {
      const { upserted } = await bulkWrite(collection, first)
      met(asInserts ? later : upserted)
    } catch (error) {
      const duplicates = duplicatesIn(error)
      if (duplicates === undefined) throw error
      if (asInserts) met(later - duplicates.filter((index) => isLater(records[index])).length)
      const again = duplicates.flatMap((index) => records[index] ?? []).map((record) => guarded(record, false, since))
      await bulkWrite(collection, again)
    }
  }
}
