import { join } from 'node:path'
import { expect, vi } from 'vitest'
import { type GrpcServer, startGrpcServer } from '../../packages/event-store/src/testing/grpc-server/index.ts'
import type { HttpAnswer } from '../../packages/testkit/src/index.ts'
import { type KafkaServer, start as startKafka } from '../../tools/servers/kafka.mjs'
import type { MinioServer } from '../../tools/servers/minio.mjs'
import { type MongoServer, start as startMongo } from '../../tools/servers/mongodb.mjs'
import { freePorts } from '../../tools/servers/ports.mjs'
import {
  environments,
  type RunningProcess,
  type ServiceProcess,
  services,
  startService,
  startTopology,
  stopTopology,
  type Topology,
} from './topology.ts'

const admin = { accessKey: 'assay-test-access-key', secretKey: 'assay-test-secret-key' }

/** The common part of test topologies, with results and samples below `folder`. */
export const testTopology = (folder: string) => ({
  identitySecret: 'a secret of at least thirty-two characters',
  admin,
  sealingKey: 'a sealing key of at least thirty-two characters',
  resultsDir: join(folder, 'results'),
  samplesDir: join(folder, 'samples'),
  validationsDir: join(folder, 'validations'),
  more: { ASSAY_LOG_LEVEL: 'warn' },
  moreOfBus: { ASSAY_KAFKA_SESSION_TIMEOUT_MS: '6000', ASSAY_KAFKA_PARTITIONS: '3' },
})

/** The servers of the distributed form, for tests. */
export interface Servers {
  kafka: KafkaServer
  mongo: MongoServer
  events: GrpcServer
  /** Ends them and removes their data. */
  stop(): Promise<void>
}

/** New servers, empty except for the events of the backup `from`. If one does not start, the others are stopped. */
export async function startServers(from?: string): Promise<Servers> {
  const began = await Promise.allSettled([
    startKafka(),
    startMongo(),
    startGrpcServer(from === undefined ? {} : { from }),
  ])
  const [kafka, mongo, events] = began
  if (kafka.status === 'fulfilled' && mongo.status === 'fulfilled' && events.status === 'fulfilled') {
    const all = [kafka.value, mongo.value, events.value]
    const stop = async () => void (await Promise.all(all.map((server) => server.stop())))
    return { kafka: kafka.value, mongo: mongo.value, events: events.value, stop }
  }
  for (const one of began) if (one.status === 'fulfilled') await one.value.stop()
  throw began.find((one) => one.status === 'rejected')?.reason
}

export type Answer = Pick<HttpAnswer, 'status' | 'text' | 'json'>

/** Variables for results and samples in a server's bucket. `stagingDir`: for unfinished files. */
export function bucketOf(minio: MinioServer, stagingDir: string): Record<string, string> {
  return {
    ASSAY_ARTIFACTS: 's3',
    ASSAY_S3_ENDPOINT: minio.url,
    ASSAY_S3_BUCKET: minio.bucket,
    ASSAY_S3_REGION: minio.region,
    ASSAY_S3_PATH_STYLE: 'on',
    ASSAY_S3_ACCESS_KEY_ID: minio.accessKey,
    ASSAY_S3_SECRET_ACCESS_KEY: minio.secretKey,
    ASSAY_RESULTS_DIR: stagingDir,
  }
}

/** Running services, and functions to call them. */
export interface Installation {
  url: string
  topology: Topology
  running: Record<ServiceProcess, RunningProcess>
  call(method: string, path: string, body?: unknown, pair?: object): Promise<Answer>
  /** Returns the parsed body of a 200; throws for any other status. */
  good(method: string, path: string, body?: unknown, pair?: object): Promise<Answer['json']>
  /** Starts a service again after its process has ended; resolves once it is ready. `more`: additional variables. */
  restart(service: ServiceProcess, more?: Readonly<Record<string, string>>): Promise<void>
  /** Stops all services; throws unless all exit with 0. */
  stop(): Promise<void>
  /** Kills all processes, after a test that failed in the middle. */
  kill(): Promise<void>
}

/** Starts all services, with results and samples below `folder`; resolves when all are ready. */
export async function startInstallation(
  servers: Servers,
  folder: string,
  more: Partial<Topology> = {},
): Promise<Installation> {
  const [gateway = 0, catalog = 0, policy = 0, execution = 0, sampling = 0, notification = 0] = await freePorts(6)
  const url = `http://127.0.0.1:${gateway}`
  const topology: Topology = {
    kafkaBrokers: servers.kafka.brokers.join(','),
    eventStoreDbUrl: servers.events.connectionString,
    mongoDbUrl: servers.mongo.url,
    ports: { gateway, catalog, policy, execution, sampling, notification },
    ...testTopology(folder),
    ...more,
  }
  const running = await startTopology(topology)

  async function call(method: string, path: string, body?: unknown, pair: object = admin): Promise<Answer> {
    const response = await fetch(`${url}${path}`, {
      method,
      headers: { ...pair, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    return { status: response.status, text, json: text === '' ? undefined : JSON.parse(text) }
  }
  return {
    url,
    topology,
    running,
    call,
    async good(method, path, body, pair) {
      const { status, text, json } = await call(method, path, body, pair)
      expect([method, path, status, status === 200 || text]).toEqual([method, path, 200, true])
      return json
    },
    async restart(service, variables = {}) {
      const next = startService(service, { ...environments(topology)[service], ...variables })
      running[service] = next
      await next.ready
    },
    async stop() {
      const codes = await stopTopology(running)
      expect(codes).toEqual({ gateway: 0, catalog: 0, policy: 0, execution: 0, sampling: 0, notification: 0 })
    },
    async kill() {
      for (const service of services) running[service].kill('SIGKILL')
      await Promise.all(services.map((service) => running[service].exited))
    },
  }
}

/** Polls until it succeeds, for as long as a loaded machine may take. */
export const eventually = <T>(check: () => Promise<T>): Promise<T> =>
  vi.waitFor(check, { timeout: 90_000, interval: 100 })
