import { randomUUID } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { EventStore, NewEvent } from '@assay/event-store'
import { createEventStoreDb } from '@assay/event-store/eventstoredb'
import { createSqliteEventStore } from '@assay/event-store/sqlite'
import { startGrpcServer } from '@assay/event-store/testing/grpc-server'
import { openDatabase } from '@assay/sqlite'
import { type AssayProcess, startAssay } from '@assay/testkit'
import { type BenchRow, median } from './ratio.ts'

const pairs = 300
const unmeasured = 40
const batch = 500

/** Assets with labels, with the number of events in their streams before the measurement. */
const streams = { long: { id: 1, events: 10_000 }, short: { id: 2, events: 10 } }

function labelled(assetId: number, value: number): NewEvent {
  const at = '2026-01-02T03:04:05.678Z'
  const labelsOf = (n: number) => [{ key: 'round', value: String(n) }]
  const data = {
    assetId,
    uid: `bench.${assetId}`,
    at,
    by: 'bench',
    before: labelsOf(value - 1),
    labels: labelsOf(value),
  }
  const metadata = { tenant: 'default', actor: 'bench', schemaVersion: 1, occurredAt: at }
  return { id: randomUUID(), type: 'AssetLabelsReplaced', data, metadata }
}

async function fill(store: EventStore): Promise<void> {
  for (const { id, events } of Object.values(streams))
    for (let from = 0; from < events; from += batch) {
      const some = Array.from({ length: Math.min(batch, events - from) }, (_, n) => labelled(id, from + n))
      await store.append(`default/assetlabels-${id}`, some, from === 0 ? 'none' : from - 1)
    }
}

/** Milliseconds of one `PUT labels`. */
async function put(assay: AssayProcess, id: number, round: number): Promise<number> {
  const labels = [{ key: 'round', value: `now ${round}` }]
  const began = performance.now()
  const { status, text } = await assay.call('PUT', `/catalog-server/api/assets/${id}/labels`, { labels })
  const ms = performance.now() - began
  if (status !== 200) throw new Error(text)
  return ms
}

interface Form {
  name: string
  env: Record<string, string>
  /** Opens the event store of a stopped Assay. */
  open(dataDir: string): Promise<{ store: EventStore; close(): Promise<void> }>
  calls: readonly string[]
}

async function measured({ name, env, open, calls }: Form): Promise<BenchRow> {
  const folder = mkdtempSync(join(tmpdir(), 'assay-bench-streams-'))
  const lake = join(folder, 'lake')
  const data = join(folder, 'data')
  mkdirSync(lake)
  writeFileSync(join(lake, 'a.csv'), 'id,name\n1,x\n')
  const start = (args: string[]) => startAssay(data, { args, env: { ...env, ASSAY_RATE_LIMIT: '1000000' } })
  try {
    const first = await start([lake])
    await first.until('/catalog-server/api/assets/2', (answer) => answer.status === 200)
    await first.stop()
    const { store, close } = await open(data)
    await fill(store)
    await close()
    const assay = await start([])
    const times: { long: number[]; short: number[] } = { long: [], short: [] }
    for (let round = 0; round < unmeasured; round++)
      for (const { id } of Object.values(streams)) await put(assay, id, round)
    const before = calls.length
    for (let round = unmeasured; round < unmeasured + pairs; round++) {
      times.short.push(await put(assay, streams.short.id, round))
      times.long.push(await put(assay, streams.long.id, round))
    }
    const made = calls.slice(before)
    const each = (call: string) => (made.filter((one) => one === call).length / (2 * pairs)).toFixed(2)
    await assay.stop()
    const [long, short] = [median(times.long), median(times.short)]
    const rate = 1000 / (times.long.reduce((sum, ms) => sum + ms, 0) / pairs)
    const figures = `${long.toFixed(1)} ms against ${short.toFixed(1)} ms on a stream of ten, ${rate.toFixed(0)}/s sequentially`
    return {
      name: `P16b PUT labels on a stream of 10,000 events, ${name}`,
      ratio: long / short,
      target: '<= 1.2',
      detail:
        calls.length === 0 ? figures : `${figures}; ${each('append')} appends and ${each('read')} reads per write`,
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** P16b: a write on a long stream against a write on a short stream, alternately, over HTTP. */
export async function benchStreams(): Promise<BenchRow[]> {
  const embedded = await measured({
    name: 'embedded',
    env: {},
    async open(dataDir) {
      const database = openDatabase({ path: join(dataDir, 'assay.db') })
      return { store: createSqliteEventStore({ database, clock: { now: Date.now } }), close: () => database.close() }
    },
    calls: [],
  })
  const server = await startGrpcServer()
  try {
    const overServer = await measured({
      name: 'over the event server',
      env: { ASSAY_EVENT_STORE: 'eventstoredb', ASSAY_EVENTSTOREDB_URL: server.connectionString },
      async open() {
        const store = createEventStoreDb({ connectionString: server.connectionString })
        return { store, close: () => store.close() }
      },
      calls: server.calls,
    })
    return [embedded, overServer]
  } finally {
    await server.stop()
  }
}
