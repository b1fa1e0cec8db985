import { type Assigner, type Consumer, type ConsumerConfig, Kafka, logLevel } from 'kafkajs'
import { expect, it } from 'vitest'
import { done } from '../port.ts'
import { defaultRetry } from '../retry.ts'
import { createNames } from './names.ts'
import { parkedInMemory } from './parked-in-memory.fixture.ts'
import { createSubscription } from './subscription.ts'

const kafka = new Kafka({ brokers: ['127.0.0.1:1'], logLevel: logLevel.NOTHING })
const never = new Promise<never>(() => {})
const turn = () => new Promise<void>((resolve) => setImmediate(resolve))
async function turns() {
  for (let count = 0; count < 10; count++) await turn()
}

/** A consumer without a cluster, whose events the test emits. */
interface Driven {
  protocol(): Promise<unknown>
  /** Emits an event, and throws the listener's error, as the driver does. */
  emit(event: string, payload: unknown): void
  consumer: Consumer
}

function drive(config: ConsumerConfig, over: Partial<Consumer>): Driven {
  const listeners = new Map<string, ((event: never) => void)[]>()
  const cluster: Parameters<NonNullable<ConsumerConfig['partitionAssigners']>[number]>[0]['cluster'] = {
    getNodeIds: () => [],
    metadata: () => never,
    removeBroker: () => undefined,
    addMultipleTargetTopics: async () => undefined,
    isConnected: () => true,
    connect: async () => undefined,
    disconnect: async () => undefined,
    refreshMetadata: async () => undefined,
    refreshMetadataIfNecessary: async () => undefined,
    addTargetTopic: async () => undefined,
    findBroker: () => never,
    findControllerBroker: () => never,
    findTopicPartitionMetadata: () => [],
    findLeaderForPartitions: () => ({}),
    findGroupCoordinator: () => never,
    findGroupCoordinatorMetadata: () => never,
    defaultOffset: () => 0,
    fetchTopicsOffset: async () => [],
  }
  const [assigner]: Assigner[] = (config.partitionAssigners ?? []).map((make) =>
    make({ cluster, groupId: config.groupId, logger: kafka.logger() }),
  )
  return {
    protocol: async () => await assigner?.protocol({ topics: ['a'] }),
    emit(event, payload) {
      for (const listener of listeners.get(event) ?? [])
        Reflect.apply(listener, undefined, [{ id: '1', type: event, timestamp: 0, payload }])
    },
    consumer: {
      ...kafka.consumer(config),
      connect: async () => undefined,
      subscribe: async () => undefined,
      run: async () => undefined,
      seek: () => undefined,
      resume: () => undefined,
      disconnect: async () => undefined,
      on(event: string, listener: (event: never) => void) {
        listeners.set(event, [...(listeners.get(event) ?? []), listener])
        return () => undefined
      },
      ...over,
    },
  }
}

/** A subscription over consumers that behave like `over`, with a manual clock. */
function begin(over: Partial<Consumer>, joinTimeoutMs?: number) {
  let now = 0
  const works: (() => void)[] = []
  const driven: Driven[] = []
  const said: string[] = []
  const clock = { now: () => now }
  const timers = {
    sleep: turn,
    every(_: number, work: () => void) {
      works.push(work)
      return { stop: () => works.splice(works.indexOf(work), 1) }
    },
  }
  const admin = kafka.admin()
  const onError = (_: unknown, about: string) => said.push(about)
  const subscribing = createSubscription({
    kafka: {
      consumer(config) {
        const next = drive(config, over)
        driven.push(next)
        return next.consumer
      },
    },
    admin,
    store: parkedInMemory(),
    names: createNames(''),
    topics: ['a'],
    group: 'g',
    handle: async () => done,
    retry: defaultRetry,
    settings: {
      sessionTimeoutMs: 6000,
      heartbeatIntervalMs: 2000,
      rebalanceTimeoutMs: 60_000,
      maxWaitMs: 100,
      concurrency: 1,
      maxPausing: 1,
      commitEveryMs: 10,
      abandonAfterMs: 66_000,
      joinTimeoutMs,
    },
    clock,
    timers,
    onError,
  })
  return {
    subscribing,
    driven,
    said,
    async pass(milliseconds: number) {
      now += milliseconds
      for (const work of [...works]) work()
      await turns()
    },
  }
}

