import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startGrpcServer } from '@assay/event-store/testing/grpc-server'
import { startAssay } from '@assay/testkit'
import { makeAuthority } from '@assay/testkit/certificates'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { type KafkaServer, start as startKafka } from '../../../tools/servers/kafka.mjs'
import { type MinioServer, start as startMinio, whyNot } from '../../../tools/servers/minio.mjs'
import { type MongoServer, start as startMongo } from '../../../tools/servers/mongodb.mjs'
import { type Kind, kinds, longTested, pairs } from './mixtures.fixture.ts'

const quality = '/catalog-server/api/rules/data-quality'
const user = { name: 'assay-user', password: 'p:a@s%s/w?o&r-d' }
const secrets = [user.password, encodeURIComponent(user.password), Buffer.from(user.password).toString('base64')]
const encoded = encodeURIComponent

const noMinio = await whyNot()
if (noMinio !== undefined) process.stderr.write(`Mixtures with s3 do not run. ${noMinio}\n`)

/** Servers that require TLS, and a user or a client certificate, with the variables as documented. */
describe('standalone over servers with TLS and users', () => {
  const authority = makeAuthority()
  const certified = authority.issueServer()
  let folder: string
  let kafka: KafkaServer
  let mongo: MongoServer
  let minio: MinioServer | undefined
  const file = (name: string) => join(folder, name)

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'assay-secured-'))
    await mkdir(file('lake'))
    await writeFile(file('lake/people.csv'), 'id,name\n1,Ada\n2,\n')
    const client = authority.issueClient('assay')
    await writeFile(file('ca.pem'), authority.certificate)
    await writeFile(file('server.pem'), certified.certificate)
    await writeFile(file('server-key.pem'), certified.key, { mode: 0o600 })
    await writeFile(file('client.pem'), `${client.certificate}${client.key}`, { mode: 0o600 })
    ;[kafka, mongo, minio] = await Promise.all([
      startKafka({ secured: { ...certified, users: [user] } }),
      startMongo({
        arguments: [
          ...['--tls-cert-file', file('server.pem'), '--tls-key-file', file('server-key.pem')],
          ...['--tls-ca-file', file('ca.pem'), '--tls-require-client-cert'],
        ],
      }),
      noMinio ? undefined : startMinio(),
    ])
  }, 900_000)
  afterAll(async () => {
    await Promise.all([kafka?.stop(), mongo?.stop(), minio?.stop()])
    await rm(folder, { recursive: true, force: true })
  })

  const variables: Record<Kind, (name: string, port: number) => Record<string, string>> = {
    eventstoredb: (_, port) => ({
      ASSAY_EVENT_STORE: 'eventstoredb',
      ASSAY_EVENTSTOREDB_URL: `esdb://${user.name}:${encoded(user.password)}@localhost:${port}?tlsCaFile=${encoded(file('ca.pem'))}`,
    }),
    mongodb: (name) => ({
      ASSAY_DOCUMENTS: 'mongodb',
      ASSAY_MONGODB_URL: `mongodb://localhost:${mongo.port}/?directConnection=true&retryWrites=false&tls=true&tlsCertificateKeyFile=${encoded(file('client.pem'))}`,
      ASSAY_MONGODB_DATABASE: `secured-${name}`,
    }),
    kafka: (name) => ({
      ASSAY_BUS: 'kafka',
      ASSAY_KAFKA_BROKERS: kafka.secured?.tlsAndUsers ?? '',
      ASSAY_KAFKA_TLS: 'on',
      ASSAY_KAFKA_SASL: 'scram-sha-512',
      ASSAY_KAFKA_USERNAME: user.name,
      ASSAY_KAFKA_PASSWORD: user.password,
      ASSAY_KAFKA_PREFIX: `${name}.`,
      ASSAY_KAFKA_PARTITIONS: '1',
      ASSAY_KAFKA_SESSION_TIMEOUT_MS: '6000',
    }),
    s3: (name) => ({
      ASSAY_ARTIFACTS: 's3',
      ASSAY_S3_ENDPOINT: minio?.url ?? '',
      ASSAY_S3_BUCKET: minio?.bucket ?? '',
      ASSAY_S3_PATH_STYLE: 'on',
      ASSAY_S3_PREFIX: name,
      ASSAY_S3_ACCESS_KEY_ID: minio?.accessKey ?? '',
      ASSAY_S3_SECRET_ACCESS_KEY: minio?.secretKey ?? '',
    }),
  }

  test('given any three adapters, then each combination of them is in these pairs, the long tests or the embedded form', () => {
    const tested = [[], ...longTested, ...pairs]
    for (const left of kinds) {
      const three = kinds.filter((kind) => kind !== left)
      const combinations = tested.map((mixture) => three.filter((kind) => mixture.includes(kind)).join(' '))
      expect(new Set(combinations).size).toBe(8)
    }
  })

  const runnable = pairs.filter((mixture) => noMinio === undefined || !mixture.includes('s3'))
  test.each(runnable.map((mixture) => ({ name: mixture.join('-'), mixture })))(
    'given $name, then Assay starts, creates and reads a policy, and stops',
    async ({ name, mixture }) => {
      const events = await startGrpcServer({ admission: { tls: certified, user } })
      // A failure here is reported in addition to the test's own, not instead of it.
      onTestFinished(() => events.stop())
      const env = Object.assign({}, ...mixture.map((kind) => variables[kind](name, events.port)))
      const assay = await startAssay(join(folder, name), {
        args: [file('lake')],
        env: { NODE_EXTRA_CA_CERTS: file('ca.pem'), ASSAY_LOG_LEVEL: 'info', ...env },
      })
      onTestFinished(async () => {
        await assay.stop()
      })
      await assay.until('/readyz', ({ status }) => status === 200)
      const uid = 'lake.people.csv'
      await assay.until(`/catalog-server/api/assets/byUid/${uid}`, ({ status }) => status === 200)
      let made = { status: 0, text: '', id: 0 }
      // The table reaches policy over the bus.
      await expect
        .poll(
          async () => {
            const { status, text, json } = await assay.call('POST', quality, {
              rule: { name: 'names', backingAsset: { tableAssetUid: uid } },
              items: [{ measurementType: 'MISSING_VALUES', columnName: 'name' }],
            })
            made = { status, text, id: json.rule?.id ?? 0 }
            return status
          },
          { timeout: 60_000, interval: 100 },
        )
        .toBe(200)
      const read = await assay.until(`${quality}/${made.id}`, ({ status }) => status === 200)
      expect(read.json.rule).toMatchObject({ id: made.id, name: 'names' })
      expect(await assay.stop()).toBe(0)
      for (const secret of secrets) expect(assay.output()).not.toContain(secret)
    },
    180_000,
  )

  test('given Kafka with an untrusted authority, when Assay starts, then it exits with an error that says what to do', async () => {
    const started = startAssay(join(folder, 'untrusted'), { env: variables.kafka('untrusted', 0) })
    await expect(started).rejects.toThrow(/is not trusted. Set the file of its authority in NODE_EXTRA_CA_CERTS/)
  })
})
