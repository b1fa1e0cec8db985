import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type AssayProcess, startAssay } from '@assay/testkit'
import { Kafka, logLevel, type Producer } from 'kafkajs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type KafkaServer, start as startKafka } from '../../../tools/servers/kafka.mjs'

const api = '/catalog-server/api'
const quality = `${api}/rules/data-quality`

let server: KafkaServer
let producer: Producer
let folder: string
let assay: AssayProcess
beforeAll(async () => {
  ;[server, folder] = await Promise.all([startKafka(), mkdtemp(join(tmpdir(), 'assay-kafka-source-'))])
  const kafka = new Kafka({ brokers: server.brokers, logLevel: logLevel.NOTHING })
  const admin = kafka.admin()
  await admin.createTopics({ topics: [{ topic: 'orders', numPartitions: 2 }], waitForLeaders: true })
  await admin.disconnect()
  producer = kafka.producer()
  await producer.connect()
  assay = await startAssay(join(folder, 'data'))
}, 300_000)
afterAll(async () => {
  await assay?.stop()
  await producer?.disconnect()
  await server?.stop()
  await rm(folder, { recursive: true, force: true })
})

const order = (id: number, email: string | null) => ({ value: JSON.stringify({ id, email }) })
const send = (...messages: { value: string }[]) => producer.send({ topic: 'orders', messages })

async function good(method: string, path: string, body?: unknown) {
  const answer = await assay.call(method, path, body)
  expect({ path, status: answer.status, text: answer.text }).toMatchObject({ status: 200 })
  return answer.json
}

async function ended(kind: string, policy: number, request: object) {
  const { execution } = await good('POST', `${api}/rules/${kind}/${policy}/executions`, request)
  const { json } = await assay.until(
    `${api}/rules/${kind}/executions/${execution.id}/result`,
    ({ status, json }) => status === 200 && !/RUNNING|WAITING|STARTED/.test(json.execution.executionStatus),
  )
  return json
}

async function run(policy: number, request: object) {
  const { execution, items } = await ended('data-quality', policy, request)
  const { rowsScanned, rowsFailed } = items[0]
  return { rowsScanned, rowsFailed, id: execution.id }
}

describe('a Kafka cluster as a source', () => {
  it('is crawled, and policies judge its messages: all, those since the last run, or those from a time on', async () => {
    await send(order(1, 'a@example.com'), order(2, null))
    const body = (configuration: object) => ({ name: 'shop', sourceType: 'KAFKA', configuration })
    const configuration = { brokers: server.brokers, topics: ['ord*'], format: 'JSON' }
    for (const [wrong, field] of [
      [{ ...configuration, brokers: ['kafka'] }, 'configuration.brokers[0]'],
      [{ ...configuration, format: 'AVRO' }, 'configuration.format'],
      [{ ...configuration, brokers: ['127.0.0.1:1'] }, 'configuration: the source cannot be opened'],
      [{ ...configuration, path: '/' }, 'configuration.path'],
    ] as const) {
      const refused = await assay.call('POST', `${api}/assemblies`, body(wrong))
      expect(refused).toMatchObject({ status: 400, text: expect.stringContaining(field) })
    }
    expect(await good('POST', `${api}/assemblies/test`, body(configuration))).toMatchObject({
      data: { ok: true, assetsFound: 1 },
    })
    const made = await assay.call('POST', `${api}/assemblies`, body(configuration))
    expect(made.text).toContain('"KAFKA"')
    const found = await assay.until(`${api}/assets/byUid/shop.orders`, ({ status }) => status === 200)
    const { data: asset } = found.json
    const { data: column } = await good('GET', `${api}/assets/byUid/shop.orders.email`)
    expect([asset, column].map(({ assetType }) => assetType.name)).toEqual(['KAFKA_TOPIC', 'KAFKA_TOPIC_COLUMN'])

    const policy = await good('POST', quality, {
      rule: {
        name: 'orders have an e-mail address',
        backingAsset: { tableAssetId: asset.id, marker: { type: 'TimestampBasedMarkerConfig' } },
      },
      items: [{ name: 'has an address', measurementType: 'MISSING_VALUES', columnName: 'email' }],
    })
    const id = policy.rule.id
    expect(await run(id, { executionType: 'FULL' })).toMatchObject({ rowsScanned: 2, rowsFailed: 1 })
    const first = await run(id, { executionType: 'INCREMENTAL' })
    expect(first).toMatchObject({ rowsScanned: 2, rowsFailed: 1 })
    await send(order(3, null), order(4, 'b@example.com'), { value: 'not JSON' })
    const second = await run(id, { executionType: 'INCREMENTAL' })
    expect(second).toMatchObject({ rowsScanned: 2, rowsFailed: 1 })
    const { data } = await good('GET', `${quality}/executions/${second.id}/rows?category=bad`)
    expect(data.rows).toHaveLength(1)
    expect(await run(id, { executionType: 'INCREMENTAL' })).toMatchObject({ rowsScanned: 0 })
    const from = (initialOffset: string) => ({
      executionType: 'SELECTIVE',
      markerConfigs: [{ assetId: asset.id, markerConfig: { type: 'TimestampBasedMarkerConfig', initialOffset } }],
    })
    expect(await run(id, from('2020-01-01'))).toMatchObject({ rowsScanned: 4, rowsFailed: 2 })
    expect(await run(id, from('2100-01-01'))).toMatchObject({ rowsScanned: 0 })

    const rule = (name: string) => ({ name, backingAsset: { tableAssetId: asset.id } })
    const fresh = await good('POST', `${api}/rules/data-freshness`, {
      rule: rule('orders are an hour old at most'),
      items: [{ name: 'age', measurementType: 'RAW_DATA_FRESHNESS', value: { maxAge: 'PT1H' } }],
    })
    const { items: ages } = await ended('data-freshness', fresh.rule.id, {})
    expect(ages).toMatchObject([{ status: 'SUCCESSFUL', source: 'OFFSET' }])
    const steady = await good('POST', `${api}/rules/data-cadence`, { rule: rule('orders arrive as usual') })
    const { items: counts } = await ended('data-cadence', steady.rule.id, {})
    expect(counts.map(({ name, value }: { name: string; value: string }) => [name, value])).toContainEqual([
      'Messages',
      '5',
    ])
    const size = { name: 'size', measurementType: 'ABSOLUTE_TOPIC_SIZE' }
    const refused = await assay.call('POST', `${api}/rules/data-cadence`, { rule: rule('size'), items: [size] })
    expect(refused).toMatchObject({ status: 400, text: expect.stringContaining('items[0].measurementType') })
  })
})
