/**
 * `npm run test:containers`: the suites of the ports on the real servers, in containers: Kafka, MongoDB, MinIO,
 * EventStoreDB and KurrentDB. Needs a container engine; the library that starts them is installed on demand.
 */
import { spawn, spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { defaultCacheDir, installed } from '../servers/install.mjs'

const version = '12.2.0'
const root = join(import.meta.dirname, '../..')
/** EX_UNAVAILABLE of sysexits: what is needed is not there. */
const noEngine = 69
const suites = {
  kafka: 'packages/message-bus/src/kafka/bus.server.spec.ts',
  mongodb: 'packages/documents/src/mongodb/documents.server.spec.ts',
  s3: 'packages/artifacts/src/s3/artifacts.server.spec.ts',
  eventstoredb: 'packages/event-store/src/eventstoredb/event-store.int.spec.ts',
}

/** Puts the library into the cache folder. */
async function library() {
  const folder = await installed(join(defaultCacheDir(), `testcontainers-${version}`), async (work) => {
    await writeFile(join(work, 'package.json'), '{"private":true}\n')
    const args = ['install', '--no-audit', '--no-fund', '--ignore-scripts', `testcontainers@${version}`]
    const { status } = spawnSync('npm', args, { cwd: work, stdio: ['ignore', 2, 2] })
    if (status !== 0) throw new Error('The library that starts containers could not be installed: see the lines above.')
    return work
  })
  const require = createRequire(join(folder, 'package.json'))
  return import(pathToFileURL(require.resolve('testcontainers')).href)
}

/** What each server is, and the variable that tells the suites of it. `freePort`: one that is free on this machine. */
function servers({ GenericContainer, Wait }, freePort) {
  const secretKey = randomBytes(18).toString('base64url')
  const ready = (container, pattern) => container.withWaitStrategy(pattern).withStartupTimeout(180_000)
  const at = (started, port) => `${started.getHost()}:${started.getMappedPort(port)}`
  const eventStore = (image, prefix) => ({
    suite: suites.eventstoredb,
    project: 'int',
    container: () =>
      ready(
        new GenericContainer(image)
          .withEnvironment({
            [`${prefix}_INSECURE`]: 'true',
            [`${prefix}_MEM_DB`]: 'true',
            [`${prefix}_MAX_APPEND_SIZE`]: String(16 * 1024 * 1024),
          })
          .withExposedPorts(2113),
        Wait.forHttp('/health/live', 2113).forStatusCodeMatching((code) => code < 300),
      ),
    variable: (started) => ({ ASSAY_TEST_EVENTSTOREDB: `esdb://${at(started, 2113)}?tls=false` }),
  })
  return {
    Kafka: {
      suite: suites.kafka,
      project: 'server',
      container: () =>
        ready(
          new GenericContainer('apache/kafka:4.3.1')
            .withEnvironment({
              KAFKA_NODE_ID: '1',
              KAFKA_PROCESS_ROLES: 'broker,controller',
              KAFKA_CONTROLLER_QUORUM_VOTERS: '1@localhost:9093',
              KAFKA_LISTENERS: 'PLAINTEXT://:9092,CONTROLLER://:9093',
              // Clients are sent to this address, so the port must be known before the start.
              KAFKA_ADVERTISED_LISTENERS: `PLAINTEXT://127.0.0.1:${freePort}`,
              KAFKA_LISTENER_SECURITY_PROTOCOL_MAP: 'CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT',
              KAFKA_CONTROLLER_LISTENER_NAMES: 'CONTROLLER',
              KAFKA_INTER_BROKER_LISTENER_NAME: 'PLAINTEXT',
              KAFKA_AUTO_CREATE_TOPICS_ENABLE: 'false',
              KAFKA_OFFSETS_TOPIC_REPLICATION_FACTOR: '1',
              KAFKA_TRANSACTION_STATE_LOG_REPLICATION_FACTOR: '1',
              KAFKA_TRANSACTION_STATE_LOG_MIN_ISR: '1',
              KAFKA_GROUP_INITIAL_REBALANCE_DELAY_MS: '0',
              KAFKA_GROUP_MIN_SESSION_TIMEOUT_MS: '1000',
            })
            .withExposedPorts({ container: 9092, host: freePort }),
          Wait.forLogMessage('Kafka Server started'),
        ),
      variable: () => ({ ASSAY_TEST_KAFKA: `127.0.0.1:${freePort}` }),
    },
    MongoDB: {
      suite: suites.mongodb,
      project: 'server',
      container: () =>
        ready(
          new GenericContainer('mongo:8.0.12').withExposedPorts(27_017),
          Wait.forLogMessage('Waiting for connections'),
        ),
      variable: (started) => ({ ASSAY_TEST_MONGODB: `mongodb://${at(started, 27_017)}/?retryWrites=false` }),
    },
    MinIO: {
      suite: suites.s3,
      project: 'server',
      container: () =>
        ready(
          new GenericContainer('minio/minio:RELEASE.2025-04-22T22-12-26Z')
            .withEnvironment({ MINIO_ROOT_USER: 'assay-tests', MINIO_ROOT_PASSWORD: secretKey })
            // A folder in the data folder is a bucket.
            .withEntrypoint(['sh', '-c', 'mkdir -p /data/assay && exec minio server /data'])
            .withExposedPorts(9000),
          Wait.forHttp('/minio/health/ready', 9000),
        ),
      variable: (started) => ({ ASSAY_TEST_S3: `http://assay-tests:${secretKey}@${at(started, 9000)}/assay` }),
    },
    EventStoreDB: eventStore('eventstore/eventstore:24.10.4-jammy', 'EVENTSTORE'),
    KurrentDB: eventStore('kurrentplatform/kurrentdb:25.1.3', 'KURRENTDB'),
  }
}

function vitest(project, suite, more) {
  const args = [join(root, 'node_modules/vitest/vitest.mjs'), 'run', '--project', project, suite]
  const child = spawn(process.execPath, args, { cwd: root, stdio: 'inherit', env: { ...process.env, ...more } })
  return new Promise((resolve) => child.once('exit', (code) => resolve(code ?? 1)))
}

async function main() {
  const engine = spawnSync('docker', ['info', '--format', '{{.ServerVersion}}'], { encoding: 'utf8', timeout: 20_000 })
  if (engine.status !== 0) {
    process.stderr.write('There is no container engine here: `docker info` does not answer, so no suite was run.\n')
    return noEngine
  }
  const { getContainerRuntimeClient: _, RandomPortGenerator, ...testcontainers } = await library()
  const freePort = await new RandomPortGenerator().generatePort()
  const failed = []
  for (const [name, server] of Object.entries(servers(testcontainers, freePort))) {
    process.stdout.write(`\n${name}: starting ...\n`)
    const started = await server.container().start()
    try {
      if ((await vitest(server.project, server.suite, server.variable(started))) !== 0) failed.push(name)
    } finally {
      await started.stop()
    }
  }
  process.stdout.write(failed.length === 0 ? '\nAll suites are green.\n' : `\nNot green: ${failed.join(', ')}.\n`)
  return failed.length === 0 ? 0 : 1
}

process.exitCode = await main()
