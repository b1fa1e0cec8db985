import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { createFilesystemArtifacts } from '@assay/artifacts/filesystem'
import {
  type Asset,
  annotationOperations,
  type Crawl,
  catalogOperations,
  customAssetOperations,
  referenceAssetOperations,
  searchOperations,
  tagServiceOperations,
  udfOperations,
  udfVariableOperations,
} from '@assay/contracts'
import { createSqliteDocuments } from '@assay/documents/sqlite'
import { createSqliteCheckpoints, createSqliteCommit, createSqliteEventStore } from '@assay/event-store/sqlite'
import { callRoute, type RouteRequest, silent } from '@assay/hosting/testing'
import type { Message, MessageBus } from '@assay/message-bus'
import { createMetrics, createSealer } from '@assay/service-kit'
import { systemClock, systemTimers, uuidV7 } from '@assay/service-kit/node'
import { openDatabase } from '@assay/sqlite'
import { type CatalogDependencies, catalogCollections, createCatalogService } from '../service.ts'
import { createFakeEngine, type FakeEngine } from './fake-engine.ts'

function recordingBus(published: { topic: string; message: Message }[]): MessageBus {
  return {
    async publish(topic, messages) {
      published.push(...messages.map((message) => ({ topic, message })))
    },
    subscribe: async () => ({ lag: async () => 0, close: async () => {} }),
    parked: async () => [],
    parkedCount: async () => 0,
    replayParked: async () => 0,
    close: async () => {},
  }
}

const operations = {
  ...catalogOperations,
  ...annotationOperations,
  ...tagServiceOperations,
  ...udfVariableOperations,
  ...referenceAssetOperations,
  ...udfOperations,
  ...customAssetOperations,
  ...searchOperations,
}
export type OperationId = keyof typeof operations

/**
 * The catalog over SQLite files in `folder`, without HTTP: the operation's schemas parse requests and check answers.
 */
export async function startCatalog(
  folder: string,
  options: { engine?: FakeEngine; dependencies?: Partial<CatalogDependencies> } = {},
) {
  const engine = options.engine ?? createFakeEngine()
  const clock = systemClock
  const database = openDatabase({ path: `${folder}/catalog.db`, synchronous: 'NORMAL' })
  const store = createSqliteEventStore({ database, clock })
  const documents = createSqliteDocuments({ database, collections: catalogCollections })
  const published: { topic: string; message: Message }[] = []
  const artifacts = createFilesystemArtifacts({ root: `${folder}/results`, newId: uuidV7 })
  const service = createCatalogService({
    store,
    documents,
    commit: createSqliteCommit({ database, store, documents }),
    checkpoints: createSqliteCheckpoints(database),
    bus: recordingBus(published),
    clock,
    timers: systemTimers,
    newId: uuidV7,
    logger: silent,
    metrics: createMetrics(),
    engine,
    artifacts,
    sealer: createSealer(['the sealing key of these tests']),
    soleInstance: true,
    ...options.dependencies,
  })
  await service.start()

  function call<Id extends OperationId>(id: Id, request: RouteRequest = {}) {
    return callRoute(service, operations[id], { permissions: ['ASSET_VIEW', 'POLICY_VIEW'], ...request })
  }

  async function crawlEnded(crawlId: number, tenant = 'default'): Promise<Crawl> {
    for (;;) {
      const { body } = await call('getCrawl', { params: { id: String(crawlId) }, tenant })
      if (body.data.status !== 'RUNNING') return body.data
      await pause(5)
    }
  }

  return {
    engine,
    service,
    store,
    documents,
    artifacts,
    published,
    call,
    crawlEnded,
    /** Creates a FILE assembly and waits for its first crawl. */
    async assembly(name: string, tenant = 'default') {
      const body = { name, sourceType: 'FILE', configuration: { path: '/data' } }
      const made = await call('createAssembly', { body, tenant })
      const { id } = made.body.data
      const crawl = await this.lastCrawl(id, tenant)
      return { id, crawl: await crawlEnded(crawl.id, tenant) }
    },
    /** Rejects if the assembly was never crawled. */
    async lastCrawl(assemblyId: number, tenant = 'default'): Promise<Crawl> {
      const { body } = await call('listCrawls', { params: { id: String(assemblyId) }, tenant })
      const [last] = body.data
      if (last === undefined) throw new Error(`Assembly ${assemblyId} was never crawled.`)
      return last
    },
    /** Starts a crawl and waits for its end. */
    async crawl(assemblyId: number, tenant = 'default') {
      const { body } = await call('startCrawl', { params: { id: String(assemblyId) }, tenant })
      return crawlEnded(body.data.id, tenant)
    },
    /** Rejects if there is no such asset. */
    async byUid(uid: string, tenant = 'default'): Promise<Asset> {
      const { body } = await call('listAssets', { query: { uid }, tenant })
      const [found] = body.data
      if (found === undefined) throw new Error(`${tenant} has no asset '${uid}'.`)
      return found
    },
    async events(category: string) {
      const { events } = await store.readAll({ categories: [category], limit: 10_000 })
      return events
    },
    async stop() {
      await service.stop()
      await store.close()
      await documents.close()
      await database.close()
    },
    /** Simulates a kill: closes the files without a stop. */
    async kill() {
      await store.close()
      await database.close()
    },
  }
}

type Options = Parameters<typeof startCatalog>[1]

export interface OpenCatalog extends Awaited<ReturnType<typeof startCatalog>> {
  /** Starts another process on the same files. Stop this one before, or share its store and documents. */
  again(options?: Options): Promise<OpenCatalog>
  /** Stops the catalog and removes its folder. */
  close(): Promise<void>
}

async function openIn(folder: string, options: Options): Promise<OpenCatalog> {
  const catalog = await startCatalog(folder, options)
  return {
    ...catalog,
    again: (others) => openIn(folder, others),
    async close() {
      await catalog.stop()
      await rm(folder, { recursive: true })
    },
  }
}

/** The catalog in a temporary folder. */
export const openCatalog = async (options?: Options): Promise<OpenCatalog> =>
  openIn(await mkdtemp(join(tmpdir(), 'catalog-')), options)
