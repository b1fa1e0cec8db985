import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { defineCollection, documentPut } from '@assay/documents'
import { createMongoDocuments } from '@assay/documents/mongodb'
import { type Aggregate, type EventStore, rebuild } from '@assay/event-store'
import { createSqliteEventStore } from '@assay/event-store/sqlite'
import { openDatabase } from '@assay/sqlite'
import { MongoClient } from 'mongodb'
import { z } from 'zod'
import { load, type Servers } from './distributed-servers.ts'
import type { BenchRow } from './ratio.ts'

const events = Number(process.env.BENCH_REBUILD_EVENTS ?? 100_000)
const writers = 64
const rawBatch = 500

type Made = { name: string; size: number; note: string }
type MadeEvent = { type: 'Made'; data: Made }

const made = defineCollection<Made>({
  name: 'made',
  version: 1,
  idType: 'integer',
  schema: z.object({ name: z.string(), size: z.int(), note: z.string() }),
  fields: { name: { type: 'text', of: ({ name }) => name }, size: { type: 'integer', of: ({ size }) => size } },
})

const aggregate: Aggregate<Made | undefined, never, MadeEvent> = {
  category: 'made',
  schemaVersion: 1,
  decider: { initialState: undefined, decide: () => [], evolve: (_, { data }) => data },
  documents: (state, { tenant, id }, source) =>
    state === undefined ? [] : [documentPut(made, tenant, Number(id), state, source)],
}

const stateOf = (n: number): Made => ({ name: `thing ${n % 5000}`, size: n, note: 'x'.repeat(200) })

async function fill(store: EventStore): Promise<void> {
  let next = 0
  const writer = async () => {
    while (next < events) {
      const n = next++
      const metadata = { tenant: 'bench', actor: 'bench', schemaVersion: 1, occurredAt: '2026-01-02T03:04:05.678Z' }
      await store.append(
        `bench/made-${n}`,
        [{ id: randomUUID(), type: 'Made', data: { ...stateOf(n) }, metadata }],
        'none',
      )
    }
  }
  await Promise.all(Array.from({ length: writers }, writer))
}

/** Writes the documents of the rebuild with the driver alone: inserts in batches, then the same indexes. */
async function raw(client: MongoClient): Promise<number> {
  const source = client.db('bench_rebuild')
  const name = (await source.listCollections({}, { nameOnly: true }).toArray())
    .map((each) => each.name)
    .find((each) => /^made_v1_\d+$/.test(each))
  if (name === undefined) throw new Error('The rebuild has written no collection.')
  const records = await source.collection(name).find().toArray()
  const indexes = await source.collection(name).indexes()
  const target = client.db('bench_rebuild').collection('raw')
  const began = performance.now()
  for (let from = 0; from < records.length; from += rawBatch) {
    const batch = records.slice(from, from + rawBatch)
    await target.bulkWrite(
      batch.map((document) => ({ insertOne: { document } })),
      { ordered: false },
    )
  }
  for (const { key, name: index } of indexes)
    if (index !== '_id_') await target.createIndex(key, { name: String(index) })
  return performance.now() - began
}

/** D5: a rebuild from a log in SQLite into MongoDB, with one document per event, against the driver's bulkWrite. */
export async function benchDistributedRebuild(servers: Servers): Promise<BenchRow[]> {
  const folder = await mkdtemp(join(tmpdir(), 'assay-bench-rebuild-'))
  const database = openDatabase({ path: join(folder, 'events.db') })
  const store = createSqliteEventStore({ database, clock: { now: Date.now } })
  const client = await new MongoClient(servers.mongoUrl).connect()
  const documents = await createMongoDocuments({
    uri: servers.mongoUrl,
    database: 'bench_rebuild',
    collections: [made],
  })
  try {
    await fill(store)
    const began = performance.now()
    const done = await rebuild({
      store,
      aggregates: [aggregate],
      collections: [made],
      target: documents.rebuildTarget(),
    })
    const ms = performance.now() - began
    if (done.events !== events) throw new Error(`The rebuild has read ${done.events} of ${events} events.`)
    const bare = await raw(client)
    const perSecond = (of: number) => `${Math.round((events / of) * 1000)}/s`
    return [
      {
        name: `D5 rebuild of ${events} events into MongoDB`,
        ratio: bare / ms,
        target: '>= 0.5',
        detail: `${perSecond(ms)} against ${perSecond(bare)} of bulkWrite and the same indexes; ${load()}`,
      },
    ]
  } finally {
    await documents.close()
    await client.db('bench_rebuild').dropDatabase()
    await client.close()
    await store.close()
    await database.close()
    await rm(folder, { recursive: true, force: true })
  }
}
