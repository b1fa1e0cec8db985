import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Kafka, logLevel, type Producer } from 'kafkajs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type KafkaServer, start } from '../../../../../../tools/servers/kafka.mjs'
import type { BrokerAccess } from '../../../broker-access.ts'
import type { Discovered, Source } from '../../../dataset.ts'
import type { Metric, Window } from '../../../plan.ts'
import type { DataEngine } from '../../../port.ts'
import { createEngineInProcess } from '../../../testing/engine-in-process.ts'
import { expression, planFor, rows } from '../../../testing/plans.ts'
import { createDuckDbEngine } from '../../index.ts'

let server: KafkaServer
let folder: string
let engine: DataEngine
let kafka: Kafka
let producer: Producer
let access: BrokerAccess = null
const signal = new AbortController().signal
const clock = { now: () => Date.now() }

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'assay-topics-'))
  server = await start()
  kafka = new Kafka({ brokers: server.brokers, logLevel: logLevel.NOTHING })
  producer = kafka.producer({ allowAutoTopicCreation: false })
  await producer.connect()
  engine = createEngineInProcess({ tempRoot: join(folder, 'temp'), brokersOf: () => access })
})
afterAll(async () => {
  await engine.close()
  await producer.disconnect()
  await server.stop()
  await rm(folder, { recursive: true, force: true })
})

async function createTopic(topic: string, partitions = 1): Promise<string> {
  const admin = kafka.admin()
  await admin.createTopics({ topics: [{ topic, numPartitions: partitions }], waitForLeaders: true })
  await admin.disconnect()
  return topic
}

interface Sent {
  value: string | null
  partition?: number
  timestamp?: string
}
const send = (topic: string, messages: Sent[]) => producer.send({ topic, messages })
const row = (value: object, more: Partial<Sent> = {}): Sent => ({ value: JSON.stringify(value), ...more })

async function crawled(more: { topics?: string[]; brokers?: string[] } = {}): Promise<Discovered[]> {
  const source: Source = { sourceType: 'KAFKA', brokers: server.brokers, format: 'JSON', ...more }
  const found: Discovered[] = []
  for await (const one of engine.discover(source, { signal })) found.push(one)
  return found
}

async function table(topic: string) {
  const found = (await crawled({ topics: [topic] })).find((one) => one.kind === 'table')
  if (found?.kind !== 'table') throw new Error(`${topic} was not found`)
  return found
}

const noBadId: Metric[] = [expression(1, 'id >= 0')]
async function measured(topic: string, window?: Window, metrics: Metric[] = noBadId) {
  const plan = planFor((await table(topic)).locator, metrics, window === undefined ? {} : { window })
  return engine.measure(plan, { signal, rows: async () => undefined })
}

