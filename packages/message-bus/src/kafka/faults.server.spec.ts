import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { isAssayError } from '@assay/service-kit/errors'
import { systemTimers } from '@assay/service-kit/node'
import { Kafka, logLevel } from 'kafkajs'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { type KafkaServer, start } from '../../../../tools/servers/kafka.mjs'
import type { ParkedMessages } from '../parked-messages.ts'
import { type Delivery, done, type Message, type Outcome } from '../port.ts'
import { testMessage, testRetry } from '../testing/index.ts'
import { busOver } from './bus-over.fixture.ts'
import type { KafkaBus, KafkaBusOptions, PartitionOffsets } from './index.ts'
import { parkedInMemory } from './parked-in-memory.fixture.ts'
import { expectOrdered, keepPublishing, numbered } from './publishing.fixture.ts'

describe('message bus of Kafka when things fail', () => {
  let server: KafkaServer
  let worlds = 0
  let prefix: string
  let parkedMessages: ParkedMessages
  let buses: KafkaBus[]
  beforeAll(async () => {
    server = await start()
  })
  afterAll(() => server.stop())
  beforeEach(() => {
    prefix = `fault-${worlds++}.`
    parkedMessages = parkedInMemory()
    buses = []
  })
  afterEach(async () => {
    await Promise.all(buses.map((bus) => bus.close()))
  })

  async function open(more: Partial<KafkaBusOptions> = {}): Promise<KafkaBus> {
    const bus = await busOver(server.brokers, {
      prefix,
      parkedMessages,
      retry: testRetry,
      sessionTimeoutMs: 3000,
      ...more,
    })
    buses.push(bus)
    return bus
  }

  async function follow(bus: KafkaBus, answer: (delivery: Delivery) => Outcome | Promise<Outcome> = () => done) {
    const seen: Message[] = []
    const subscription = await bus.subscribe({
      topics: ['a'],
      group: 'g',
      async handle(delivery) {
        seen.push(delivery.message)
        return await answer(delivery)
      },
    })
    return { seen, ids: () => seen.map(({ id }) => id), subscription }
  }

  const eventually = (check: () => void | Promise<void>) => vi.waitFor(check, { timeout: 60_000, interval: 50 })

  for (const awayMs of [0, 20_000]) {
    it(`given publishing, when the broker is killed and restarted after ${awayMs} ms, then each acknowledged message is handled once`, async () => {
      const bus = await open()
      const { ids, seen, subscription } = await follow(bus)
      const publisher = keepPublishing(bus)
      await eventually(() => expect(publisher.acknowledged.length).toBeGreaterThan(200))
      await server.kill()
      await systemTimers.sleep(awayMs)
      await server.restart()
      const before = publisher.acknowledged.length
      await eventually(() => expect(publisher.acknowledged.length).toBeGreaterThan(before + 200))
      await publisher.stop()
      await eventually(() => expect(seen.length).toBeGreaterThanOrEqual(publisher.acknowledged.length))
      await eventually(async () => expect(await subscription.lag()).toBe(0))
      expect(ids().toSorted()).toEqual(publisher.acknowledged.toSorted())
      expectOrdered(ids())
      expect(bus.healthy()).toBe(true)
    })
  }

  it('given running handlers, when they end while the broker is down, then no message is handled twice', async () => {
    const bus = await open()
    let release = () => {}
    const gate = new Promise<void>((resolve) => {
      release = resolve
    })
    const { ids, subscription } = await follow(bus, () => gate.then(() => done))
    await bus.publish('a', numbered(0, 40))
    await eventually(() => expect(ids().length).toBe(10))
    await server.kill()
    release()
    await eventually(() => expect(ids().length).toBe(40))
    // Longer than the session, so the group removes the member and reassigns its partitions.
    await systemTimers.sleep(4000)
    await server.restart()
    await bus.publish('a', numbered(40, 50))
    await eventually(async () => expect(await subscription.lag()).toBe(0))
    expect(ids().length).toBe(50)
  })

  it('given a member that is killed while it handles messages, when another member takes over, then no message is lost and the order is kept', async () => {
    const bus = await open()
    await bus.publish('a', numbered(0, 600))
    const member = spawn(process.execPath, [join(import.meta.dirname, 'member.fixture.ts'), server.url, prefix], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const before: string[] = []
    for await (const id of createInterface(member.stdout)) {
      before.push(id)
      if (before.length === 200) member.kill('SIGKILL')
    }
    const { ids, subscription } = await follow(bus)
    await eventually(async () => expect(await subscription.lag()).toBe(0))
    expect(new Set([...before, ...ids()]).size).toBe(600)
    const again = ids().filter((id) => before.includes(id))
    // Only messages since the last commit.
    expect(again.length).toBeLessThan(100)
    expectOrdered(ids())
  })

  it('given a member, when others come and go while messages are handled, then each message is handled once, in order', async () => {
    const first = await open()
    const all: string[] = []
    const working = new Set<string>()
    let overlaps = 0
    const answer = async ({ message }: Delivery) => {
      if (working.has(message.key)) overlaps++
      working.add(message.key)
      await systemTimers.sleep(5)
      working.delete(message.key)
      all.push(message.id)
      return done
    }
    const one = await follow(first, answer)
    const publisher = keepPublishing(first)
    await eventually(() => expect(all.length).toBeGreaterThan(50))
    const second = await open()
    const two = await follow(second, answer)
    await eventually(() => expect(two.seen.length).toBeGreaterThan(50))
    const third = await open()
    const three = await follow(third, answer)
    await eventually(() => expect(three.seen.length).toBeGreaterThan(20))
    await second.close()
    const so = all.length
    await eventually(() => expect(all.length).toBeGreaterThan(so + 100))
    await publisher.stop()
    await eventually(async () => expect(await one.subscription.lag()).toBe(0))
    expect(all.toSorted()).toEqual(publisher.acknowledged.toSorted())
    expectOrdered(all)
    expect(overlaps).toBe(0)
    // The lag includes other members' partitions by their commits, which follow a little later.
    await eventually(async () => expect(await three.subscription.lag()).toBe(0))
  })

  it('given handlers that take longer than the session, when they end or park, then the member has not left the group', async () => {
    const bus = await open({ sessionTimeoutMs: 2000 })
    const other = await open({ sessionTimeoutMs: 2000 })
    const answer = async ({ message }: Delivery) => {
      if (message.id === 'next') return done
      await systemTimers.sleep(5000)
      return message.id === 'odd' ? { kind: 'park' as const, reason: 'odd' } : done
    }
    const first = await follow(bus, answer)
    const second = await follow(other, answer)
    await bus.publish('a', [testMessage('k', 'long'), testMessage('k', 'next'), testMessage('l', 'odd')])
    await eventually(async () => expect(await first.subscription.lag()).toBe(0))
    const ids = [...first.ids(), ...second.ids()]
    expect([ids.filter((id) => id !== 'odd'), ids.length]).toEqual([['long', 'next'], 3])
    expect(await bus.parkedCount('g')).toBe(1)
  })

  it('given a parked key in a partition of another process, when it is replayed, then that process handles it', async () => {
    const holder = await open()
    let broken = true
    const { ids } = await follow(holder, ({ message }) =>
      message.id === '1' && broken ? { kind: 'park', reason: 'odd' } : done,
    )
    await holder.publish('a', [testMessage('k', '1'), testMessage('k', '2')])
    const other = await open()
    await eventually(async () => expect(await other.parked('g')).toHaveLength(2))
    broken = false
    expect(await other.replayParked('g', ['k'])).toBe(2)
    expect(await other.parked('g')).toEqual([])
    await eventually(() => expect(ids()).toEqual(['1', '1', '2']))
    await holder.publish('a', [testMessage('k', '3')])
    await eventually(() => expect(ids()).toEqual(['1', '1', '2', '3']))
    expect(await other.replayParked('g', ['k'])).toBe(0)
  })

  it('given parked messages, when their topic is deleted and recreated, then neither they nor messages of the new topic are lost', async () => {
    const first = await open({ partitions: 1 })
    const before = await follow(first, () => ({ kind: 'park', reason: 'odd' }))
    await first.publish(
      'a',
      Array.from({ length: 10 }, (_, at) => testMessage('parked', `old-${at}`)),
    )
    await eventually(async () => expect(await before.subscription.lag()).toBe(0))
    await first.close()
    const admin = new Kafka({ brokers: server.brokers, logLevel: logLevel.NOTHING }).admin()
    await admin.connect()
    await admin.deleteTopics({ topics: [`${prefix}a`] })
    await eventually(async () => expect(await admin.listTopics()).not.toContain(`${prefix}a`))
    await admin.disconnect()
    const second = await open({ partitions: 1 })
    await second.publish('a', [testMessage('parked', 'same-key'), testMessage('other', '1'), testMessage('other', '2')])
    const after = await follow(second)
    await eventually(() => expect(after.ids()).toEqual(['1', '2']))
    const old = Array.from({ length: 10 }, (_, at) => `old-${at}`)
    await eventually(async () =>
      expect((await second.parked('g')).map(({ message }) => message.id)).toEqual([...old, 'same-key']),
    )
    expect(await second.replayParked('g', ['parked'])).toBe(11)
    await eventually(() => expect(after.ids()).toEqual(['1', '2', ...old, 'same-key']))
  })

  it('given a record that is not a message, then it is parked with its content as the reason', async () => {
    const bus = await open()
    await bus.publish('a', [testMessage('k', '1')])
    const { ids } = await follow(bus)
    const kafka = new Kafka({ brokers: server.brokers, logLevel: logLevel.NOTHING })
    const producer = kafka.producer()
    await producer.connect()
    await producer.send({ topic: `${prefix}a`, messages: [{ key: 'odd', value: 'not JSON' }] })
    await producer.disconnect()
    await eventually(async () => {
      const [parked] = await bus.parked('g')
      expect(parked).toMatchObject({ topic: 'a', message: { key: 'odd', type: 'unreadable' } })
      expect(parked?.reason).toContain('not JSON')
    })
    expect(ids()).toEqual(['1'])
  })

  it('given an idle bus, then it sets no timers of a millisecond', async () => {
    const bus = await open({ maxWaitMs: 500 })
    await follow(bus)
    const timers = vi.spyOn(globalThis, 'setTimeout')
    await systemTimers.sleep(1000)
    const short = timers.mock.calls.filter(([, delay = 0]) => delay <= 1)
    timers.mockRestore()
    expect(short.length).toBeLessThan(50)
  })

  it('given a message that is too large, when published, then only that message is refused', async () => {
    const bus = await open()
    const large = testMessage('k', 'large', 'x'.repeat(9_000_000))
    await expect(bus.publish('a', [large])).rejects.toSatisfy((error) => isAssayError(error, 'too-large'))
    const { ids } = await follow(bus)
    const big = Array.from({ length: 20 }, (_, index) => testMessage('k', `b${index}`, 'x'.repeat(200_000)))
    await bus.publish('a', big)
    await eventually(() => expect(ids()).toEqual(big.map(({ id }) => id)))
  })

  it('given no broker, when a bus is created, then that throws unavailable', async () => {
    await expect(open({ brokers: ['127.0.0.1:1'] })).rejects.toSatisfy((error) => isAssayError(error, 'unavailable'))
  })

  it('given a compacted topic, or an existing one without compaction, then it keeps the last message of each key and can be read again', async () => {
    const plain = await open()
    for (let number = 0; number < 30; number++)
      await plain.publish('state', [testMessage(`k${number % 10}`, `m${number}`)])
    const bus = await open({ compacted: ['state'] })
    const read = async (after?: PartitionOffsets) => {
      const ids: string[] = []
      const places = await bus.readTopic('state', after, async ({ id }) => {
        ids.push(id)
      })
      return { ids, places }
    }
    const { ids, places } = await read()
    expect(ids.length).toBe(30)
    await bus.publish('state', [testMessage('k1', 'later')])
    expect((await read(places)).ids).toEqual(['later'])
    const admin = new Kafka({ brokers: [...server.brokers], logLevel: logLevel.NOTHING }).admin()
    await admin.connect()
    const resource = { type: 2, name: `${prefix}state`, configNames: ['cleanup.policy'] }
    const { resources } = await admin.describeConfigs({ resources: [resource], includeSynonyms: false })
    await admin.disconnect()
    expect(resources[0]?.configEntries[0]?.configValue).toBe('compact')
  })
})
