import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect } from 'vitest'
import { type GrpcServer, startGrpcServer } from '../../packages/event-store/src/testing/grpc-server/index.ts'
import { httpSuite } from '../../packages/testkit/src/http-suite/index.ts'
import { type KafkaServer, start as startKafka } from '../../tools/servers/kafka.mjs'
import { type MongoServer, start as startMongo } from '../../tools/servers/mongodb.mjs'
import { freePorts } from '../../tools/servers/ports.mjs'
import {
  environments,
  type RunningProcess,
  type ServiceProcess,
  startService,
  startTopology,
  stopTopology,
} from './topology.ts'

const admin = { accessKey: 'assay-test-access-key', secretKey: 'assay-test-secret-key' }
let folder: string
let kafka: KafkaServer
let mongo: MongoServer
let events: GrpcServer
let running: Record<ServiceProcess, RunningProcess>
let baseUrl: string
/** A second gateway of the same Assay. */
let other: RunningProcess
let otherUrl: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'assay-http-'))
  await mkdir(join(folder, 'shared'))
  ;[kafka, mongo, events] = await Promise.all([startKafka(), startMongo(), startGrpcServer()])
  const [gateway = 0, catalog = 0, policy = 0, execution = 0, sampling = 0, notification = 0, second = 0] =
    await freePorts(7)
  baseUrl = `http://127.0.0.1:${gateway}`
  otherUrl = `http://127.0.0.1:${second}`
  const topology = {
    kafkaBrokers: kafka.brokers.join(','),
    eventStoreDbUrl: events.connectionString,
    mongoDbUrl: mongo.url,
    ports: { gateway, catalog, policy, execution, sampling, notification },
    identitySecret: 'a secret of at least thirty-two characters',
    admin,
    resultsDir: join(folder, 'results'),
    samplesDir: join(folder, 'samples'),
    more: { ASSAY_LOG_LEVEL: 'warn' },
    moreOfBus: { ASSAY_KAFKA_PARTITIONS: '3' },
  }
  running = await startTopology(topology)
  other = startService('gateway', environments({ ...topology, ports: { ...topology.ports, gateway: second } }).gateway)
  await other.ready
}, 300_000)
afterAll(async () => {
  if (running) {
    const failed = Object.values(running).flatMap(({ service, output }) =>
      output()
        .split('\n')
        .filter((line) => line.includes('a request failed'))
        .map((line) => `${service}: ${line.slice(0, 1000)}\n`),
    )
    other?.kill()
    expect(await other?.exited).toBe(0)
    process.stdout.write(failed.slice(0, 20).join(''))
    const codes = await stopTopology(running)
    expect(codes).toEqual({ gateway: 0, catalog: 0, policy: 0, execution: 0, sampling: 0, notification: 0 })
  }
  await Promise.all([kafka?.stop(), mongo?.stop(), events?.stop()])
  await rm(folder, { recursive: true, force: true })
}, 120_000)

const open = async () => ({ baseUrl, admin, sharedFolder: join(folder, 'shared') })

// A part of the bodies: the schemas are the same code in both forms.
httpSuite(open, { otherGateway: async () => ({ baseUrl: otherUrl }), perBody: 4 })
