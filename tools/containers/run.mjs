/**
 * `npm run test:containers`: runs the suites of the ports on real servers in containers: Kafka, MongoDB, MinIO,
 * EventStoreDB and KurrentDB. Needs a container engine. Arguments: names of servers; absent: all. `--local`: uses only
 * images that `npm run test:image` has built, for machines that reach no image registry.
 */
import { spawn, spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { GenericContainer, RandomPortGenerator, Wait } from 'testcontainers'

const root = join(import.meta.dirname, '../..')
/** EX_UNAVAILABLE of sysexits. */
const noEngine = 69
const suites = {
  kafka: 'packages/message-bus/src/kafka/bus.server.spec.ts',
  mongodb: 'packages/documents/src/mongodb/documents.server.spec.ts',
  s3: 'packages/artifacts/src/s3/artifacts.server.spec.ts',
  eventstoredb: 'packages/event-store/src/eventstoredb/event-store.int.spec.ts',
}

/** The image, suite and variable of each server. `freePort`: a free port of this machine. */
function servers(freePort, isLocal) {
  const secretKey = randomBytes(18).toString('base64url')
  const ready = (container, pattern) => container.withWaitStrategy(pattern).withStartupTimeout(180_000)
  const at = (started, port) => `${started.getHost()}:${started.getMappedPort(port)}`
  /** `appendSize`: the default of EventStoreDB and KurrentDB 25.0 is 1 MiB; KurrentDB 25.1 and later do not start with 8 MiB. */
  const eventStore = (image, prefix, scheme, appendSize) => ({
    suite: suites.eventstoredb,
    project: 'int',
    container: () =>
      ready(
        new GenericContainer(image)
          .withEnvironment({
            [`${prefix}_INSECURE`]: 'true',
            [`${prefix}_MEM_DB`]: 'true',
            ...(appendSize === undefined ? {} : { [`${prefix}_MAX_APPEND_SIZE`]: String(appendSize) }),
          })
          .withExposedPorts(2113),
        Wait.forHttp('/health/live', 2113).forStatusCodeMatching((code) => code < 300),
      ),
    variable: (started) => ({ ASSAY_TEST_EVENTSTOREDB: `${scheme}://${at(started, 2113)}?tls=false` }),
  })
  return {
    Kafka: {
      suite: suites.kafka,
      project: 'server',
      container: () =>
        ready(
          new GenericContainer(isLocal ? 'assay-local/kafka:4.3.1' : 'apache/kafka:4.3.1')
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
          new GenericContainer(isLocal ? 'assay-local/secantusdb:0.7.0' : 'mongo:8.0.12').withExposedPorts(27_017),
          isLocal ? Wait.forListeningPorts() : Wait.forLogMessage('Waiting for connections'),
        ),
      variable: (started) => ({
        ASSAY_TEST_MONGODB: `mongodb://${at(started, 27_017)}/?retryWrites=false&directConnection=true`,
      }),
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
    EventStoreDB: eventStore('eventstore/eventstore:24.10.4-jammy', 'EVENTSTORE', 'esdb', 8 * 1024 * 1024),
    KurrentDB: eventStore('kurrentplatform/kurrentdb:25.1.3', 'KURRENTDB', 'kurrentdb'),
  }
}

/** In the title of tests (`health.features.ts`) that pause their server, which must be one that they started. */
const pausingTests = 'the bus is unhealthy until the store answers'

function vitest(project, suite, more) {
  const args = [join(root, 'node_modules/vitest/vitest.mjs'), 'run', '--project', project, suite]
  args.push('--testNamePattern', `^(?!.*${pausingTests})`)
  const child = spawn(process.execPath, args, { cwd: root, stdio: 'inherit', env: { ...process.env, ...more } })
  return new Promise((resolve) => child.once('exit', (code) => resolve(code ?? 1)))
}

async function main() {
  // Ryuk, the container that cleans up after a killed run, needs a registry.
  if (process.argv.includes('--local')) process.env.TESTCONTAINERS_RYUK_DISABLED = 'true'
  const engine = spawnSync('docker', ['info', '--format', '{{.ServerVersion}}'], { encoding: 'utf8', timeout: 20_000 })
  if (engine.status !== 0) {
    process.stderr.write('No container engine: `docker info` does not answer, so no suite was run.\n')
    return noEngine
  }
  const isLocal = process.argv.includes('--local')
  const named = process.argv.slice(2).filter((name) => !name.startsWith('-'))
  const wanted = isLocal ? ['Kafka', 'MongoDB'] : named
  const freePort = await new RandomPortGenerator().generatePort()
  const failed = []
  for (const [name, server] of Object.entries(servers(freePort, isLocal))) {
    if (wanted.length > 0 && !wanted.includes(name)) continue
    process.stdout.write(`\n${name}: starting ...\n`)
    const started = await server.container().start()
    try {
      if ((await vitest(server.project, server.suite, server.variable(started))) !== 0) failed.push(name)
    } finally {
      await started.stop()
    }
  }
  process.stdout.write(failed.length === 0 ? '\nAll suites passed.\n' : `\nFailed: ${failed.join(', ')}.\n`)
  return failed.length === 0 ? 0 : 1
}

process.exitCode = await main()
