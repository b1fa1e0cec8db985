import { connect, createServer, type Server, type Socket } from 'node:net'
import { systemClock, systemTimers } from '@assay/service-kit/node'
import { Kafka, logLevel } from 'kafkajs'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { type KafkaServer, start } from '../../../../tools/servers/kafka.mjs'
import { done } from '../port.ts'
import { createKafkaBus } from './index.ts'
import { expectOrdered, keepPublishing } from './publishing.fixture.ts'

/** A way to the broker that can swallow what the broker answers, and cut what is connected. */
function createProxy() {
  const sockets = new Set<Socket>()
  let target = 0
  let swallowing = false
  const server: Server = createServer((client) => {
    const broker = connect(target, '127.0.0.1')
    for (const socket of [client, broker]) {
      sockets.add(socket)
      socket.on('error', () => {})
      socket.on('close', () => {
        sockets.delete(socket)
        client.destroy()
        broker.destroy()
      })
    }
    client.on('data', (data) => broker.write(data))
    broker.on('data', (data) => {
      if (!swallowing) client.write(data)
    })
  })
  return {
    listen: () =>
      new Promise<number>((resolve, reject) => {
        server.listen(0, '127.0.0.1', () => {
          const address = server.address()
          if (address === null || typeof address === 'string') reject(new Error('no port'))
          else resolve(address.port)
        })
      }),
    lead(port: number) {
      target = port
    },
    swallow(on: boolean) {
      swallowing = on
    },
    cut() {
      for (const socket of sockets) socket.destroy()
    },
    close: () => new Promise<void>((resolve) => server.close(() => resolve())),
  }
}

describe('message bus of Kafka when answers are lost', () => {
  const proxy = createProxy()
  let server: KafkaServer
  let port: number
  beforeAll(async () => {
    port = await proxy.listen()
    server = await start({ advertisedPorts: [port] })
    proxy.lead(Number(server.brokers[0]?.split(':')[1]))
  })
  afterAll(async () => {
    proxy.cut()
    await proxy.close()
    await server.stop()
  })

  it('given stored messages whose answers are lost, when sent again, then all are on the topic, once, in order', async () => {
    const brokers = [`127.0.0.1:${port}`]
    const bus = await createKafkaBus({
      brokers,
      clientId: 'lost',
      clock: systemClock,
      timers: systemTimers,
      partitions: 3,
      replication: 1,
      sessionTimeoutMs: 3000,
      maxWaitMs: 100,
    })
    const ids: string[] = []
    const subscription = await bus.subscribe({
      topics: ['a'],
      group: 'g',
      async handle({ message }) {
        ids.push(message.id)
        return done
      },
    })
    const publisher = keepPublishing(bus)
    const { acknowledged } = publisher
    for (let round = 0; round < 5; round++) {
      const before = acknowledged.length
      await vi.waitUntil(() => acknowledged.length > before + 50, { timeout: 30_000, interval: 5 })
      proxy.swallow(true)
      await systemTimers.sleep(300)
      proxy.cut()
      proxy.swallow(false)
    }
    const before = acknowledged.length
    await vi.waitUntil(() => acknowledged.length > before + 50, { timeout: 30_000, interval: 5 })
    await publisher.stop()
    await vi.waitFor(async () => expect(await subscription.lag()).toBe(0), { timeout: 30_000, interval: 100 })
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
