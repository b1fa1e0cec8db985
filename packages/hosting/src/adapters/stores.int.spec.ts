import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inspect } from 'node:util'
import type { Documents } from '@assay/documents'
import { createSqliteDocuments } from '@assay/documents/sqlite'
import { createLogger } from '@assay/service-kit'
import { systemClock, systemTimers, uuidV7 } from '@assay/service-kit/node'
import { type Database, openDatabase } from '@assay/sqlite'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { chooseArtifacts } from './artifacts.ts'
import { chooseBus } from './bus.ts'
import { createResultsCheck, eventStoreDelays, readModelProblems } from './readiness.ts'
import { chooseStores } from './stores.ts'

const logger = createLogger({ level: 'silent' })
const ambient = { service: 'test', collections: [], clock: systemClock, timers: systemTimers, newId: uuidV7, logger }
const inSqlite = { ASSAY_EVENT_STORE: 'sqlite', ASSAY_DOCUMENTS: 'sqlite' } as const
const kafka = {
  ASSAY_BUS: 'kafka',
  ASSAY_KAFKA_PARTITIONS: 1,
  ASSAY_KAFKA_REPLICATION: 1,
  ASSAY_KAFKA_SESSION_TIMEOUT_MS: 6000,
  ASSAY_KAFKA_TLS: 'off',
} as const
const s3 = { ASSAY_ARTIFACTS: 's3', ASSAY_S3_REGION: 'us-east-1', ASSAY_S3_PATH_STYLE: 'on' } as const
let folder: string
let database: Database
let documents: Documents

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'assay-hosting-'))
  database = openDatabase({ path: join(folder, 'all.db') })
  documents = createSqliteDocuments({ database, collections: [] })
})
afterAll(async () => {
  await database.close()
  rmSync(folder, { recursive: true })
})

describe('given stores in one SQLite file', () => {
  test('when they are opened, then events and documents share a transaction, and the stores are ready', async () => {
    const stores = await chooseStores(inSqlite, { ...ambient, database })
    const metadata = { tenant: 't', actor: 'a', schemaVersion: 1, occurredAt: '2026-01-01T00:00:00.000Z' }
    const append = {
      stream: 't/thing-1',
      events: [{ id: randomUUID(), type: 'Happened', data: {}, metadata }],
      expected: 'none' as const,
    }
    await stores.commit(append, () => [])
    await stores.checkpoints.set('x', '1', 0)
    expect([(await stores.store.read('t/thing-1')).revision, await stores.checkpoints.get('x')]).toEqual([0, '1'])
    expect(await readModelProblems(stores.checkpoints, systemTimers)).toEqual([])
    expect(await eventStoreDelays(stores.store, systemTimers)).toEqual([])
    await stores.close()
  })
})

describe('given impossible choices', () => {
  test('when a process without a data folder chooses SQLite, then it is refused', async () => {
    await expect(chooseStores(inSqlite, ambient)).rejects.toMatchObject({ code: 'invalid' })
    await expect(chooseBus({ ...kafka, ASSAY_BUS: 'embedded' }, { ...ambient, documents })).rejects.toMatchObject({
      code: 'invalid',
    })
  })

  test('when a server is chosen without its address, then the error names the variable', async () => {
    await expect(chooseStores({ ...inSqlite, ASSAY_EVENT_STORE: 'eventstoredb' }, ambient)).rejects.toThrow(
      'ASSAY_EVENTSTOREDB_URL',
    )
    await expect(chooseStores({ ...inSqlite, ASSAY_DOCUMENTS: 'mongodb' }, { ...ambient, database })).rejects.toThrow(
      'ASSAY_MONGODB_URL',
    )
    await expect(chooseBus(kafka, { ...ambient, documents })).rejects.toThrow('ASSAY_KAFKA_BROKERS')
  })

  test('when the connection string of the log is malformed, then the error says why without quoting it', async () => {
    const choice = {
      ...inSqlite,
      ASSAY_EVENT_STORE: 'eventstoredb',
      ASSAY_EVENTSTOREDB_URL: 'esdb://u:hidden@h?tsl=1',
    } as const
    const error: unknown = await chooseStores(choice, { ...ambient, database }).catch((reason: unknown) => reason)
    expect(error).toMatchObject({ code: 'invalid', message: expect.stringContaining('an unknown option') })
    expect(inspect(error, { depth: 9 })).not.toContain('hidden')
  })

  test('when results are stored in s3, then the error names the missing variable', async () => {
    await expect(chooseArtifacts(s3, { newId: randomUUID, clock: systemClock })).rejects.toThrow('ASSAY_S3_BUCKET')
  })

  test('when the object store is down, then opening throws unavailable, and the error does not contain the secret', async () => {
    const choice = {
      ...s3,
      ASSAY_S3_BUCKET: 'assay',
      ASSAY_S3_ENDPOINT: 'http://127.0.0.1:1',
      ASSAY_S3_ACCESS_KEY_ID: 'some-key',
      ASSAY_S3_SECRET_ACCESS_KEY: 'some-secret',
    }
    const error = await chooseArtifacts(choice, { newId: randomUUID, clock: systemClock }).catch((each) => each)
    expect(error).toMatchObject({ code: 'unavailable', message: expect.stringMatching(/^The object store .*\.$/) })
    expect(JSON.stringify([error.message, error.details])).not.toMatch(/some-|127/)
  })
})

test('given stores that hang for two seconds, then missing read models are a problem, and a missing log is only a delay', async () => {
  const hanging = () => new Promise<never>(() => undefined)
  const early = { ...systemTimers, sleep: (ms: number, signal?: AbortSignal) => systemTimers.sleep(ms / 100, signal) }
  expect(await readModelProblems({ get: hanging }, early)).toEqual([
    expect.stringMatching(/^The read models do not answer .*: It did not answer within 2 s\.$/),
  ])
  expect(await eventStoreDelays({ read: hanging }, early)).toEqual([
    'The event store does not answer: reads are served, writes are refused.',
  ])
})

describe('given the store of results', () => {
  const choice = () => ({ ...s3, ASSAY_ARTIFACTS: 'filesystem', ASSAY_RESULTS_DIR: join(folder, 'results') }) as const

  test('when its folder goes missing, then its check reports a problem', async () => {
    const artifacts = await chooseArtifacts(choice(), { newId: randomUUID, clock: systemClock })
    const look = createResultsCheck(artifacts, systemTimers)
    expect(await look()).toEqual([])
    rmSync(join(folder, 'results'), { recursive: true })
    writeFileSync(join(folder, 'results'), 'not a folder')
    expect(await look()).toEqual([expect.stringMatching(/^The results do not answer: The results folder .*\.$/)])
    await artifacts.close()
  })

  test('when it hangs, then that is a problem after two seconds, and it is not called again until it answers', async () => {
    let asked = 0
    let answer = () => {}
    const check = () => {
      asked++
      return new Promise<void>((resolve) => {
        answer = resolve
      })
    }
    const early = { ...systemTimers, sleep: (ms: number, signal?: AbortSignal) => systemTimers.sleep(ms / 100, signal) }
    const look = createResultsCheck({ check }, early)
    const late = ['The results do not answer: It did not answer within 2 s.']
    expect([await look(), await look(), asked]).toEqual([late, late, 1])
    answer()
    const again = look()
    answer()
    expect(await again).toEqual([])
  })
})
