import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { publicTopics } from '../../../packages/contracts/src/index.ts'
import { documentPut, type Source } from '../../../packages/documents/src/index.ts'
import { createMongoDocuments, type MongoDocuments } from '../../../packages/documents/src/mongodb/index.ts'
import { createEventStoreDb } from '../../../packages/event-store/src/eventstoredb/index.ts'
import type { EventStore, JsonObject } from '../../../packages/event-store/src/index.ts'
import { createTopicReader, type TopicReader } from '../../../packages/message-bus/src/testing/topic-reader.ts'
import { systemTimers } from '../../../packages/service-kit/src/node.ts'
import { type AuditDocument, auditLines } from '../../../services/gateway/src/audit/collection.ts'
import { systemTenant } from '../../../services/gateway/src/dependencies.ts'
import { apiKeyUses } from '../../../services/gateway/src/key/aggregate.ts'
import { gatewayCollections } from '../../../services/gateway/src/service.ts'
import { tenants } from '../../../services/gateway/src/tenant/tenant.ts'
import { type KeptEvent, publicEvents } from '../../../services/notification/src/events/collection.ts'
import { notificationCollections } from '../../../services/notification/src/service.ts'
import { flowing } from './flowing.ts'
import { type LoadTargets, prepareLoad, startLoad } from './load.ts'
import { checkUntilSettled } from './settled.ts'
import { type System, startSystem } from './system.ts'

/** The topic in which faults are planted. It is not compacted, because records of compacted topics cannot be removed. */
const policies = publicTopics.policies

/** Planted faults are permanent, so there is no reason to wait. */
const timeoutMs = 3_000

