import { randomUUID } from 'node:crypto'
import { systemTimers } from '@assay/service-kit/node'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createEventStoreDb } from './eventstoredb/index.ts'
import { createLeases } from './lease.ts'
import type { EventStore } from './port.ts'
import { type GrpcServer, startGrpcServer } from './testing/grpc-server/index.ts'
import { openTemporaryStore, type TemporaryStore } from './testing/temporary-store.ts'

let temporary: TemporaryStore
let server: GrpcServer
let overGrpc: EventStore
beforeEach(async () => {
  temporary = openTemporaryStore()
  server = await startGrpcServer()
  overGrpc = createEventStoreDb({ connectionString: server.connectionString, timers: systemTimers })
})
afterEach(async () => {
  await overGrpc.close()
  await server.stop()
  await temporary.close()
})

const metadata = { tenant: 't', actor: 'test', schemaVersion: 1, occurredAt: '2026-01-02T03:04:05.678Z' }
const event = () => ({ id: randomUUID(), type: 'Happened', data: {}, metadata })
const stores: [string, () => EventStore][] = [
  ['SQLite', () => temporary.store],
  ['EventStoreDB', () => overGrpc],
]

describe.each(stores)('given a stream of which only the end matters, in %s', (_, opened) => {
  it('when it is truncated, then its last events remain, revisions continue, and other streams stay complete', async () => {
    const store = opened()
    for (let n = 0; n < 9; n++) await store.append('t/thing-1', [event()], n === 0 ? 'none' : n - 1)
    await store.append('t/thing-2', [event()], 'none')
    await store.truncate?.('t/thing-1', 3)
    const { events, revision } = await store.read('t/thing-1')
    expect([events.map((each) => each.revision), revision]).toEqual([[6, 7, 8], 8])
    expect((await store.append('t/thing-1', [event()], 8)).revision).toBe(9)
    const { events: all } = await store.readAll({ categories: ['thing'] })
    expect(all.map((each) => `${each.stream} ${each.revision}`)).toEqual([
      't/thing-1 6',
      't/thing-1 7',
      't/thing-1 8',
      't/thing-2 0',
      't/thing-1 9',
    ])
  })

  it('when a lease is acquired, renewed and released many times, then its stream stays short, and one owner at a time has the lease', async () => {
    const store = opened()
    const leases = createLeases({ store, clock: { now: Date.now }, newId: randomUUID })
    for (let round = 0; round < 20; round++) {
      const lease = await leases.acquire('work', `owner ${round}`, 60_000)
      expect([lease?.fence, await lease?.renew()]).toEqual([round + 1, true])
      expect(await leases.acquire('work', 'another', 60_000)).toBeUndefined()
      await lease?.release()
    }
    await expect
      .poll(async () => (await store.read('system/lease-work', { from: 0 })).events.length, { timeout: 30_000 })
      .toBeLessThan(20)
  })
})
