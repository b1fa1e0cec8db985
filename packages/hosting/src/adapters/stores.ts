import type { CollectionShape, Documents } from '@assay/documents'
import {
  type Checkpoints,
  type Commit,
  checkpointCollections,
  createCommit,
  createDocumentCheckpoints,
  type EventStore,
  type RebuildTarget,
  withKnownOutcomes,
  withKnownOutcomesOf,
} from '@assay/event-store'
import { parkedCollections } from '@assay/message-bus'
import { type Clock, type Logger, type NewId, type Outages, recordsSpans, type Timers } from '@assay/service-kit'
import { AssayError } from '@assay/service-kit/errors'
import type { Database } from '@assay/sqlite'
import { type Around, aroundCommit, aroundDocuments, aroundEventStore } from './around.ts'
import { bothAround, tracing } from './tracing.ts'
import { watching } from './watching.ts'

/** The variables of `storeVariables`, parsed. */
export interface StoreChoice {
  ASSAY_EVENT_STORE: 'eventstoredb' | 'sqlite'
  ASSAY_EVENTSTOREDB_URL?: string | undefined
  ASSAY_DOCUMENTS: 'mongodb' | 'sqlite'
  ASSAY_MONGODB_URL?: string | undefined
  ASSAY_MONGODB_DATABASE?: string | undefined
}

export interface Stores {
  store: EventStore
  documents: Documents
  commit: Commit
  checkpoints: Checkpoints
  /** Collections that no rebuild has filled yet, by name. */
  needsRebuild(): Promise<string[]>
  /** Starts a rebuild of these collections alongside the live ones. */
  rebuildTarget(collections: readonly string[]): RebuildTarget<CollectionShape>
  /** Declares that empty collections are complete. Absent if a rebuild takes no longer. */
  declareBuilt?(collections: readonly string[]): Promise<void>
  close(): Promise<void>
}

export interface StoreDeps {
  /** The service that owns the stores; the database of its read models is `assay_<name>` by default. */
  service: string
  collections: readonly CollectionShape[]
  /** The SQLite file. Required if one of the stores uses SQLite. */
  database?: Database | undefined
  clock: Clock
  timers: Timers
  newId: NewId
  logger: Logger
  /** Reports outages of servers. If omitted, callers report each error. */
  outages?: Outages | undefined
}

/** A value that the configuration requires. */
export function given<T>(value: T | undefined, variable: string): T {
  if (value === undefined) throw new AssayError('invalid', `The chosen adapter requires ${variable}.`)
  return value
}

/** The SQLite file, if the process has one. */
export function sqliteFile(database: Database | undefined): Database {
  if (database === undefined)
    throw new AssayError('invalid', 'SQLite and the embedded bus need a data folder, which only the embedded form has.')
  return database
}

/**
 * The chosen log and read models. Loads only the chosen drivers. If both are in one SQLite file, an event and its
 * documents share a transaction. Otherwise documents are put after the append, and a repair adds missing ones. Throws
 * `unavailable` if a server does not answer, `invalid` for an impossible address.
 */
export async function chooseStores(choice: StoreChoice, deps: StoreDeps): Promise<Stores> {
  const { service, collections, clock, timers, logger, outages } = deps
  const onPutFailed = (error: unknown, stream: string) =>
    logger.warn({ error, stream }, 'documents could not be put after an append; the repair will put them')

  async function sqliteStore() {
    const sqlite = await import('@assay/event-store/sqlite')
    const database = sqliteFile(deps.database)
    return { sqlite, database, store: sqlite.createSqliteEventStore({ database, clock }) }
  }

  async function chosenStore(): Promise<EventStore> {
    const { createEventStoreDb } = await import('@assay/event-store/eventstoredb')
    return createEventStoreDb({
      connectionString: given(choice.ASSAY_EVENTSTOREDB_URL, 'ASSAY_EVENTSTOREDB_URL'),
      timers,
    })
  }

  async function mongoDocuments() {
    const { createMongoDocuments } = await import('@assay/documents/mongodb')
    return createMongoDocuments({
      uri: given(choice.ASSAY_MONGODB_URL, 'ASSAY_MONGODB_URL'),
      database: choice.ASSAY_MONGODB_DATABASE ?? `assay_${service}`,
      collections: [...collections, ...checkpointCollections, ...parkedCollections],
    })
  }

  /** Reports and traces the calls to a server. */
  function aroundServer(name: string, system: string): Around {
    const watched = watching(outages, name)
    return recordsSpans() ? bothAround(tracing(system), watched) : watched
  }
  const tracedStore = (of: EventStore) => (recordsSpans() ? aroundEventStore(of, tracing('sqlite')) : of)
  const tracedCommit = (of: Commit) => (recordsSpans() ? aroundCommit(of, tracing('sqlite')) : of)

  async function closing(store: EventStore, documents: Documents): Promise<void> {
    await documents.close()
    await store.close()
  }

  const inSqlite = choice.ASSAY_EVENT_STORE === 'sqlite' ? await sqliteStore() : undefined
  // Appends with an unknown outcome are retried.
  const known = withKnownOutcomes(inSqlite?.store ?? (await chosenStore()), { clock, timers })
  const store = inSqlite ? tracedStore(known) : aroundEventStore(known, aroundServer('EventStoreDB', 'eventstoredb'))
  if (choice.ASSAY_DOCUMENTS === 'sqlite') {
    const { createSqliteDocuments } = await import('@assay/documents/sqlite')
    const { createSqliteCheckpoints, createSqliteCommit } =
      inSqlite?.sqlite ?? (await import('@assay/event-store/sqlite'))
    const database = sqliteFile(deps.database)
    const inFile = createSqliteDocuments({
      database,
      collections: [...collections, ...parkedCollections],
      onIndex: (made) =>
        logger.info(made, 'creating an index of the read models; the start continues after the last one'),
    })
    const documents = recordsSpans() ? aroundDocuments(inFile, tracing('sqlite')) : inFile
    const commit = inSqlite
      ? tracedCommit(
          withKnownOutcomesOf(createSqliteCommit({ database, store: inSqlite.store, documents: inFile }), {
            store,
            clock,
            timers,
          }),
        )
      : createCommit(store, documents, onPutFailed)
    const checkpoints = createSqliteCheckpoints(database)
    return {
      store,
      documents,
      commit,
      checkpoints,
      needsRebuild: async () => inFile.needsRebuild(),
      rebuildTarget: (names) => inFile.rebuildTarget(names),
      close: () => closing(store, documents),
    }
  }
  try {
    const inMongo = await mongoDocuments()
    const documents = aroundDocuments(inMongo, aroundServer('MongoDB', 'mongodb'))
    const commit = createCommit(store, documents, onPutFailed)
    const checkpoints = createDocumentCheckpoints(documents)
    return {
      store,
      documents,
      commit,
      checkpoints,
      needsRebuild: () => inMongo.needsRebuild(),
      rebuildTarget: (names) => inMongo.rebuildTarget(names),
      declareBuilt: (names) => inMongo.declareBuilt(names),
      close: () => closing(store, documents),
    }
  } catch (error) {
    await store.close()
    throw error
  }
}
