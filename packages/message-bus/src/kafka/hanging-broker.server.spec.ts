import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { type KafkaServer, start } from '../../../../tools/servers/kafka.mjs'
import { followingIds } from '../testing/index.ts'
import { busOver } from './bus-over.fixture.ts'
import { expectOrdered, numbered } from './publishing.fixture.ts'

describe('message bus of a Kafka broker that hangs', () => {
  let server: KafkaServer
  beforeAll(async () => {
    server = await start()
  })
  afterAll(() => server.stop())

  it('given a broker that hangs, when consumers are abandoned, then the last one continues, and each message is handled once', async () => {
    const abandoned: string[] = []
    const note = (about: object, said?: string) => {
      if (said?.includes('abandoned')) abandoned.push(JSON.stringify(about))
    }
    const logger = { debug: note, info: note, warn: note, error: note }
    const bus = await busOver(server.brokers, {
      logger,
      sessionTimeoutMs: 3000,
      rebalanceTimeoutMs: 2000,
      unhealthyAfterMs: 2000,
    })
    const { ids, subscription } = await followingIds(bus)
    await bus.publish('a', numbered(0, 100))
    await vi.waitUntil(() => ids.length === 100, { timeout: 20_000, interval: 20 })
    server.pause()
    try {
      await vi.waitUntil(() => abandoned.length > 1, { timeout: 40_000, interval: 20 })
      // A restart alone does not make the bus healthy.
      expect(bus.healthy()).toBe(false)
    } finally {
      server.resume()
    }
    await bus.publish('a', numbered(100, 200))
    await vi.waitFor(async () => expect(await subscription.lag()).toBe(0), { timeout: 40_000, interval: 100 })
    await vi.waitUntil(() => bus.healthy(), { timeout: 20_000, interval: 100 })
    expect(ids.map(Number).toSorted((a, b) => a - b)).toEqual(Array.from({ length: 200 }, (_, id) => id))
    expectOrdered(ids)
    await bus.close()
  })
})