describe('topics as tables', () => {
  it('given messages in several partitions, then a crawl finds the topic with typed columns, its size and its newest time', async () => {
    const topic = await createTopic('orders', 3)
    await send(topic, [
      row(
        { id: 1, at: '2026-11-01T06:10:00Z', lines: [{ sku: 'a', n: 2 }] },
        { partition: 0, timestamp: '1777615800000' },
      ),
      row({ id: 2, at: '2026-11-01T06:11:00Z', price: 1.5 }, { partition: 1, timestamp: '1777615860000' }),
      row({ id: 3, at: '2026-11-01T06:12:00Z' }, { partition: 2, timestamp: '1777615920000' }),
    ])
    await createTopic('unrelated')
    const found = await crawled({ topics: ['ord*'] })
    expect(found.map(({ kind }) => kind)).toEqual(['found', 'table'])
    expect(found[1]).toMatchObject({
      name: 'orders',
      path: [],
      assetType: 'KAFKA_TOPIC',
      rowCount: 3,
      lastChangedAt: new Date(1777615920000).toISOString(),
      columns: [
        { name: 'id', dataType: 'BIGINT' },
        { name: 'at', dataType: expect.stringContaining('TIMESTAMP') },
        { name: 'lines', dataType: 'STRUCT(sku VARCHAR, n BIGINT)[]' },
        { name: 'price', dataType: 'DOUBLE' },
      ],
    })
    expect(
      await engine.probe({ sourceType: 'KAFKA', brokers: server.brokers, format: 'JSON' }, { signal }),
    ).toMatchObject({
      tables: 2,
    })
    const dataset = (await table(topic)).locator
    expect(await engine.lastChange({ dataset }, { signal })).toMatchObject({
      at: new Date(1777615920000).toISOString(),
      source: 'OFFSET',
      times: [1777615800000, 1777615860000, 1777615920000].map((time) => new Date(time).toISOString()),
      messages: 3,
    })
  })

  it('given deletions and values that are not JSON objects, then they are not rows, and a warning names the offset of each such value', async () => {
    const topic = await createTopic('mixed')
    await send(topic, [
      row({ id: 1 }),
      { value: 'oops' },
      { value: '[1]' },
      { value: null },
      { value: '{\n"id":\r\n -2 }' },
    ])
    const { rowsScanned, metrics, warnings } = await measured(topic)
    expect({ rowsScanned, metrics }).toEqual({
      rowsScanned: 2,
      metrics: [{ id: 1, kind: 'rows', scanned: 2, failed: 1 }],
    })
    const message = expect.stringContaining('not a JSON object')
    expect(warnings).toEqual({
      total: 2,
      first: [
        { line: 1, message },
        { line: 2, message },
      ],
    })
    const { rows: sampled } = await engine.sample({ dataset: (await table(topic)).locator, limit: 10 }, { signal })
    expect(sampled).toEqual([{ id: 1 }, { id: -2 }])
  })

  it('given runs that follow, then each reads the messages after the last one, also of new partitions and without messages', async () => {
    const topic = await createTopic('followed')
    await send(topic, [row({ id: 1 }), row({ id: 2 })])
    const follow = (after?: string): Window => ({
      kind: 'offsets',
      follow: true,
      ...(after === undefined ? {} : { after }),
    })
    const first = await measured(topic, follow())
    await send(topic, [row({ id: -3 })])
    const admin = kafka.admin()
    await admin.createPartitions({ topicPartitions: [{ topic, count: 2 }] })
    await admin.disconnect()
    // A producer that knows the new partition.
    const other = kafka.producer()
    await other.connect()
    await other.send({ topic, messages: [row({ id: 4 }, { partition: 1 })] })
    await other.disconnect()
    const second = await measured(topic, follow(first.reached ?? undefined))
    const third = await measured(topic, follow(second.reached ?? undefined))
    expect([first, second, third].map(({ rowsScanned }) => rowsScanned)).toEqual([2, 2, 0])
    expect(second.metrics).toEqual([{ id: 1, kind: 'rows', scanned: 2, failed: 1 }])
    expect(third.reached).toBe(second.reached)
    await expect(measured(topic, follow('2026-11-01'))).rejects.toMatchObject({ code: 'unprocessable' })
  })

  it('given a time, then only messages from then on are read', async () => {
    const topic = await createTopic('timed', 2)
    const at = (time: string, partition: number) => ({ timestamp: String(Date.parse(time)), partition })
    await send(topic, [row({ id: 1 }, at('2026-11-01T00:00:00Z', 0)), row({ id: 2 }, at('2026-11-02T00:00:00Z', 0))])
    await send(topic, [row({ id: 3 }, at('2026-11-01T00:00:00Z', 1))])
    const window: Window = { kind: 'offsets', from: '2026-11-02T00:00:00.000Z', follow: false }
    expect(await measured(topic, window)).toMatchObject({ rowsScanned: 1, reached: null })
  })

  it('given messages that the cluster removed before they were read, then a warning says which', async () => {
    const topic = await createTopic('shortened')
    await send(topic, [row({ id: 1 }), row({ id: 2 }), row({ id: 3 })])
    const admin = kafka.admin()
    await admin.fetchTopicOffsets(topic)
    await admin.deleteTopicRecords({ topic, partitions: [{ partition: 0, offset: '2' }] })
    await admin.disconnect()
    const { rowsScanned, warnings } = await measured(topic, { kind: 'offsets', follow: true, after: '{"0":0}' })
    expect(rowsScanned).toBe(1)
    expect(warnings.first[0]?.message).toBe('partition 0: messages 0 to 1 were removed before a run read them')
  })

  it('given transactions, then aborted messages are not rows, and an open transaction is read once it is committed', async () => {
    const topic = await createTopic('transacted')
    const writer = kafka.producer({ transactionalId: 'writer', maxInFlightRequests: 1, idempotent: true })
    await writer.connect()
    const aborted = await writer.transaction()
    await aborted.send({ topic, messages: [row({ id: -1 })] })
    await aborted.abort()
    const open = await writer.transaction()
    await open.send({ topic, messages: [row({ id: 2 })] })
    const before = await measured(topic, { kind: 'offsets', follow: true })
    await open.commit()
    await writer.disconnect()
    const after = await measured(topic, { kind: 'offsets', follow: true, after: before.reached ?? '' })
    expect([before.rowsScanned, after.rowsScanned]).toEqual([0, 1])
    expect(after.metrics).toEqual([{ id: 1, kind: 'rows', scanned: 1, failed: 0 }])
  })

  it('given fields that the messages of a window lack, then they are NULL with the type of the crawl', async () => {
    const topic = await createTopic('sparse')
    await send(topic, [row({ id: 1, price: 2.5 })])
    const dataset = (await table(topic)).locator
    await send(topic, [row({ id: 2 })])
    const plan = planFor(
      dataset,
      [rows(1, { kind: 'missing', column: 'price', blankToo: false }), expression(2, 'price + 1 > 0')],
      {
        window: { kind: 'offsets', follow: true, after: '{"0":1}' },
      },
    )
    const { metrics } = await engine.measure(plan, { signal, rows: async () => undefined })
    expect(metrics).toEqual([
      { id: 1, kind: 'rows', scanned: 1, failed: 1 },
      { id: 2, kind: 'rows', scanned: 1, failed: 1 },
    ])
  })

  it('given a topic without messages, then it is found without columns, and its runs have no rows', async () => {
    const topic = await createTopic('empty')
    expect(await table(topic)).toMatchObject({ columns: [], rowCount: 0, lastChangedAt: null })
    expect(await measured(topic, undefined, [])).toMatchObject({ rowsScanned: 0 })
  })

  it('given a process of its own, then a child reads the messages', async () => {
    const topic = await createTopic('child')
    await send(topic, [row({ id: 1 })])
    const dataset = (await table(topic)).locator
    const own = createDuckDbEngine({ memoryMb: 256, threads: 1, clock, accessOf: () => ({ allowed: [], denied: [] }) })
    try {
      expect(await own.profile({ dataset }, { signal })).toMatchObject({ rows: 1 })
    } finally {
      await own.close()
    }
  })

  it('given brokers that may not be read, or that do not answer, then the reason is in the error', async () => {
    access = ['kafka.example:9092']
    try {
      await expect(crawled()).rejects.toMatchObject({
        code: 'unprocessable',
        message: expect.stringContaining('is not among the brokers that sources may be read from'),
      })
      // The address that the source names is allowed, but not the one that the cluster advertises.
      const alias = server.brokers.map((broker) => broker.replace(/^[^:]+/, 'localhost'))
      access = alias
      await expect(crawled({ brokers: alias })).rejects.toMatchObject({
        message: expect.stringContaining('advertises'),
      })
    } finally {
      access = null
    }
    await expect(crawled({ brokers: ['127.0.0.1:1'] })).rejects.toMatchObject({
      code: 'unprocessable',
      message: '127.0.0.1:1 cannot be read: no broker answers. Check the addresses and the network.',
    })
  })
})
