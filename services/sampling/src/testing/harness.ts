import { randomBytes, randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { createFilesystemArtifacts } from '@assay/artifacts/filesystem'
import {
  internalTopics,
  samplingOperations,
  type TableMessage,
  type TagMessage,
  type UdfTemplateMessage,
} from '@assay/contracts'
import { createCommit } from '@assay/event-store'
import {
  callRoute,
  createTicks,
  eventually,
  openStores,
  type RouteRequest,
  silent,
  tableMessageOf,
} from '@assay/hosting/testing'
import { createMetrics, type Service } from '@assay/service-kit'
import type { SamplingServiceDeps } from '../dependencies.ts'
import { createSamplingService, samplingCollections } from '../service.ts'
import { createFakeEngine } from './fake-engine.ts'

/** Table 11 with the columns 12 `id` and 13 `note`. */
export const tableFixture = (changes: Partial<TableMessage> = {}): TableMessage =>
  tableMessageOf(
    [
      { name: 'id', dataType: 'BIGINT' },
      { name: 'note', dataType: 'VARCHAR' },
    ],
    changes,
  )

/** Timers that a spec drives: `tick` fires intervals, `pass` ends all sleeps of at least that length. */
function createManualTimers() {
  const sleeps = new Set<{ milliseconds: number; wake: () => void }>()
  return {
    ...createTicks(),
    sleep: (milliseconds: number, signal?: AbortSignal) =>
      new Promise<void>((resolve) => {
        const sleep = {
          milliseconds,
          wake: () => {
            sleeps.delete(sleep)
            resolve()
          },
        }
        sleeps.add(sleep)
        if (signal?.aborted) sleep.wake()
        signal?.addEventListener('abort', sleep.wake, { once: true })
        // Sleeps below a second are pauses of a processor between two polls.
        if (milliseconds < 1000) setTimeout(sleep.wake, 1)
      }),
    pass: (least: number) => {
      for (const { milliseconds, wake } of [...sleeps]) if (milliseconds >= least) wake()
    },
  }
}

interface Asking extends Pick<RouteRequest, 'tenant' | 'permissions'> {
  service?: Service
}
interface SampleBody {
  invalidateCache?: boolean
  transformUDFs?: object[]
  filter?: string
}

/** The service over SQLite in a temporary folder, with a manual clock and a fake engine. */
export async function openHarness() {
  const clock = { time: Date.parse('2026-11-20T10:00:00.000Z'), now: () => clock.time }
  const stores = await openStores({ name: 'sampling', collections: samplingCollections, clock })
  const { folder, store, documents, commit, checkpoints, bus } = stores
  const engine = createFakeEngine()
  const timers = createManualTimers()
  const artifacts = createFilesystemArtifacts({ root: join(folder, 'results'), newId: randomUUID })
  /** A crash between append and put, on stores that share no transaction. */
  const losing = { puts: false }
  const losingCommit = createCommit(store, { put: () => Promise.reject(new Error('lost')) }, () => {})
  const deps: SamplingServiceDeps = {
    store,
    commit: (...append) => (losing.puts ? losingCommit : commit)(...append),
    documents,
    checkpoints,
    bus,
    engine,
    artifacts,
    clock,
    timers,
    newId: randomUUID,
    newSecret: () => randomBytes(16),
    logger: silent,
    metrics: createMetrics(),
  }
  const first = createSamplingService(deps)
  const started = new Set<Service>([first])
  await first.start()

  async function request(
    id: number,
    { invalidateCache = false, transformUDFs, filter, service = first, ...asking }: Asking & SampleBody = {},
  ) {
    const body = { invalidateCache, transformUDFs, filter }
    const asked = { params: { id }, body, ...asking }
    return (await callRoute(service, samplingOperations.requestAssetSample, asked)).body
  }

  async function result(requestId: string, { service = first, ...asking }: Asking = {}) {
    const asked = { params: { requestId }, ...asking }
    return (await callRoute(service, samplingOperations.getAssetSampleResult, asked)).body
  }

  async function cancel(requestId: string, { service = first, ...asking }: Asking = {}) {
    return (await callRoute(service, samplingOperations.cancelAssetSample, { params: { requestId }, ...asking })).body
  }

  const ended = (requestId: string) =>
    eventually(
      () => result(requestId),
      ({ jobExecutionStatus }) => jobExecutionStatus !== 'IN_PROGRESS',
    )

  return {
    first,
    losing,
    documents,
    store,
    bus,
    engine,
    timers,
    clock,
    artifacts,
    /** Another process over the same log. */
    async another(options: { soleInstance?: boolean } = {}) {
      const service = createSamplingService({ ...deps, ...options })
      started.add(service)
      await service.start()
      return service
    },
    table(message: TableMessage, tenant = 'default') {
      return stores.publish(internalTopics.tables, message, { key: String(message.assetId), type: 'table', tenant })
    },
    tag(message: TagMessage | UdfTemplateMessage, tenant = 'default') {
      const topic = 'udfId' in message ? internalTopics.udfTemplates : internalTopics.tags
      return stores.publish(topic, message, { key: 'tag', type: 'tag', tenant })
    },
    request,
    result,
    cancel,
    ended,
    sampled: async (id: number) => ended((await request(id)).requestId),
    async close() {
      for (const service of started) await service.stop()
      await stores.close()
    },
  }
}
export type Harness = Awaited<ReturnType<typeof openHarness>>
