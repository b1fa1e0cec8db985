import { randomUUID } from 'node:crypto'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { createEventStoreDb } from '@assay/event-store/eventstoredb'
import { type GrpcServer, startGrpcServer } from '@assay/event-store/testing/grpc-server'
import { type AssayProcess, startAssay } from '@assay/testkit'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type MongoServer, start as startMongo } from '../../../tools/servers/mongodb.mjs'

const quality = '/catalog-server/api/rules/data-quality'
const kills = 3
let mongo: MongoServer
let events: GrpcServer
let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'assay-repair-'))
  await mkdir(join(folder, 'lake'))
  await writeFile(join(folder, 'lake', 'people.csv'), 'id,name\n1,Ada\n2,\n')
  ;[mongo, events] = await Promise.all([startMongo(), startGrpcServer()])
}, 120_000)
afterAll(async () => {
  await Promise.all([mongo?.stop(), events?.stop()])
  await rm(folder, { recursive: true, force: true })
})

/** Creates policies until the process is killed; records the acknowledged ones. */
async function load(assay: AssayProcess, writer: string, acknowledged: Map<number, string>): Promise<void> {
  for (let turn = 0; ; turn++) {
    const name = `${writer}-${turn}`
    try {
      const made = await assay.call('POST', quality, policyOf(name))
      if (made.status === 200) acknowledged.set(made.json.rule.id, name)
    } catch (error) {
      // `fetch` throws a TypeError if no process answers.
      if (error instanceof TypeError) return
      throw error
    }
  }
}

/** The names of the policies in the log. */
async function policiesInLog(): Promise<Set<string>> {
  const store = createEventStoreDb({ connectionString: events.connectionString })
  const streams = new Set<string>()
  try {
    for (let after: string | undefined; ; ) {
      const slice = await store.readAll({ categories: ['policy'], after, limit: 500 })
      for (const { stream } of slice.events) streams.add(stream)
      after = slice.position
      if (slice.atEnd) return streams
    }
  } finally {
    await store.close()
  }
}

const policyOf = (name: string) => ({
  rule: { name, backingAsset: { tableAssetUid: 'lake.people.csv' } },
  items: [{ measurementType: 'MISSING_VALUES', columnName: 'name' }],
})

describe.each([
  ['the log and the read models on two servers', { ASSAY_DOCUMENTS: 'mongodb' }],
  ['the log on a server, the read models in a file', { ASSAY_DOCUMENTS: 'sqlite' }],
] as const)('given %s', (_, choice) => {
  const start = () =>
    startAssay(join(folder, choice.ASSAY_DOCUMENTS), {
      args: [join(folder, 'lake')],
      env: {
        ASSAY_EVENT_STORE: 'eventstoredb',
        ASSAY_EVENTSTOREDB_URL: events.connectionString,
        ASSAY_MONGODB_URL: mongo.url,
        ...choice,
      },
    })
  beforeAll(async () => {
    await events.stop()
    events = await startGrpcServer()
  })

  test('when a writer dies right after its append, then the documents are put at the next start', async () => {
    let assay = await start()
    await assay.until('/catalog-server/api/assets/byUid/lake.people.csv', ({ status }) => status === 200)
    const made = await assay.call('POST', quality, policyOf('made'))
    expect(made.status).toBe(200)
    expect(await assay.stop()).toBe(0)
    const id = made.json.rule.id
    const store = createEventStoreDb({ connectionString: events.connectionString })
    const [stream = ''] = await policiesInLog()
    const written = (await store.read(stream)).events.map(({ type, data, metadata }) => {
      const text = JSON.stringify(data)
        .replaceAll('"made"', '"left"')
        .replaceAll(`"policyId":${id}`, `"policyId":${id + 1}`)
      return { id: randomUUID(), type, data: JSON.parse(text), metadata }
    })
    await store.append(stream.replace(/\d+$/, String(id + 1)), written, 'none')
    await store.close()
    assay = await start()
    try {
      const read = await assay.until(`${quality}/${id + 1}`, ({ status }) => status === 200)
      expect(read.json.rule).toMatchObject({ id: id + 1, name: 'left' })
      await assay.until(quality, ({ text }) => text.includes('"left"'))
    } finally {
      expect(await assay.stop()).toBe(0)
    }
  }, 120_000)

  test(`when the process is killed ${kills} times during writes, then every policy of the log can be read`, async () => {
    const acknowledged = new Map<number, string>()
    for (let kill = 0; kill < kills; kill++) {
      const assay = await start()
      await assay.until('/catalog-server/api/assets/byUid/lake.people.csv', ({ status }) => status === 200)
      const before = acknowledged.size
      const writers = ['a', 'b', 'c'].map((writer) => load(assay, `${kill}-${writer}`, acknowledged))
      while (acknowledged.size < before + 3) await pause(5)
      // The pause varies the time of the kill.
      await pause((kill * 37) % 100)
      await assay.stop('SIGKILL')
      await Promise.all(writers)
    }
    const assay = await start()
    try {
      const inLog = await policiesInLog()
      expect(inLog.size).toBeGreaterThanOrEqual(acknowledged.size)
      for (const [id, name] of acknowledged) {
        const read = await assay.until(`${quality}/${id}`, ({ status }) => status === 200)
        expect(read.json.rule).toMatchObject({ id, name })
      }
      for (const stream of inLog)
        await assay.until(`${quality}/${stream.slice(stream.lastIndexOf('-') + 1)}`, ({ status }) => status === 200)
    } finally {
      expect(await assay.stop()).toBe(0)
    }
  }, 240_000)
})
