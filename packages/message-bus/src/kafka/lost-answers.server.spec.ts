import { systemTimers } from '@assay/service-kit/node'
import { openProxy, type TcpProxy } from '@assay/testkit'
import { Kafka, logLevel } from 'kafkajs'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { type KafkaServer, start } from '../../../../tools/servers/kafka.mjs'
import { followingIds } from '../testing/index.ts'
import { busOver } from './bus-over.fixture.ts'
import { expectOrdered, keepPublishing } from './publishing.fixture.ts'

describe('message bus of Kafka when answers are lost', () => {
  let proxy: TcpProxy
  let server: KafkaServer
  beforeAll(async () => {
    proxy = await openProxy(() => [Number(server.brokers[0]?.split(':')[1])])
    server = await start({ advertisedPorts: [proxy.port] })
  })
  afterAll(async () => {
    await proxy.close()
    await server.stop()
  })

  it('given stored messages whose answers are lost, when they are sent again, then each is stored once, in order', async () => {
    const brokers = [`127.0.0.1:${proxy.port}`]
    const bus = await busOver(brokers, { sessionTimeoutMs: 6000 })
    const { ids, subscription } = await followingIds(bus)
    const publisher = keepPublishing(bus)
    const { acknowledged } = publisher
    for (let round = 0; round < 5; round++) {
      const before = acknowledged.length
      await vi.waitUntil(() => acknowledged.length > before + 50, { timeout: 30_000, interval: 5 })
      proxy.break({ kind: 'drop-answers' })
      await systemTimers.sleep(300)
      proxy.cut()
      proxy.heal()
    }
    const before = acknowledged.length
    await vi.waitUntil(() => acknowledged.length > before + 50, { timeout: 30_000, interval: 5 })
    await publisher.stop()
    await vi.waitFor(async () => expect(await subscription.lag()).toBe(0), { timeout: 60_000, interval: 100 })
    expect(ids.toSorted()).toEqual(acknowledged.toSorted())
    expectOrdered(ids)
    const admin = new Kafka({ brokers, logLevel: logLevel.NOTHING }).admin()
    await admin.connect()
    const stored = (await admin.fetchTopicOffsets('a')).reduce((sum, { high }) => sum + Number(high), 0)
    await admin.disconnect()
    expect(stored).toBe(acknowledged.length)
    await bus.close()
  })
})
