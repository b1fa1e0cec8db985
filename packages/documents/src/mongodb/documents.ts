import { AssayError, isTransient } from '@assay/service-kit/errors'
import { MongoClient, type Collection as MongoCollection } from 'mongodb'
import { checkedId, checkedQuery, checkedWhere } from '../checked-query.ts'
import { type EncodedPut, encodedPut } from '../encoded-put.ts'
import type {
  Collection,
  CollectionShape,
  Condition,
  DocumentId,
  Documents,
  Query,
  ScanOptions,
  Stored,
} from '../port.ts'
import { relatedByReading } from '../related.ts'
import { createBatcher } from './batcher.ts'
import { createBulkWrite } from './bulk-write.ts'
import { changedEntry, type Entry, preparedEntry } from './catalog.ts'
import { filterOf, sortOf } from './filter.ts'
import { ensureIndexes } from './indexes.ts'
import { type Layout, layoutOf, valuePath } from './layout.ts'
import { call, type Limits, limitsOf, type MongoTimeouts } from './limits.ts'
import { createLookupBatcher } from './lookup-batcher.ts'
import { nameIndexes, wordIndexes, writeNames } from './names.ts'
import { pageOf } from './page-of.ts'
import { createPointers } from './pointers.ts'
import { createRebuilds, type RebuildTarget } from './rebuild.ts'
import { type DocumentRecord, idOf, parsed, recordId, textOf } from './record.ts'
import { createSearching } from './searching.ts'
import { createTimestamps, timeOf, tokenOf } from './snapshot-tokens.ts'
import { createWriteRecords } from './writer.ts'

/** Maximum number of queued characters: documents of one collection that wait for MongoDB. */
const longestQueue = 64 * 1024 * 1024

export interface MongoDocuments extends Documents {
  /** For readiness checks. Throws `unavailable` or `timeout` unless MongoDB answers. */
  ping(): Promise<void>
  /** Collections that no rebuild has filled yet: they are new, or have another version or record format. */
  needsRebuild(): Promise<string[]>
  /** Declares that empty collections are complete. Call it only if nothing was ever published for them. */
  declareBuilt(collections: readonly string[]): Promise<void>
  /**
   * Starts a rebuild of `collections` (default: all). Only one can run per process: `begin` of a second one throws
   * `conflict`. A rebuild in another process takes over, and calls of the earlier one then throw `conflict`.
   */
  rebuildTarget(collections?: readonly string[]): RebuildTarget
}

const scanPageSize = 500
/** Default number of connections per server. */
const poolSize = 20

function layoutsOf(collections: readonly CollectionShape[]): Map<string, Layout> {
  const layouts = new Map<string, Layout>()
  for (const collection of collections) {
    if (layouts.has(collection.name))
      throw new AssayError('internal', `The collection ${collection.name} is declared twice.`)
    layouts.set(collection.name, layoutOf(collection))
  }
  return layouts
}

/**
 * A write is confirmed once a majority has it in its journal, and reads go to the primary. So every later read sees a
 * put, even after a crash. (On some servers, `majority` does not imply the journal.)
 */
function clientOf(uri: string, limits: Limits): MongoClient {
  try {
    return new MongoClient(uri, {
      appName: 'assay',
      serverSelectionTimeoutMS: limits.serverSelection,
      connectTimeoutMS: limits.serverSelection,
      waitQueueTimeoutMS: limits.operation,
      socketTimeoutMS: limits.index,
      writeConcern: { w: 'majority', journal: true, wtimeoutMS: limits.operation },
      readPreference: 'primary',
      ...(/[?&]maxPoolSize=/i.test(uri) ? {} : { maxPoolSize: poolSize }),
    })
  } catch {
    // The driver's error is not even the cause, because its text contains the address with the password.
    throw new AssayError(
      'invalid',
      'The address of MongoDB is malformed. Use mongodb://host:port or mongodb+srv://host, with options after "?".',
    )
  }
}

function storedIn<T>(record: DocumentRecord): Stored<T> {
  const source = { revision: record.revision, position: record.position }
  return { id: idOf(record), document: parsed<T>(record), source }
}

/**
 * Documents in `database` of MongoDB (4.4 or later). Creates and indexes one MongoDB collection for each collection.
 * Any number of processes can share them. Throws `unavailable` if MongoDB cannot be reached or an index cannot be
 * created, and `invalid` for a malformed address.
 */
