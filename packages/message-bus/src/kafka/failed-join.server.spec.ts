import { systemClock, systemTimers } from '@assay/service-kit/node'
import type { ConsumerConfig } from 'kafkajs'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { type KafkaServer, start } from '../../../../tools/servers/kafka.mjs'
import { done } from '../port.ts'
import { defaultRetry } from '../retry.ts'
import { createClient } from './client.ts'
import { createKafkaBus } from './index.ts'
import { createNames } from './names.ts'
import { parkedInMemory } from './parked-in-memory.fixture.ts'
import { numbered } from './publishing.fixture.ts'
import { createSubscription } from './subscription.ts'

const clock = systemClock
const timers = systemTimers

const protocolError = (type: string, retriable: boolean) =>
  Object.assign(new Error(type), { name: 'KafkaJSProtocolError', type, retriable })

describe('subscription to Kafka whose join fails', () => {
  let server: KafkaServer
  beforeAll(async () => {
    server = await start()
  })
  afterAll(() => server.stop())

  it('given a coordinator that is loading, when a member must join again, then it continues to handle messages', async () => {
    const parkedMessages = parkedInMemory()
    const connection = { brokers: server.brokers, clientId: 'joining', parkedMessages, clock, timers }
    const bus = await createKafkaBus({ ...connection, partitions: 3, replication: 1 })
    await bus.publish('a', [])
    const { kafka, admin } = createClient(connection, undefined)
    await admin.connect()
    const onError = () => undefined
    let isMoving = false
    let failed = 0
    /**
     * The real driver. While the group's coordinator moves, the old coordinator refuses a heartbeat, and the new one
     * refuses a join because it is still loading. Later it accepts the member under its earlier id.
     */
    function consumer(config: ConsumerConfig) {
      const made = kafka.consumer({
        ...config,
        partitionAssigners: (config.partitionAssigners ?? []).map((make) => (options) => {
          const assigner = make(options)
          return {
            ...assigner,
            async protocol(subscription) {
              const state = await assigner.protocol(subscription)
              if (!isMoving) return state
              isMoving = false
              failed++
              throw protocolError('GROUP_LOAD_IN_PROGRESS', true)
            },
          }
        }),
      })
      // The driver treats an error of a listener like a failed request.
      made.on(made.events.HEARTBEAT, () => {
        if (isMoving) throw protocolError('NOT_COORDINATOR_FOR_GROUP', false)
      })
      return made
    }
    const ids: string[] = []
    const subscription = await createSubscription({
      kafka: { consumer },
      admin,
      store: parkedMessages,
      names: createNames(''),
      topics: ['a'],
      group: 'g',
      async handle({ message }) {
        ids.push(message.id)
        return done
      },
      retry: defaultRetry,
      settings: {
        sessionTimeoutMs: 6000,
        heartbeatIntervalMs: 500,
        rebalanceTimeoutMs: 10_000,
        maxWaitMs: 100,
        concurrency: 4,
        maxPausing: 4,
        commitEveryMs: 50,
        // Long, so that the safety net does not act.
        abandonAfterMs: 600_000,
      },
      clock,
      timers,
      onError,
    })
    await bus.publish('a', numbered(0, 50))
    await vi.waitFor(() => expect(ids).toHaveLength(50), { timeout: 20_000, interval: 20 })
    isMoving = true
    await vi.waitFor(() => expect(failed).toBe(1), { timeout: 20_000, interval: 20 })
    await bus.publish('a', numbered(50, 100))
    await vi.waitFor(async () => expect(await subscription.lag()).toBe(0), { timeout: 30_000, interval: 100 })
    expect(ids.map(Number).toSorted((a, b) => a - b)).toEqual(Array.from({ length: 100 }, (_, id) => id))
    await subscription.close()
    await admin.disconnect()
    await bus.close()
  })
})
