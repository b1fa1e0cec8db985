import { systemClock, systemTimers } from '@assay/service-kit/node'
import { afterAll, beforeAll } from 'vitest'
import { type KafkaServer, start } from '../../../../tools/servers/kafka.mjs'
import { messageBusFeatures } from '../testing/index.ts'
import { createKafkaBus } from './index.ts'
import { parkedInMemory } from './parked-in-memory.fixture.ts'

let server: KafkaServer
let worlds = 0
beforeAll(async () => {
  server = await start()
})
afterAll(() => server.stop())

messageBusFeatures('Kafka', 2000, async ({ topics, retry, unhealthyAfterMs }) => {
  const prefix = `world-${worlds++}.`
  const parkedMessages = parkedInMemory()
  const open = () =>
    createKafkaBus({
      brokers: server.brokers,
      clientId: 'features',
      parkedMessages,
      clock: systemClock,
      timers: systemTimers,
      partitions: 3,
      replication: 1,
      prefix,
      retry,
      unhealthyAfterMs,
      sessionTimeoutMs: 6000,
      maxWaitMs: 100,
    })
  let bus = await open()
  for (const topic of topics) await bus.publish(topic, [])
  return {
    bus,
    async reopen() {
      await bus.close()
      bus = await open()
      return bus
    },
    hang: () => server.pause(),
    resume: () => server.resume(),
    end: () => bus.close(),
  }
})
