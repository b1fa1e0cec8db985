import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { createMongoDocuments } from '@assay/documents/mongodb'
import {
  checkpointCollections,
  createDocumentCheckpoints,
  createLeaderElection,
  createLeasedProcessors,
  createLeases,
  type Processor,
} from '@assay/event-store'
import { systemClock, systemTimers, uuidV7 } from '@assay/service-kit/node'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { type MongoServer, start as startMongo } from '../../../../tools/servers/mongodb.mjs'
import { openStores, type TestStores } from '../testing/index.ts'

const clock = { time: Date.parse('2026-11-20T10:00:00.000Z'), now: () => clock.time }
/** Unique for this run. */
const prefix = `aside${uuidV7().slice(-8)}`
let mongo: MongoServer
let stores: TestStores
const ending: (() => Promise<unknown>)[] = []

beforeAll(async () => {
  mongo = await startMongo()
  stores = await openStores({ name: 'parked-streams', collections: [], clock })
}, 120_000)
afterAll(async () => {
  for (const end of ending.reverse()) await end()
  await stores?.close()
  await mongo?.stop()
})

/** A replica of the policy service that shares its checkpoints over MongoDB. */
async function replica(owner: string, handle: (revisions: number[]) => void): Promise<Processor> {
  const uri = mongo.url
  const documents = await createMongoDocuments({
    uri,
    database: `${prefix}_policy`,
    collections: checkpointCollections,
  })
  ending.push(() => documents.close())
  const leases = createLeases({ store: stores.store, clock: systemClock, newId: uuidV7 })
  const onError = () => undefined
  const shared = { timers: systemTimers, clock: systemClock, onError }
  const processor = createLeasedProcessors(createLeaderElection({ ...shared, leases, name: 'policy', owner }))({
    ...shared,
    name: 'policy-publisher',
    store: stores.store,
    checkpoints: createDocumentCheckpoints(documents),
    categories: ['policy'],
    handle: async (events) => handle(events.map(({ revision }) => revision)),
  })
  ending.push(() => processor.stop())
  await processor.start()
  return processor
}

async function parked(...words: string[]): Promise<string> {
  const main = fileURLToPath(new URL('./main.ts', import.meta.url))
  const env = {
    PATH: process.env.PATH ?? '',
    ASSAY_MONGODB_URL: mongo.url,
    // As in a container of another service.
    ASSAY_MONGODB_DATABASE: `${prefix}_gateway`,
  }
  return (await promisify(execFile)(process.execPath, [main, ...words], { env })).stdout
}

test('given two replicas and a parked stream, when a retry is requested after the fix, then the replica with the lease resumes it', async () => {
  let isPoison = true
  const handled: number[] = []
  const handle = (revisions: number[]) => {
    if (isPoison) throw new TypeError('cannot be published')
    handled.push(...revisions)
  }
  const [first] = [await replica('a', handle), await replica('b', handle)]
  const metadata = { tenant: 't', actor: 'a', schemaVersion: 1, occurredAt: '2026-11-20T10:00:00.000Z' }
  const event = () => ({ id: uuidV7(), type: 'Happened', data: {}, metadata })
  await stores.store.append('t/policy-1', [event(), event()], 'none')
  await vi.waitFor(async () => expect(await first.parked()).toHaveLength(1), { timeout: 60_000, interval: 100 })
  expect(await parked('list', 'streams')).toMatch(
    /^\{"processor":"policy-publisher","stream":"t\/policy-1".*\n1 stream is parked\.\n$/,
  )
  isPoison = false
  expect(await parked('replay', 'stream', 'policy-publisher')).toMatch(/^1 retry was requested/)
  await vi.waitFor(async () => expect(await first.parked()).toEqual([]), { timeout: 60_000, interval: 100 })
  await stores.store.append('t/policy-1', [event()], 'any')
  await vi.waitFor(() => expect(handled).toEqual([0, 1, 2]), { timeout: 60_000 })
  expect(await parked('list', 'streams')).toBe('0 streams are parked.\n')
})
