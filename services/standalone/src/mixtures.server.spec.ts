import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type GrpcServer, startGrpcServer } from '@assay/event-store/testing/grpc-server'
import { type AssayProcess, startAssay } from '@assay/testkit'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type KafkaServer, start as startKafka } from '../../../tools/servers/kafka.mjs'
import { type MinioServer, start as startMinio, whyNot } from '../../../tools/servers/minio.mjs'
import { type MongoServer, start as startMongo } from '../../../tools/servers/mongodb.mjs'
import { type Kind, kinds, longTested } from './mixtures.fixture.ts'

const api = '/catalog-server/api'
const quality = `${api}/rules/data-quality`

const noMinio = await whyNot()
if (noMinio !== undefined) process.stderr.write(`Mixtures with s3 do not run. ${noMinio}\n`)

let kafka: KafkaServer
let mongo: MongoServer
let minio: MinioServer | undefined
beforeAll(async () => {
  ;[kafka, mongo, minio] = await Promise.all([startKafka(), startMongo(), noMinio ? undefined : startMinio()])
}, 900_000)
afterAll(() => Promise.all([kafka?.stop(), mongo?.stop(), minio?.stop()]))

describe.each(longTested.map((mixture) => ({ name: mixture.join(' and '), mixture })))(
  'standalone over $name',
  (given) => {
    const has = (kind: Kind) => given.mixture.includes(kind)
    const name = given.mixture.join('-')
    let folder: string
    let events: GrpcServer
    beforeEach(async () => {
      folder = await mkdtemp(join(tmpdir(), 'assay-mixture-'))
      await mkdir(join(folder, 'lake'))
      await writeFile(join(folder, 'lake', 'people.csv'), 'id,name\n1,Ada\n2,\n3,Grace\n')
      events = await startGrpcServer()
    })
    afterEach(async () => {
      await events.stop()
      await rm(folder, { recursive: true, force: true })
    })

    function environment(): Record<string, string> {
      return {
        ...(has('eventstoredb')
          ? { ASSAY_EVENT_STORE: 'eventstoredb', ASSAY_EVENTSTOREDB_URL: events.connectionString }
          : {}),
        ...(has('mongodb')
          ? { ASSAY_DOCUMENTS: 'mongodb', ASSAY_MONGODB_URL: mongo.url, ASSAY_MONGODB_DATABASE: `mix-${name}` }
          : {}),
        ...(has('kafka')
          ? {
              ASSAY_BUS: 'kafka',
              ASSAY_KAFKA_BROKERS: kafka.url,
              ASSAY_KAFKA_PREFIX: `${name}.`,
              ASSAY_KAFKA_PARTITIONS: '1',
              ASSAY_KAFKA_SESSION_TIMEOUT_MS: '6000',
            }
          : {}),
        ...(has('s3') && minio
          ? {
              ASSAY_ARTIFACTS: 's3',
              ASSAY_S3_ENDPOINT: minio.url,
              ASSAY_S3_BUCKET: minio.bucket,
              ASSAY_S3_PATH_STYLE: 'on',
              ASSAY_S3_PREFIX: name,
              ASSAY_S3_ACCESS_KEY_ID: minio.accessKey,
              ASSAY_S3_SECRET_ACCESS_KEY: minio.secretKey,
            }
          : {}),
      }
    }

    const start = (data = 'data') =>
      startAssay(join(folder, data), { args: [join(folder, 'lake')], env: environment() })

    async function good(assay: AssayProcess, method: string, path: string, body?: unknown) {
      const answer = await assay.call(method, path, body)
      expect({ path, status: answer.status, text: answer.text }).toMatchObject({ status: 200 })
      return answer.json
    }

    /** Runs the policy once table and policy have reached the services that start runs. */
    async function run(assay: AssayProcess, policy: string): Promise<number> {
      await assay.until(`${api}/assets/byUid/lake.people.csv`, ({ status }) => status === 200)
      let id = 0
      const until = performance.now() + 120_000
      for (;;) {
        const made = await assay.call('POST', quality, {
          rule: { name: policy, backingAsset: { tableAssetUid: 'lake.people.csv' } },
          items: [{ name: 'has a name', measurementType: 'MISSING_VALUES', columnName: 'name' }],
        })
        if (made.status === 200) id = made.json.rule.id
        if (id !== 0) break
        if (performance.now() > until) throw new Error(`No policy could be created: ${made.text}`)
        await new Promise((resolve) => setTimeout(resolve, 100))
      }
      for (;;) {
        const started = await assay.call('POST', `${quality}/${id}/executions`, {})
        if (started.status === 200) return started.json.execution.id
        if (performance.now() > until) throw new Error(`The policy could not be run: ${started.text}`)
        await new Promise((resolve) => setTimeout(resolve, 100))
      }
    }

    /** The result, the bad rows page by page, and the bad rows as a file. */
    async function read(assay: AssayProcess, execution: number) {
      const ended = await assay.until(
        `${quality}/executions/${execution}/result`,
        ({ status, json }) => status === 200 && !/RUNNING|WAITING|STARTED/.test(json.execution.executionStatus),
      )
      const rows = await good(assay, 'GET', `${quality}/executions/${execution}/rows?category=bad`)
      const file = await assay.call('GET', `${quality}/executions/${execution}/rows/download?category=bad`)
      return { result: ended.json, rows, file: { status: file.status, bytes: file.text.length } }
    }

    test.skipIf(has('s3') && noMinio !== undefined)(
      'when a policy is run, then its result and its rows can be read, also after a kill',
      async () => {
        let assay = await start()
        try {
          const execution = await run(assay, 'names')
          const found = await read(assay, execution)
          expect(found.result.execution).toMatchObject({ executionStatus: 'SUCCESSFUL', executionError: null })
          expect(found.result.items).toMatchObject([{ rowsScanned: 3, rowsFailed: 1 }])
          expect(found.rows.data.rows).toHaveLength(1)
          expect(found.file.status).toBe(200)
          const second = await run(assay, 'again')
          await assay.stop('SIGKILL')

          assay = await start()
          expect(await read(assay, execution)).toEqual(found)
          expect((await read(assay, second)).result.items).toMatchObject([{ rowsScanned: 3, rowsFailed: 1 }])
          if (kinds.every(has)) {
            expect(await assay.stop()).toBe(0)
            assay = await start('another-data')
            expect(await read(assay, execution)).toEqual(found)
          }
        } finally {
          await assay.stop()
        }
      },
      240_000,
    )
  },
)
