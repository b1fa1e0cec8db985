import { randomUUID } from 'node:crypto'
import { internalTopics } from '@assay/contracts'
import { type Collection, defineCollection, documentPut } from '@assay/documents'
import { type Aggregate, createCommandHandler, streamName } from '@assay/event-store'
import { type GrpcServer, startGrpcServer } from '@assay/event-store/testing/grpc-server'
import { createLogger, createMetrics, createOutages } from '@assay/service-kit'
import { systemClock, systemTimers, uuidV7 } from '@assay/service-kit/node'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { z } from 'zod'
import { type KafkaServer, start as startKafka } from '../../../../tools/servers/kafka.mjs'
import { type MongoServer, start as startMongo } from '../../../../tools/servers/mongodb.mjs'
import { createHostWithBus, type Hosted, type HostWithBus } from '../process/host.ts'

let kafka: KafkaServer
let mongo: MongoServer
let events: GrpcServer
let worlds = 0
const started: HostWithBus[] = []

beforeAll(async () => {
  ;[kafka, mongo] = await Promise.all([startKafka(), startMongo()])
}, 120_000)
afterAll(() => Promise.all([kafka?.stop(), mongo?.stop()]))
beforeEach(async () => {
  worlds += 1
  events = await startGrpcServer()
})
afterEach(async () => {
  for (const host of started.splice(0).reverse()) await stop(host)
  await events.stop()
})

const thing = z.object({ name: z.string(), length: z.int().optional() })
const copy = z.object({ name: z.string(), position: z.string() })
type Thing = z.infer<typeof thing>
type State = { name: string }
type Event = { type: 'Named'; data: { name: string } }

/** A service in a version; version 2 has an additional field. `poison`: a name that cannot be folded. */
function inVersion(version: number, poison?: string): Hosted & { things: Collection<Thing>; copies: object } {
  const things = defineCollection<Thing>({
    name: 'things',
    version,
    idType: 'text',
    schema: thing,
    fields: version === 1 ? {} : { length: { type: 'integer', of: ({ length }) => length ?? null } },
  })
  const copies = defineCollection({ name: 'copies', version, idType: 'text', schema: copy, fields: {} })
  const aggregate: Aggregate<State, string, Event> = {
    category: 'thing',
    schemaVersion: 1,
    decider: {
      initialState: { name: '' },
      decide: (name) => [{ type: 'Named', data: { name } }],
      evolve: (_state, { data }) => {
        if (data.name === poison) throw new TypeError('a name that cannot be folded')
        return { name: data.name }
      },
    },
    documents: ({ name }, { tenant, id }, source) => [
      documentPut(things, tenant, id, version === 1 ? { name } : { name, length: name.length }, source),
    ],
  }
  return {
    name: 'policy',
    collections: [things, copies],
    aggregates: [aggregate],
    copies: {
      watches: {
        collections: [copies],
        putOf: (tenant, { watchId, user, revision }, position) =>
          documentPut(copies, tenant, `c${watchId}`, { name: user, position }, { revision, position }),
      },
    },
    things,
  }
}

const logger = createLogger({ level: 'silent' })

async function open(hosted: Hosted): Promise<HostWithBus> {
  return await createHostWithBus(
    {
      ASSAY_INSTALLATION: 'default',
      ASSAY_IDENTITY_SECRET: 'a secret of at least thirty-two characters',
      ASSAY_EVENT_STORE: 'eventstoredb',
      ASSAY_EVENTSTOREDB_URL: events.connectionString,
      ASSAY_DOCUMENTS: 'mongodb',
      ASSAY_MONGODB_URL: mongo.url,
      ASSAY_MONGODB_DATABASE: `world_${worlds}`,
      ASSAY_BUS: 'kafka',
      ASSAY_KAFKA_BROKERS: kafka.brokers,
      ASSAY_KAFKA_PARTITIONS: 3,
      ASSAY_KAFKA_REPLICATION: 1,
      ASSAY_KAFKA_SESSION_TIMEOUT_MS: 6_000,
      ASSAY_KAFKA_PREFIX: `world-${worlds}.`,
      ASSAY_KAFKA_TLS: 'off',
    },
    hosted,
    {
      clock: systemClock,
      timers: systemTimers,
      newId: uuidV7,
      logger,
      metrics: createMetrics(),
      outages: createOutages({ logger, clock: systemClock }),
      version: '1',
    },
  )
}

async function startParts(host: HostWithBus): Promise<HostWithBus> {
  started.push(host)
  for (const part of host.parts) await part.start?.()
  return host
}

async function stop(host: HostWithBus): Promise<void> {
  for (const part of [...host.parts].reverse()) await part.stop?.()
}

const run = async (hosted: Hosted) => startParts(await open(hosted))