describe('given servers with data that services wrote under load, and stopped services', () => {
  let system: System
  let targets: LoadTargets
  let store: EventStore
  let topics: TopicReader
  let documents: MongoDocuments
  let ofNotification: MongoDocuments
  /** The state of policies before anything is planted: audit lines, and events kept for readers. */
  let lines: readonly AuditDocument[]
  const kept: { id: number; document: KeptEvent; source: Source }[] = []
  beforeAll(async () => {
    system = await startSystem(1)
    targets = await prepareLoad(system)
    const load = startLoad(system, targets)
    await flowing(load, 40)
    await load.stop()
    expect((await checkUntilSettled(system, targets)).findings).toEqual([])
    // No service may repair the planted faults.
    for (const { running } of system.replicas) running.kill('SIGKILL')
    await Promise.all(system.replicas.map(({ running }) => running.exited))
    store = createEventStoreDb({ connectionString: system.events.connectionString, timers: systemTimers })
    topics = createTopicReader(system.kafka.brokers)
    documents = await createMongoDocuments({
      uri: system.mongo.url,
      database: 'assay_gateway',
      collections: gatewayCollections,
    })
    ofNotification = await createMongoDocuments({
      uri: system.mongo.url,
      database: 'assay_notification',
      collections: notificationCollections,
    })
    const where = [{ field: 'action', is: 'PolicyDefinitionChanged' }]
    lines = (await documents.find(auditLines, 'default', { where, size: 20 })).documents
    for await (const { id, document, source } of ofNotification.scan(publicEvents))
      if (document.topic === policies) kept.push({ id: Number(id), document, source })
  }, 400_000)
  afterAll(async () => {
    await Promise.all([store?.close(), topics?.close(), documents?.close(), ofNotification?.close()])
    await system?.close()
  }, 60_000)

  /** The findings when the checker was last asked. */
  let before: ReadonlySet<string> = new Set()
  /** The kinds of the findings since then. */
  async function foundNow(): Promise<(string | undefined)[]> {
    const { findings } = await checkUntilSettled(system, targets, { timeoutMs })
    const found = findings.map(({ kind, about }) => `${kind}: ${about}`)
    const added = found.filter((text) => !before.has(text))
    before = new Set(found)
    return added.map((text) => text.split(':')[0])
  }

  async function append(stream: string, type: string, data: JsonObject, occurredAt: string) {
    const metadata = { tenant: 'default', actor: 'test', schemaVersion: 1, occurredAt }
    await store.append(stream, [{ id: randomUUID(), type, data, metadata }], 'any')
  }
  const eventOf = async (type: string) => {
    const event = (await store.readAll({ limit: 5000 })).events.findLast((each) => each.type === type)
    if (event === undefined) throw new Error(`The load wrote no ${type}.`)
    return event
  }

  test('when a write is acknowledged but was never written, then it is a lost event', async () => {
    targets.writes.push({ writer: 'nobody', name: 'write-nowhere', outcome: 'acknowledged' })
    expect(await foundNow()).toEqual(['lost-event'])
    targets.writes.pop()
  })

  test('when an event is in the log twice, then it is a doubled event', async () => {
    const { stream, type, data, metadata } = await eventOf('PolicyDefinitionChanged')
    await append(stream, type, data, metadata.occurredAt)
    expect(await foundNow()).toContain('doubled-event')
  })

  test('when a watcher gets two notifications of one event, then it is a doubled effect', async () => {
    const { data, metadata } = await eventOf('NotificationCreated')
    await append(`default/notification-${randomUUID()}`, 'NotificationCreated', data, metadata.occurredAt)
    expect(await foundNow()).toContain('doubled-effect')
  })

  test('when an event was neither published nor projected, then its message, its document and its notifications are lost', async () => {
    const { data, metadata } = await eventOf('PolicyCreated')
    await append('default/policy-4710', 'PolicyCreated', { ...data, policyId: 4710 }, metadata.occurredAt)
    expect(await foundNow()).toEqual(expect.arrayContaining(['lost-message', 'missing-document', 'lost-effect']))
  })

  test('when a run was opened three minutes ago and never ended, then it is found', async () => {
    const at = new Date(Date.now() - 180_000).toISOString()
    await append('default/policyruns-4711', 'RunOpened', { executionId: 4711, at }, at)
    expect(await foundNow()).toContain('run-open')
  })

  test('when two runs of a policy are open at the same time, then they overlap', async () => {
    const at = new Date().toISOString()
    for (const executionId of [4713, 4714])
      await append('default/policyruns-4712', 'RunOpened', { executionId, at }, at)
    expect(await foundNow()).toContain('runs-overlap')
  })

  test('when a read model differs from the events, then it is a stale document', async () => {
    const stored = await documents.get(tenants, systemTenant, 'default')
    if (stored === undefined) throw new Error('There is no document of the tenant.')
    const document = { ...stored.document, name: 'stale' }
    const source = { ...stored.source, revision: stored.source.revision + 1000 }
    await documents.put([documentPut(tenants, systemTenant, 'default', document, source)])
    expect(await foundNow()).toContain('stale-document')
  })

  function at<T>(list: readonly T[], index: number): T {
    const one = list[index]
    if (one === undefined) throw new Error('The load wrote too few events.')
    return one
  }
  const auditLine = (index: number) => at(lines, index)
  const putLine = (id: string, line: AuditDocument | null) =>
    documents.put([documentPut(auditLines, 'default', id, line, { revision: 1, position: line?.position ?? '' })])

  test('when an audit line is missing, then it is a lost line', async () => {
    await putLine(auditLine(0).id, null)
    expect(await foundNow()).toEqual(expect.arrayContaining(['missing-document', 'lost-audit']))
  })

  test('when an audit line exists twice, then it is a doubled line', async () => {
    const id = randomUUID()
    await putLine(id, { ...auditLine(1), id })
    expect(await foundNow()).toEqual(expect.arrayContaining(['foreign-document', 'doubled-audit']))
  })

  test.each<[string, number, Partial<AuditDocument>]>([
    ['state before', 2, { before: { description: 'something else', version: 1 } }],
    ['state after', 3, { after: { description: 'something else', version: 2 } }],
    ['actor', 4, { actor: 'somebody' }],
    ['key', 5, { accessKey: 'another' }],
    ['time', 6, { at: '2026-01-01T00:00:00.000Z' }],
  ])('when an audit line has the wrong %s, then it is a changed line', async (_, index, wrong) => {
    const line = auditLine(index)
    await putLine(line.id, { ...line, ...wrong })
    expect(await foundNow()).toEqual(expect.arrayContaining(['stale-document', 'changed-audit']))
  })

  const isOfFirst = ({ document }: { document: KeptEvent }) => document.subject === `policy/${targets.changed[0]}`
  const keptOfFirst = (index: number) => at(kept.filter(isOfFirst), index)
  const keptOfOthers = (index: number) =>
    at(
      kept.filter((each) => !isOfFirst(each)),
      index,
    )
  const putEvent = (id: number, event: KeptEvent | null, { position, revision }: Source) =>
    ofNotification.put([documentPut(publicEvents, 'default', id, event, { revision: revision + 1, position })])

  test('when a public event is kept twice, then it is a doubled event', async () => {
    const { id, document, source } = keptOfOthers(0)
    await putEvent(id + 10_000, document, source)
    expect(await foundNow()).toContain('doubled-kept-event')
  })

  test('when a public event is not kept, then it is a lost event', async () => {
    const { id, source } = keptOfOthers(1)
    await putEvent(id, null, source)
    expect(await foundNow()).toContain('lost-kept-event')
  })

  test('when two public events of a policy are kept in the reverse order, then their order is broken', async () => {
    const [one, other] = [keptOfFirst(0), keptOfFirst(1)]
    await putEvent(one.id, { ...one.document, storedAt: other.document.storedAt }, one.source)
    await putEvent(other.id, { ...other.document, storedAt: one.document.storedAt }, other.source)
    expect(await foundNow()).toContain('kept-order')
  })

  test('when a kept event differs from the published one, or was never published, then it is found', async () => {
    const [one, other] = [keptOfOthers(2), keptOfOthers(3)]
    await putEvent(one.id, { ...one.document, event: { ...one.document.event, data: {} } }, one.source)
    await putEvent(other.id + 10_000, { ...other.document, eventId: randomUUID() }, other.source)
    expect(await foundNow()).toEqual(expect.arrayContaining(['changed-kept-event', 'foreign-kept-event']))
  })

  test('when a key use has an unknown key, the wrong tenant, or a time before the creation of the key, then it is found', async () => {
    const [, hash = ''] = /-(.+)/.exec((await eventOf('ApiKeyCreated')).stream) ?? []
    const put = (tenant: string, id: string, lastUsedAt: number) =>
      documents.put([documentPut(apiKeyUses, tenant, id, { lastUsedAt }, { revision: 99_999_999, position: '' })])
    await put(systemTenant, 'nobody', 60_000)
    expect(await foundNow()).toContain('foreign-key-use')
    await put('default', hash, 60_000)
    expect(await foundNow()).toContain('foreign-key-use')
    await put(systemTenant, hash, 60_000)
    expect(await foundNow()).toContain('wrong-key-use')
  })

  test('when messages of a key are in the reverse order, then their order is broken', async () => {
    const isPolicies = (topic: string) => topic === policies
    const all = [...(await topics.read(isPolicies))]
    await topics.remove(policies)
    await topics.send(all.toReversed(), (partition) => partition)
    expect(await foundNow()).toContain('message-order')
  })

  test('when the records of a topic are missing, then messages are lost', async () => {
    await topics.remove(policies)
    expect(await foundNow()).toContain('lost-message')
  })
})
