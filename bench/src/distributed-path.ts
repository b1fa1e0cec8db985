import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { NewEvent } from '@assay/event-store'
import { createEventStoreDb } from '@assay/event-store/eventstoredb'
import { systemTimers } from '@assay/service-kit/node'
import { Kafka, logLevel } from 'kafkajs'
import { MongoClient } from 'mongodb'
import { cpuMs, load, percentile, type Servers } from './distributed-servers.ts'
import type { Running } from './distributed-start.ts'
import type { BenchRow } from './ratio.ts'

const perSecond = Number(process.env.BENCH_PATH_RATE ?? 500)
const seconds = 8
const warmUpSeconds = 3
const targetMs = 250
const timeoutMs = 15_000
const pollMs = 20
/** Maximum documents per poll, so that polling adds little load to the server. */
const maxPolled = 32
const tenant = 'bench'

interface Latencies {
  all: readonly number[]
  /** Messages sent per second. */
  rate: number
  missing: number
  /** Messages that arrived per second, from the first send to the last arrival. */
  arrivedRate: number
}

/** Calls `send` with 0, 1, 2, ... at an even pace, without waiting for it. Returns the calls per second. */
async function paced(count: number, send: (n: number) => void): Promise<number> {
  const began = performance.now()
  for (let n = 0; n < count; ) {
    const due = Math.min(count, Math.ceil(((performance.now() - began) / 1000) * perSecond))
    for (; n < due; n++) send(n)
    await sleep(1)
  }
  return (count / (performance.now() - began)) * 1000
}

function watched(watchId: number): NewEvent {
  const at = new Date().toISOString()
  const metadata = { tenant, actor: 'bench', schemaVersion: 1, occurredAt: at }
  const data = { watchId, assetId: 1_000_000 + watchId, user: 'bench', at }
  return { id: randomUUID(), type: 'AssetWatched', data, metadata }
}

/** Appends watches to the log in place of the notification service, and waits until the catalog's read model has them. */
async function throughServices(servers: Servers, firstId: number, count: number): Promise<Latencies> {
  const store = createEventStoreDb({ connectionString: servers.eventsUrl, timers: systemTimers })
  const mongo = await new MongoClient(servers.mongoUrl).connect()
  const began = new Map<number, number>()
  const all: number[] = []
  let failure: unknown
  let isSent = false
  try {
    const database = mongo.db('assay_catalog')
    const listed = await database.listCollections({}, { nameOnly: true }).toArray()
    const name = listed.map((each) => each.name).find((each) => /^catalog_watches_v\d+_\d+$/.test(each))
    if (name === undefined) throw new Error('The catalog has no read model of the watches.')
    const readModel = database.collection<{ _id: string; live: boolean }>(name)

    async function poll(): Promise<void> {
      const waiting = [...began.keys()].slice(0, maxPolled)
      if (waiting.length === 0) return
      const keys = new Map(waiting.map((id) => [JSON.stringify([tenant, id]), id]))
      const found = await readModel.find({ _id: { $in: [...keys.keys()] } }, { projection: { live: 1 } }).toArray()
      const now = performance.now()
      for (const { _id, live } of found) {
        const id = keys.get(_id)
        const from = id === undefined || !live ? undefined : began.get(id)
        if (id === undefined || from === undefined) continue
        all.push(now - from)
        began.delete(id)
      }
    }

    async function pollUntilAll(): Promise<void> {
      let until = Number.POSITIVE_INFINITY
      while ((!isSent || began.size > 0) && failure === undefined && performance.now() < until) {
        await poll()
        if (isSent && until === Number.POSITIVE_INFINITY) until = performance.now() + timeoutMs
        await sleep(pollMs)
      }
    }

    const sentFrom = performance.now()
    const polling = pollUntilAll()
    const rate = await paced(count, (n) => {
      const watchId = firstId + n
      began.set(watchId, performance.now())
      store.append(`${tenant}/watch-${randomUUID()}`, [watched(watchId)], 'none').catch((error: unknown) => {
        failure ??= error
      })
    })
    isSent = true
    await polling
    if (failure !== undefined) throw failure
    return { all, rate, missing: began.size, arrivedRate: (all.length / (performance.now() - sentFrom)) * 1000 }
  } finally {
    await store.close()
    await mongo.close()
  }
}