export async function createMongoDocuments(options: {
  /** Connection string mongodb://…, with `retryWrites=false` for servers that are not in a replica set. */
  uri: string
  database: string
  collections: readonly CollectionShape[]
  timeouts?: MongoTimeouts
}): Promise<MongoDocuments> {
  const limits = limitsOf(options.timeouts)
  const layouts = layoutsOf(options.collections)
  const client = clientOf(options.uri, limits)
  const database = client.db(options.database)
  const catalog = database.collection<Entry>('documents_catalog')
  const records = (name: string): MongoCollection<DocumentRecord> => database.collection(name)
  try {
    for (const layout of layouts.values()) {
      const entry = await call(limits.operation, () => preparedEntry(catalog, layout))
      await call(limits.index, () => ensureIndexes(records(entry.live), layout.indexes))
      if (layout.nameIndex === undefined) continue
      await call(limits.index, () => ensureIndexes(database.collection(layout.words), wordIndexes))
      await call(limits.index, () => ensureIndexes(database.collection(layout.names), nameIndexes))
    }
  } catch (error) {
    await client.close()
    throw error
  }
  const inTime = { maxTimeMS: limits.operation }
  const pointers = createPointers({
    // The catalog is small. A condition with the id of each collection costs some servers far more than the other entries.
    readEntries: () => call(limits.operation, () => catalog.find({}, inTime).toArray()),
    layouts,
    maxAge: limits.pointerAge,
    now: () => performance.now(),
  })
  const writeRecords = createWriteRecords(createBulkWrite({ client, database, limits }))
  const timestamps = createTimestamps(() => Date.now())
  const rebuilds = createRebuilds({ database, catalog, pointers, limits, now: timestamps.ofWrite, writeRecords })
  let closed = false

  function requireOpen(): void {
    if (closed) throw new AssayError('unavailable', 'The documents are closed.')
  }

  /** One read of the live collection. */
  function reading<T>(
    name: string,
    read: (live: MongoCollection<DocumentRecord>, liveName: string) => Promise<T>,
  ): Promise<T> {
    requireOpen()
    return pointers.during(name, ({ live }) => call(limits.operation, () => read(records(live), live)))
  }

  const lookups = new Map(
    [...layouts.keys()].map((name) => [
      name,
      createLookupBatcher(async (ids) => {
        const [only, ...others] = ids
        const options = { projection: { live: 1, 'f.id': 1, revision: 1, position: 1, text: 1 }, ...inTime } as const
        // Checks `live` here: as a condition of the query, it would double the time on some servers.
        const found = await reading(name, (live) =>
          only !== undefined && others.length === 0
            ? live.findOne({ _id: only }, options).then((one) => (one === null ? [] : [one]))
            : live.find({ _id: { $in: [...ids] } }, options).toArray(),
        )
        return new Map(found.filter(({ live }) => live).map((one) => [one._id, one]))
      }),
    ]),
  )

  async function record(
    collection: CollectionShape,
    tenant: string,
    id: DocumentId,
  ): Promise<DocumentRecord | undefined> {
    requireOpen()
    const { name } = pointers.layout(collection.name)
    return lookups.get(name)?.(recordId(tenant, checkedId(collection, id)))
  }

  function writing(name: string, puts: readonly EncodedPut[]): Promise<void> {
    return pointers.during(name, async ({ live, also }, layout) => {
      await call(limits.operation, () => writeNames(database, layout, puts, live))
      const options = { since: timestamps.ofWrite(), mostlyNew: false }
      const targets = also === null ? [live] : [live, also]
      await Promise.all(
        targets.map((target) => call(limits.operation, () => writeRecords(records(target), layout, puts, options))),
      )
    })
  }

  const writers = new Map(
    [...layouts.keys()].map((name) => [
      name,
      createBatcher<EncodedPut>({
        write: (puts) => writing(name, puts),
        isForAll: isTransient,
        bound: { sizeOf: ({ text }) => text?.length ?? 0, mostWaiting: longestQueue },
      }),
    ]),
  )

  /** Between two puts, the revision decides and not the order of arrival. So puts of many callers can be batched. */
  async function written(name: string, puts: readonly EncodedPut[]): Promise<void> {
    const writer = writers.get(name)
    if (writer === undefined) throw new AssayError('internal', `The collection ${name} was not declared to the store.`)
    await call(limits.operation, () => writer(puts))
  }

  /**
   * The documents after `after`, ordered by (tenant, id): first those of the same tenant, then those of later tenants.
   */
  async function pageAfter(
    name: string,
    where: readonly Condition[],
    after: { tenant: string; id: DocumentId } | undefined,
    size: number,
  ): Promise<DocumentRecord[]> {
    const sort = { tenant: 1, live: 1, [valuePath('id')]: 1 } as const
    const page = (filter: ReturnType<typeof filterOf>, limit: number) =>
      reading(name, (live) => live.find(filter, { sort, limit, ...inTime }).toArray())
    if (after === undefined) return page(filterOf({ $gte: '' }, where), size)
    const sameTenant = { ...filterOf(after.tenant, where), [valuePath('id')]: { $gt: after.id } }
    const rest = await page(sameTenant, size)
    if (rest.length === size) return rest
    return [...rest, ...(await page(filterOf({ $gt: after.tenant }, where), size - rest.length))]
  }

  async function find<T>(collection: Collection<T>, tenant: string, query: Query) {
    const { where, sort, page, size, maxBytes } = checkedQuery(collection, query)
    return reading(collection.name, async (live, liveName) => {
      const filter = filterOf(tenant.toWellFormed(), where, timeOf(collection.name, liveName, query.asOf))
      const time = timestamps.ofToken()
      const paging = { sort: sortOf(sort), skip: page * size, limit: size, projection: { _id: 0, text: 1, since: 1 } }
      const rows =
        size === 0 ? [] : await pageOf(live.find(filter, { ...paging, allowDiskUse: true, ...inTime }), maxBytes)
      const documents = rows.map((found) => parsed<T>(found))
      const token =
        query.withSnapshotToken === true ? { snapshotToken: tokenOf(collection.name, liveName, time, rows) } : {}
      // A page that is not full is the last one, so the count needs no query.
      if (rows.length < size && (rows.length > 0 || page === 0))
        return { documents, count: page * size + rows.length, ...token }
      return { documents, count: await live.countDocuments(filter, inTime), ...token }
    })
  }

  return {
    async get<T>(collection: Collection<T>, tenant: string, id: DocumentId) {
      const found = await record(collection, tenant, id)
      return found === undefined ? undefined : storedIn<T>(found)
    },
    getJsonWithRelated: relatedByReading(async (collection, tenant, id) => {
      const found = await record(collection, tenant, id)
      return found === undefined
        ? undefined
        : { text: textOf(found), source: { revision: found.revision, position: found.position } }
    }),
    async put(puts) {
      requireOpen()
      const byName = Map.groupBy(puts.map(encodedPut), ({ collection }) => collection)
      for (const name of byName.keys()) pointers.layout(name)
      await Promise.all([...byName].map(([name, some]) => written(name, some)))
    },
    find,
    search: createSearching({ database, layout: pointers.layout, reading, find, timestamps, limits }),
    async *scan<T>(collection: Collection<T>, scanOptions: ScanOptions = {}) {
      const { pageSize = scanPageSize } = scanOptions
      if (!Number.isSafeInteger(pageSize) || pageSize < 1)
        throw new AssayError('invalid', 'The size of a page must be a whole number from 1.')
      const where = checkedWhere(collection, scanOptions.where)
      let rows = await pageAfter(collection.name, where, scanOptions.after, pageSize)
      while (rows.length > 0) {
        for (const found of rows) yield { tenant: found.tenant, ...storedIn<T>(found) }
        const last = rows.at(-1)
        if (last === undefined || rows.length < pageSize) return
        rows = await pageAfter(collection.name, where, { tenant: last.tenant, id: idOf(last) }, pageSize)
      }
    },
    async ping() {
      requireOpen()
      await call(limits.operation, () => database.command({ ping: 1 }))
    },
    async needsRebuild() {
      requireOpen()
      const unbuilt = [...(await pointers.refreshed()).values()].filter(({ built }) => !built)
      return unbuilt.map(({ name }) => name).toSorted()
    },
    async declareBuilt(collections) {
      for (const name of collections) {
        const { entryId } = pointers.layout(name)
        // Another process may be changing the entry.
        for (;;) {
          requireOpen()
          const entry = (await pointers.refreshed()).get(entryId)
          if (entry === undefined || entry.built) break
          const after = await call(limits.operation, () => changedEntry(catalog, entry, { built: true }))
          if (after !== undefined) pointers.set(after)
        }
      }
    },
    rebuildTarget: (collections = pointers.names()) => rebuilds(collections),
    async close() {
      closed = true
      await client.close()
    },
  }
}
