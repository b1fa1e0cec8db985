import { execFile } from 'node:child_process'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { createSqliteCheckpoints, createSqliteEventStore } from '@assay/event-store/sqlite'
import { systemClock, uuidV7 } from '@assay/service-kit/node'
import { openDatabase } from '@assay/sqlite'
import { type AssayProcess, removeData, startAssay } from '@assay/testkit'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'

/** Processors, each with a stream and the type of an event in it that it cannot handle, because the event has no data. */
const poisoned: Readonly<Record<string, readonly [stream: string, type: string]>> = {
  'catalog-publisher': ['default/assembly-900001', 'AssemblyCreated'],
  'policy-publisher': ['default/policy-900001', 'PolicyCreated'],
  'policy-names': ['default/policy-900001', 'PolicyCreated'],
  'policy-storage': ['default/policy-900001', 'PolicyCreated'],
  'gateway-audit': ['default/key-900001', 'ApiKeyCreated'],
  'gateway-publisher': ['default/key-900001', 'ApiKeyCreated'],
}
/** Those without a known event of that kind. */
const others = ['notification-publisher', 'sampling-publisher']
let folder: string
let data: string
let assay: AssayProcess | undefined

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'assay-parked-streams-'))
  data = join(folder, 'data')
  const first = await startAssay(data)
  await first.stop()
  const database = openDatabase({ path: join(data, 'assay.db') })
  const store = createSqliteEventStore({ database, clock: systemClock })
  for (const [stream, type] of new Map(Object.values(poisoned))) {
    const metadata = { tenant: 'default', actor: 'a', schemaVersion: 1, occurredAt: '2026-01-02T03:04:05.678Z' }
    await store.append(stream, [{ id: uuidV7(), type, data: {}, metadata }], 'none')
  }
  await store.close()
  await database.close()
}, 120_000)
afterAll(async () => {
  await assay?.stop()
  await removeData(folder)
})

async function parked(...words: string[]): Promise<string> {
  const main = fileURLToPath(new URL('../../../packages/hosting/src/parked/main.ts', import.meta.url))
  const env = {
    PATH: process.env.PATH ?? '',
    NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? '',
    ASSAY_DATA_DIR: data,
  }
  return (await promisify(execFile)(process.execPath, [main, ...words], { env })).stdout
}

test('given parked streams, then Assay is ready, and metrics and the command list them', async () => {
  assay = await startAssay(data)
  const { url, waitForOutput, until } = assay
  const shown = async () => (await fetch(`${url}/metrics`)).text()
  const gauge = (processor: string, count: number) =>
    `\nassay_processor_parked_streams{processor="${processor}"} ${count}\n`
  await vi.waitFor(
    async () => {
      for (const processor of Object.keys(poisoned)) expect(await shown()).toContain(gauge(processor, 1))
    },
    { timeout: 90_000, interval: 250 },
  )
  const database = openDatabase({ path: join(data, 'assay.db') })
  const checkpoints = createSqliteCheckpoints(database)
  const odd = { stream: 'default/odd-1', fromRevision: 0, reason: 'odd', parkedAt: '2099-01-01T00:00:00.000Z' }
  for (const processor of others) await checkpoints.park(processor, odd, 0)

  await until('/readyz', ({ status }) => status === 200)
  await waitForOutput('"stream":"default/policy-900001"')
  const all = Object.keys(poisoned).length + others.length
  expect(await parked('list')).toMatch(
    new RegExp(`0 messages are parked\\.\\n(.*\\n){${all}}${all} streams are parked\\.\\n$`),
  )

  // The running process retries soon, and the stream fails again.
  expect(await parked('replay', 'stream', 'gateway-audit')).toMatch(/^1 retry was requested/)
  const requested = async () => (await checkpoints.parkedByAll()).filter(({ isRetryRequested }) => isRetryRequested)
  await vi.waitFor(async () => expect(await requested()).toEqual([]), { timeout: 60_000, interval: 250 })
  await database.close()
  expect(await parked('list', 'streams')).toContain(`${all} streams are parked.`)
  await until('/readyz', ({ status }) => status === 200)
})
