import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { type KafkaServer, start } from '../../../../tools/servers/kafka.mjs'
import { followingIds } from '../testing/index.ts'
import { busOver } from './bus-over.fixture.ts'
import { expectOrdered, keepPublishing } from './publishing.fixture.ts'

/** Up to the sum of the limits below, because a loaded machine is slow to start six brokers. */
const limitMs = 600_000

describe('message bus of a Kafka cluster', () => {
  let server: KafkaServer
  beforeAll(async () => {
    server = await start({ brokers: 3 })
  }, limitMs)
  afterAll(() => server.stop())

  it('given three brokers, when each is killed in turn during publishing, then each acknowledged message is handled once', {
    timeout: limitMs,
  }, async () => {
    const bus = await busOver(server.brokers, { replication: 3, sessionTimeoutMs: 6000 })
    const { ids, subscription } = await followingIds(bus)
    const publisher = keepPublishing(bus)
    const more = async () => {
      const before = publisher.acknowledged.length
      await vi.waitUntil(() => publisher.acknowledged.length > before + 100, { timeout: 40_000, interval: 20 })
    }
    await more()
    for (const broker of [0, 1, 2]) {
      await server.kill(broker)
      await more()
      await server.restart(broker)
      await more()
    }
    await publisher.stop()
    await vi.waitFor(async () => expect(await subscription.lag()).toBe(0), { timeout: 40_000, interval: 100 })
    expect(ids.toSorted()).toEqual(publisher.acknowledged.toSorted())
    expectOrdered(ids)
    await bus.close()
  })
})
