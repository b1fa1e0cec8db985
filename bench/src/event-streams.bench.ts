import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { loadavg } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { permissions } from '@assay/contracts'
import { silent } from '@assay/hosting/testing'
import {
  createHttpApp,
  createIdentitySigner,
  createMetrics,
  createRouter,
  identityHeader,
  listen,
} from '@assay/service-kit'
import { systemClock } from '@assay/service-kit/node'
import { z } from 'zod'
import { openInbox } from './inbox-service.ts'
import { type BenchRow, quantile } from './ratio.ts'

const clients = Number(process.env.BENCH_STREAMS_CLIENTS ?? 1_000)
const perSecond = Number(process.env.BENCH_STREAMS_RATE ?? 1_000)
const seconds = Number(process.env.BENCH_STREAMS_SECONDS ?? 10)
const streamsOfKey = 10
/** The tables that the events are about. */
const tables = 1_000
const firstTable = 1_000_000
const maxWaitMs = 60_000

const state = z.object({ open: z.number(), events: z.number(), delays: z.array(z.number()) })

async function ask(worker: Worker) {
  worker.postMessage('state')
  return state.parse((await once(worker, 'message'))[0])
}

/** Events a second, sent to many streams of one process. The clients are a thread of the same process. */
export async function benchEventStreams(): Promise<BenchRow[]> {
  const inbox = await openInbox(
    [],
    Array.from({ length: tables }, (_, n) => firstTable + n),
  )
  const signer = createIdentitySigner({ secret: Buffer.alloc(32, 7), clock: systemClock })
  const dispatch = createRouter({ service: 'notification', routes: inbox.routes, verify: signer.verify })
  const app = createHttpApp({ logger: silent, newId: randomUUID, metrics: createMetrics(), dispatch })
  const server = await listen(app, { host: '127.0.0.1', port: 0 })
  const tokens = Array.from({ length: clients }, (_, n) => {
    const accessKey = `key ${Math.floor(n / streamsOfKey)}`
    return signer.sign({ tenant: 'default', user: 'ann', accessKey, permissions: new Set(permissions) })
  })
  const before = process.memoryUsage().rss
  const workerData = { port: server.port, tokens, header: identityHeader }
  const worker = new Worker(new URL('event-streams-clients.ts', import.meta.url), { workerData })
  const until = performance.now() + maxWaitMs
  while ((await ask(worker)).open < clients) {
    if (performance.now() > until) throw new Error(`Not all of ${clients} streams opened within a minute.`)
    await sleep(50)
  }
  const count = perSecond * seconds
  const began = performance.now()
  const epoch = Date.now()
  const cpu = process.cpuUsage()
  for (let sent = 0; sent < count; ) {
    const due = Math.min(count, Math.floor(((performance.now() - began) / 1_000) * perSecond))
    const events = Array.from({ length: due - sent }, (_, n) => ({
      id: `${randomUUID()}_${Math.round(epoch + ((sent + n) * 1_000) / perSecond)}`,
      assetId: firstTable + ((sent + n) % tables),
    }))
    sent = due
    if (events.length > 0) void inbox.tag(events)
    await sleep(5)
  }
  const delays: number[] = []
  let got = 0
  let peak = 0
  while (got < count * clients && performance.now() - began < maxWaitMs) {
    await sleep(100)
    const now = await ask(worker)
    for (const delay of now.delays) delays.push(delay)
    got = now.events
    peak = Math.max(peak, process.memoryUsage().rss)
  }
  const took = (performance.now() - began) / 1_000
  const used = process.cpuUsage(cpu)
  await worker.terminate()
  await inbox.close()
  await server.close()
  const p99 = quantile(delays, 0.99)
  const mb = (bytes: number) => Math.round(bytes / 1_048_576)
  return [
    {
      name: `${clients} streams, ${perSecond} events/s: sent in, of the time in which they happened`,
      ratio: took / seconds,
      target: '<= 1.1',
      detail: `${Math.round(got / took)} of ${perSecond * clients} sent events/s; ${got} of ${count * clients} within ${took.toFixed(1)} s; delay p50 ${quantile(delays, 0.5)} ms, p99 ${p99} ms; ${mb(before)} MB before, ${mb(peak)} MB at most; CPU ${((used.user + used.system) / 1e6).toFixed(1)} s with clients; load ${loadavg()[0]?.toFixed(1)}`,
    },
  ]
}