const stood = 'The consumer is stuck: it is abandoned and replaced by a new one.'
const ended = 'The consumer has ended and is restarted.'
const joined = { memberId: 'm', memberAssignment: {} }

it('given a driver that never fetches, then its consumer is replaced again and again', async () => {
  const { subscribing, driven, said, pass } = begin({ disconnect: () => never })
  const subscription = await subscribing
  await pass(65_999)
  expect([driven.length, said]).toEqual([1, []])
  await pass(1)
  expect([driven.length, said]).toEqual([2, [stood]])
  await pass(66_000)
  expect([driven.length, said]).toEqual([3, [stood, stood]])
  // A start is not a poll.
  expect(subscription.lastPoll()).toBe(0)
  driven[2]?.emit('consumer.group_join', joined)
  expect(subscription.lastPoll()).toBe(132_000)
  driven[2]?.emit('consumer.fetch_start', { nodeId: 0 })
  await pass(1000)
  driven[2]?.emit('consumer.fetch', { nodeId: 0 })
  expect(subscription.lastPoll()).toBe(133_000)
})

it('given a driver that never connects, when its consumer is abandoned, then `subscribe` resolves and further consumers are tried', async () => {
  const { subscribing, driven, pass } = begin({ connect: () => never })
  await pass(66_000)
  await subscribing
  expect(driven).toHaveLength(2)
})

it('given a group that cannot be joined, when `joinTimeoutMs` is over, then `subscribe` resolves and reports that it is joining', async () => {
  const { subscribing, driven } = begin({ run: () => never }, 0)
  const subscription = await subscribing
  expect(subscription.isJoining()).toBe(true)
  driven[0]?.emit('consumer.group_join', joined)
  expect(subscription.isJoining()).toBe(false)
})

it('given an abandoned consumer, when it recovers, then it can neither join nor fetch', async () => {
  const { subscribing, driven, pass } = begin({})
  const subscription = await subscribing
  await pass(66_000)
  const [former, present] = driven
  await expect(former?.protocol()).rejects.toThrow('abandoned')
  expect(() => former?.emit('consumer.group_join', joined)).toThrow('abandoned')
  expect(() => former?.emit('consumer.fetch_start', { nodeId: 0 })).toThrow('abandoned')
  former?.emit('consumer.fetch', { nodeId: 0 })
  expect(subscription.lastPoll()).toBe(0)
  await present?.protocol()
  present?.emit('consumer.group_join', joined)
  expect(subscription.lastPoll()).toBe(66_000)
})

it('given a join that failed silently, when the driver continues to fetch, then the consumer is replaced', async () => {
  const { subscribing, driven, said } = begin({})
  await subscribing
  const [first] = driven
  await first?.protocol()
  first?.emit('consumer.group_join', joined)
  first?.emit('consumer.fetch_start', { nodeId: 0 })
  first?.emit('consumer.fetch', { nodeId: 0 })
  first?.emit('consumer.rebalancing', { groupId: 'g', memberId: 'm' })
  await first?.protocol()
  expect(() => first?.emit('consumer.fetch_start', { nodeId: 0 })).toThrow('could not be joined')
  first?.emit('consumer.crash', { error: new Error('The group could not be joined.'), groupId: 'g', restart: false })
  await turns()
  expect([driven.length, said]).toEqual([2, [ended]])
})

it('given a join that does not end while other brokers are polled, then the consumer is abandoned after the time limit', async () => {
  const { subscribing, driven, said, pass } = begin({})
  await subscribing
  const [first] = driven
  first?.emit('consumer.fetch_start', { nodeId: 0 })
  first?.emit('consumer.fetch_start', { nodeId: 1 })
  await first?.protocol()
  for (let round = 0; round < 11; round++) {
    await pass(6000)
    first?.emit('consumer.fetch', { nodeId: 1 })
    if (said.length === 0) first?.emit('consumer.fetch_start', { nodeId: 1 })
  }
  expect([driven.length, said]).toEqual([2, [stood]])
})