async function name(host: HostWithBus, hosted: Hosted, id: string, called: string): Promise<void> {
  const [aggregate] = hosted.aggregates
  if (aggregate === undefined) throw new Error('There is an aggregate.')
  await createCommandHandler(host).handle(aggregate, { tenant: 't', id, command: called, context: { actor: 'ann' } })
}

async function publishThing(host: HostWithBus, id: string, called: string, revision: number): Promise<void> {
  const position = String(revision).padStart(3, '0')
  const data = { revision, watchId: Number(id.slice(1)), assetId: 1, user: called, watching: true }
  const message = {
    id: randomUUID(),
    key: `t/${id}`,
    type: 'x',
    tenant: 't',
    time: '2026-01-01T00:00:00Z',
    position,
    data,
  }
  await host.bus.publish(internalTopics.watches, [message])
}

const eventually = (check: () => Promise<void>) => vi.waitFor(check, { timeout: 60_000, interval: 20 })
const [first, second] = [inVersion(1), inVersion(2)]
const copiesOf = (hosted: Hosted) => hosted.collections[1] as Collection<{ name: string; position: string }>

/** A host of version 1 with some things and copies. */
async function filled(): Promise<HostWithBus> {
  const host = await run(first)
  for (let number = 0; number < 40; number++) await name(host, first, `x${number}`, `a${'b'.repeat(number)}`)
  await name(host, first, 'x7', 'renamed')
  for (let number = 0; number < 20; number++) await publishThing(host, `c${number}`, 'early', 1)
  await publishThing(host, 'c3', 'late', 2)
  return host
}

describe('given read models of the previous version', () => {
  test('when replicas of a new version start, then one of them rebuilds from log and bus, and the old version serves requests meanwhile', async () => {
    const old = await filled()
    const appending = (async () => {
      let count = 0
      // The switch must not lose what the old version writes during the rebuild.
      for (; count < 2_000; count++) {
        const isServed = await old.documents.get(first.things, 't', 'x1').then(
          () => true,
          () => false,
        )
        if (!isServed) break
        await name(old, first, `during${count}`, 'new')
      }
      return count
    })()
    const replicas = [await open(second), await open(second)]
    const shown = new Set<string>()
    const watching = systemTimers.every(5, () => {
      for (const { progress } of replicas) shown.add(progress() ?? '')
    })
    await Promise.all(replicas.map(startParts))
    watching.stop()
    const during = await appending
    expect(during).toBeGreaterThan(0)
    expect([...shown].join()).toMatch(/things.* are being rebuilt: \d+ events so far/)
    expect([...shown].join()).toContain('Another replica is rebuilding')
    for (const { documents, store } of replicas) {
      expect((await documents.get(second.things, 't', 'x7'))?.document).toEqual({ name: 'renamed', length: 7 })
      expect((await documents.find(second.things, 't', { size: 0 })).count).toBeGreaterThanOrEqual(40 + during)
      const last = (await store.read(streamName('t', 'thing', `during${during - 1}`))).revision
      expect((await documents.get(second.things, 't', `during${during - 1}`))?.source.revision).toBe(last)
      expect((await documents.get(copiesOf(second), 't', 'c3'))?.document.name).toBe('late')
      expect((await documents.find(copiesOf(second), 't', { size: 0 })).count).toBe(20)
    }
    await expect(old.documents.get(first.things, 't', 'x1')).rejects.toMatchObject({ code: 'unavailable' })
  })

  test('when the rebuild fails, then it is abandoned and reported, and the old version keeps serving', async () => {
    const old = await filled()
    const broken = await open(inVersion(2, 'renamed'))
    started.push(broken)
    await expect(
      (async () => {
        for (const part of broken.parts) await part.start?.()
      })(),
    ).rejects.toMatchObject({ code: 'internal', message: expect.stringContaining('cannot be folded') })
    await name(old, first, 'x1', 'goes on')
    expect((await old.documents.get(first.things, 't', 'x1'))?.document).toEqual({ name: 'goes on' })
    // The failed rebuild does not obstruct the next one.
    const rebuilt = await run(second)
    expect((await rebuilt.documents.get(second.things, 't', 'x1'))?.document).toEqual({ name: 'goes on', length: 7 })
  })

  test('when the holder stops during the rebuild, then another replica does it', async () => {
    await filled()
    const leaving = await open(second)
    const starting = startParts(leaving)
    await eventually(async () => expect(leaving.progress()).toBeDefined())
    await stop(leaving)
    started.splice(started.indexOf(leaving), 1)
    await starting.catch(() => undefined)
    const next = await run(second)
    expect((await next.documents.get(second.things, 't', 'x7'))?.document).toEqual({ name: 'renamed', length: 7 })
  })
})

describe('given an empty log', () => {
  test('when a service starts, then there is nothing to rebuild', async () => {
    const began = performance.now()
    const host = await run(first)
    await publishThing(host, 'c1', 'x', 1)
    expect(performance.now() - began).toBeLessThan(20_000)
    expect(host.progress()).toBeUndefined()
  })
})
