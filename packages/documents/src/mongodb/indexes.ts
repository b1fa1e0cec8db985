import { AssayError } from '@assay/service-kit/errors'
import { type Collection, type IndexDescriptionInfo, MongoServerError } from 'mongodb'
import type { WantedIndex } from './layout.ts'

const namespaceNotFound = 26
const indexNotFound = 27

const isServerError = (error: unknown, code: number): boolean =>
  error instanceof MongoServerError && error.code === code

/** Whether the index is neither partial, collated nor expiring. Such indexes are not equivalent to the required one. */
function isPlain(index: IndexDescriptionInfo): boolean {
  const { unique, sparse, partialFilterExpression, collation, expireAfterSeconds, hidden } = index
  const changed = [partialFilterExpression, collation, expireAfterSeconds].some((option) => option !== undefined)
  return !changed && unique !== true && sparse !== true && hidden !== true
}

/** Whether `index` is equivalent to `wanted`, even if an operator created it under another name. */
export function isIndex(index: IndexDescriptionInfo, wanted: WantedIndex): boolean {
  const keys = Object.entries(index.key)
  const same =
    keys.length === wanted.fields.length && keys.every(([field, way], at) => field === wanted.fields[at] && way === 1)
  return same && isPlain(index)
}

async function listed(
  collection: Pick<Collection, 'indexes' | 'createIndexes' | 'dropIndex' | 'collectionName'>,
): Promise<IndexDescriptionInfo[]> {
  try {
    return await collection.indexes()
  } catch (error) {
    if (isServerError(error, namespaceNotFound)) return []
    throw error
  }
}

async function drop(
  collection: Pick<Collection, 'indexes' | 'createIndexes' | 'dropIndex' | 'collectionName'>,
  name: string,
): Promise<void> {
  try {
    await collection.dropIndex(name)
  } catch (error) {
    if (!isServerError(error, indexNotFound)) throw error
  }
}

/** Indexes that this adapter created for a field or a listing. */
const isOfFields = (name: string | undefined): name is string => /^assay_[fl]_/.test(name ?? '')

/**
 * Creates missing indexes, recreates indexes whose definition has changed, and drops the indexes of fields and
 * listings that are no longer declared, because each put would maintain them. Several processes can run it
 * concurrently. Throws `unavailable` if an index is still missing, or if somebody else's unique index could refuse
 * documents.
 */
export async function ensureIndexes(
  collection: Pick<Collection, 'indexes' | 'createIndexes' | 'dropIndex' | 'collectionName'>,
  wanted: readonly WantedIndex[],
): Promise<void> {
  const found = await listed(collection)
  const refusing = found.find(
    ({ name, unique }) => unique === true && name !== '_id_' && !wanted.some((index) => index.name === name),
  )
  if (refusing !== undefined)
    throw new AssayError(
      'unavailable',
      `The index ${refusing.name} of ${collection.collectionName} in MongoDB is unique and would refuse documents. Drop it.`,
    )
  for (const { name } of found)
    if (isOfFields(name) && !wanted.some((index) => index.name === name)) await drop(collection, name)
  const missing = wanted.filter((index) => !found.some((other) => isIndex(other, index)))
  if (missing.length === 0) return
  for (const { name } of missing) if (found.some((other) => other.name === name)) await drop(collection, name)
  await collection.createIndexes(
    missing.map(({ name, fields }) => ({ name, key: new Map(fields.map((field) => [field, 1])) })),
  )
  const made = await listed(collection)
  const lacking = wanted.find((index) => !made.some((other) => isIndex(other, index)))
  if (lacking !== undefined)
    throw new AssayError(
      'unavailable',
      `The index ${lacking.name} of ${collection.collectionName} could not be created in MongoDB. Create it on (${lacking.fields.join(', ')}) and start again.`,
    )
}