/** Sends and receives the same number of messages with the driver alone, one by one. */
async function throughDriver(servers: Servers, count: number): Promise<Latencies> {
  const kafka = new Kafka({ clientId: 'bench', brokers: [...servers.brokers], logLevel: logLevel.NOTHING })
  const topic = `bench-${randomUUID()}`
  const [admin, producer] = [kafka.admin(), kafka.producer({ idempotent: true, maxInFlightRequests: 1 })]
  const consumer = kafka.consumer({ groupId: topic })
  const all: number[] = []
  let arrived = 0
  let failure: unknown
  try {
    await admin.connect()
    await admin.createTopics({ waitForLeaders: true, topics: [{ topic, numPartitions: 12 }] })
    await producer.connect()
    await consumer.connect()
    await consumer.subscribe({ topics: [topic], fromBeginning: true })
    const joined = new Promise<void>((resolve) => void consumer.on(consumer.events.GROUP_JOIN, () => resolve()))
    await consumer.run({
      async eachMessage({ message }) {
        arrived += 1
        all.push(performance.now() - Number(message.value?.toString().split(' ', 1)[0]))
      },
    })
    await joined
    const padding = 'x'.repeat(400)
    const sentFrom = performance.now()
    const rate = await paced(count, (n) => {
      const messages = [{ key: String(n), value: `${performance.now()} ${padding}` }]
      producer.send({ topic, acks: -1, messages }).catch((error: unknown) => {
        failure ??= error
      })
    })
    for (const until = performance.now() + timeoutMs; arrived < count && performance.now() < until; ) await sleep(20)
    if (failure !== undefined) throw failure
    return { all, rate, missing: count - arrived, arrivedRate: (arrived / (performance.now() - sentFrom)) * 1000 }
  } finally {
    await consumer.disconnect()
    await producer.disconnect()
    await admin.disconnect()
  }
}

/** A function that returns the CPU seconds of each process since this call. */
function cpuOf(servers: Servers, running: Running): () => string {
  const pids = new Map<string, number>([...servers.pids, ['bench', process.pid]])
  for (const { service, pid } of Object.values(running)) pids.set(service, pid)
  const before = new Map([...pids].map(([name, pid]) => [name, cpuMs(pid)]))
  const since = (name: string, pid: number) => (cpuMs(pid) - (before.get(name) ?? 0)) / 1000
  return () => [...pids].map(([name, pid]) => `${name} ${since(name, pid).toFixed(1)}`).join(', ')
}

/** D1: the latency from the append in one service to the read model of another, over Kafka, at a steady rate. */
export async function benchDistributedPath(servers: Servers, running: Running): Promise<BenchRow[]> {
  const warmUp = warmUpSeconds * perSecond
  await throughServices(servers, 1, warmUp)
  const bare = await throughDriver(servers, seconds * perSecond)
  const used = cpuOf(servers, running)
  const path = await throughServices(servers, 1 + warmUp, seconds * perSecond)
  const cpu = used()
  const p = (of: Latencies, share: number) => percentile(of.all, share)
  const figures = (of: Latencies) => `p50 ${p(of, 0.5).toFixed(0)}, p99 ${p(of, 0.99).toFixed(0)} ms`
  const lost = path.missing === 0 ? '' : `, ${path.missing} not seen within ${timeoutMs / 1000} s`
  const name = `append to another's read model at ${perSecond}/s`
  return [
    {
      name: `D1 ${name}: p99 of ${targetMs} ms`,
      ratio: path.missing === 0 ? p(path, 0.99) / targetMs : Number.POSITIVE_INFINITY,
      target: '<= 1',
      detail: `${figures(path)}${lost}; ${path.rate.toFixed(0)}/s sent, ${path.arrivedRate.toFixed(0)}/s seen; ${load()}; CPU seconds: ${cpu}`,
    },
    {
      name: `D1 ${name}: p99 against kafkajs alone`,
      ratio: p(path, 0.99) / p(bare, 0.99),
      target: '-',
      detail: `kafkajs from send to eachMessage: ${figures(bare)}; both with the servers on the same cores`,
    },
  ]
}
