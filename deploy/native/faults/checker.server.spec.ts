import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { publicTopics } from '../../../packages/contracts/src/index.ts'
import { documentPut } from '../../../packages/documents/src/index.ts'
import { createMongoDocuments, type MongoDocuments } from '../../../packages/documents/src/mongodb/index.ts'
import { createEventStoreDb } from '../../../packages/event-store/src/eventstoredb/index.ts'
import type { EventStore, JsonObject } from '../../../packages/event-store/src/index.ts'
import { createTopicReader, type TopicReader } from '../../../packages/message-bus/src/testing/topic-reader.ts'
import { systemTimers } from '../../../packages/service-kit/src/node.ts'
import { systemTenant } from '../../../services/gateway/src/dependencies.ts'
import { gatewayCollections } from '../../../services/gateway/src/service.ts'
import { tenants } from '../../../services/gateway/src/tenant/tenant.ts'
import { flowing } from './flowing.ts'
import { type Ground, prepareGround, startLoad } from './load.ts'
import { settled } from './settled.ts'
import { openWorld, type World } from './world.ts'

/** Of the public ones: records of compacted topics cannot be removed. */
const policies = publicTopics.policies

/** Nothing that is planted passes, so there is nothing to be patient for. */
const patienceMs = 3_000

describe('given servers that hold what services wrote under load, and services that are gone', () => {
  let world: World
  let ground: Ground
  let store: EventStore
  let topics: TopicReader
  let documents: MongoDocuments
  beforeAll(async () => {
    world = await openWorld(1)
    ground = await prepareGround(world)
    const load = startLoad(world, ground)
    await flowing(load, 40)
    await load.stop()
    expect((await settled(world, ground)).findings).toEqual([])
    // Nobody is to mend what is planted.
    for (const { running } of world.replicas) running.kill('SIGKILL')
    await Promise.all(world.replicas.map(({ running }) => running.exited))
    store = createEventStoreDb({ connectionString: world.events.connectionString, timers: systemTimers })
    topics = createTopicReader(world.kafka.brokers)
    documents = await createMongoDocuments({
      uri: world.mongo.url,
      database: 'assay_gateway',
      collections: gatewayCollections,
    })
  }, 400_000)
  afterAll(async () => {
    await Promise.all([store?.close(), topics?.close(), documents?.close()])
    await world?.close()
  }, 60_000)

  /** Kinds of what the checker finds, without what it found before. */
  let before: ReadonlySet<string>
  const found = async () =>
    (await settled(world, ground, { patienceMs })).findings.map(({ kind, about }) => `${kind}: ${about}`)
  const foundNow = async () => (await found()).filter((text) => !before.has(text)).map((text) => text.split(':')[0])
  beforeEach(async () => {
    before = new Set(await found())
  })

  async function append(stream: string, type: string, data: JsonObject, occurredAt: string) {
    const metadata = { tenant: 'default', actor: 'test', schemaVersion: 1, occurredAt }
    await store.append(stream, [{ id: randomUUID(), type, data, metadata }], 'any')
  }
  const eventOf = async (type: string) => {
    const event = (await store.readAll({ limit: 5000 })).events.findLast((each) => each.type === type)
    if (event === undefined) throw new Error(`The load has left no ${type}.`)
    return event
  }

  test('when something is acknowledged that was never written, then it is a lost event', async () => {
    ground.writes.push({ writer: 'nobody', mark: 'write-nowhere', outcome: 'acknowledged' })
    expect(await foundNow()).toEqual(['lost-event'])
    ground.writes.pop()
  })

  test('when an event stands in the log twice, then it is a doubled event', async () => {
    const { stream, type, data, metadata } = await eventOf('PolicyDefinitionChanged')
    await append(stream, type, data, metadata.occurredAt)
    expect(await foundNow()).toContain('doubled-event')
  })

  test('when a watcher is told twice of one event, then it is a doubled effect', async () => {
    const { data, metadata } = await eventOf('NotificationCreated')
    await append(`default/notification-${randomUUID()}`, 'NotificationCreated', data, metadata.occurredAt)
    expect(await foundNow()).toContain('doubled-effect')
  })

  test('when nobody heard of an event, then its message, its document and what watchers wait for are lost', async () => {
    const { data, metadata } = await eventOf('PolicyCreated')
    await append('default/policy-4710', 'PolicyCreated', { ...data, policyId: 4710 }, metadata.occurredAt)
    expect(await foundNow()).toEqual(expect.arrayContaining(['lost-message', 'missing-document', 'lost-effect']))
  })

  test('when a run was opened three minutes ago and never ended, then it is found', async () => {
    const at = new Date(Date.now() - 180_000).toISOString()
    await append('default/policyruns-4711', 'RunOpened', { executionId: 4711, at }, at)
    expect(await foundNow()).toContain('run-open')
  })

  test('when two runs of a policy are open at once, then they overlap', async () => {
    const at = new Date().toISOString()
    for (const executionId of [4713, 4714])
      await append('default/policyruns-4712', 'RunOpened', { executionId, at }, at)
    expect(await foundNow()).toContain('runs-overlap')
  })

  test('when a read model holds what no event says, then it is a stale document', async () => {
    const stored = await documents.get(tenants, systemTenant, 'default')
    if (stored === undefined) throw new Error('The tenant is not there.')
    const document = { ...stored.document, name: 'stale' }
    const source = { ...stored.source, revision: stored.source.revision + 1000 }
    await documents.put([documentPut(tenants, systemTenant, 'default', document, source)])
    expect(await foundNow()).toContain('stale-document')
  })

  test('when messages of a key stand in the reverse order, then their order is broken', async () => {
    const isPolicies = (topic: string) => topic === policies
    const all = [...(await topics.read(isPolicies))]
    await topics.remove(policies)
    await topics.send(all.toReversed(), (partition) => partition)
    expect(await foundNow()).toContain('message-order')
  })

  test('when the records of a topic are gone, then messages are lost', async () => {
    await topics.remove(policies)
    expect(await foundNow()).toContain('lost-message')
  })
})
