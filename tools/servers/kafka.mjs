/**
 * A real Apache Kafka for tests: KRaft, one broker or three, from its Maven jars, on loopback only.
 * Needs `mvn` (for the first install) and Java 17 or later on PATH.
 */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { borrowed } from './borrowed.mjs'
import { defaultCacheDir, installed, run } from './install.mjs'
import { freePorts } from './ports.mjs'
import { startProcess, untilInterrupted } from './process.mjs'

const version = '4.3.1'

const pom = `<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>assay.tests</groupId><artifactId>kafka-server</artifactId><version>1</version>
  <dependencies>
    <dependency><groupId>org.apache.kafka</groupId><artifactId>kafka_2.13</artifactId><version>${version}</version></dependency>
    <dependency><groupId>org.slf4j</groupId><artifactId>slf4j-simple</artifactId><version>1.7.36</version></dependency>
  </dependencies>
</project>
`

/** Downloads the jars into `cacheDir` and returns their folder. */
export const install = (cacheDir = defaultCacheDir()) =>
  installed(join(cacheDir, `kafka-${version}`), async (work) => {
    const libs = join(work, 'libs')
    await writeFile(join(work, 'pom.xml'), pom)
    await run('mvn', ['-q', '-B', 'dependency:copy-dependencies', `-DoutputDirectory=${libs}`], { cwd: work })
    return libs
  })

const javaArguments = (libs, archive) => ['-XX:TieredStopAtLevel=1', archive, '-cp', `${libs}/*`]

/**
 * The first arguments of Java, with an archive of the classes of a broker, which saves almost half of the CPU time of each
 * start. Java writes the archive when a broker exits, so the first call starts and stops one. It ignores an archive that
 * does not fit.
 */
async function javaWithArchive(cacheDir = defaultCacheDir()) {
  const libs = await install(cacheDir)
  const folder = await installed(join(cacheDir, `kafka-${version}-classes`), async (work) => {
    const made = join(work, 'made')
    await mkdir(made)
    const recording = javaArguments(libs, `-XX:ArchiveClassesAtExit=${join(made, 'kafka.jsa')}`)
    const server = await startCluster({ stopWaitMs: 120_000 }, recording)
    await server.stop()
    return made
  })
  return javaArguments(libs, `-XX:SharedArchiveFile=${join(folder, 'kafka.jsa')}`)
}

const scram = ['SCRAM-SHA-256', 'SCRAM-SHA-512']

/** Further listeners of the first broker: with TLS, with TLS and users, with users alone. */
function securedProperties({ port, controllerPort, ports, keyFile, users }) {
  const names = ['SSL', 'SASL_SSL', 'SASL_PLAINTEXT']
  const addresses = (host) => names.map((name, index) => `${name}://${host}:${ports[index]}`).join(',')
  const plainUsers = users.map(({ name, password }) => `user_${name}="${password}"`).join(' ')
  return {
    listeners: `PLAINTEXT://127.0.0.1:${port},CONTROLLER://127.0.0.1:${controllerPort},${addresses('127.0.0.1')}`,
    'advertised.listeners': `PLAINTEXT://127.0.0.1:${port},${addresses('localhost')}`,
    'listener.security.protocol.map': ['PLAINTEXT', ...names, 'CONTROLLER']
      .map((name) => `${name}:${name === 'CONTROLLER' ? 'PLAINTEXT' : name}`)
      .join(','),
    'ssl.keystore.type': 'PEM',
    'ssl.keystore.location': keyFile,
    'sasl.enabled.mechanisms': ['PLAIN', ...scram].join(','),
    ...Object.fromEntries(
      ['sasl_ssl', 'sasl_plaintext'].flatMap((listener) => [
        [
          `listener.name.${listener}.plain.sasl.jaas.config`,
          `org.apache.kafka.common.security.plain.PlainLoginModule required ${plainUsers};`,
        ],
        ...scram.map((mechanism) => [
          `listener.name.${listener}.${mechanism.toLowerCase()}.sasl.jaas.config`,
          'org.apache.kafka.common.security.scram.ScramLoginModule required;',
        ]),
      ]),
    ),
  }
}

/** The arguments that create the users of SCRAM when the log of the cluster is formatted. */
const scramArguments = (users) =>
  users.flatMap(({ name, password }) =>
    scram.flatMap((mechanism) => ['--add-scram', `${mechanism}=[name=${name},password=${password}]`]),
  )

function propertiesOf({ id, port, controllerPort, voters, folder, count, advertisedPort, more }) {
  const copies = Math.min(3, count)
  const safe = copies > 1 ? 2 : 1
  return Object.entries({
    'process.roles': 'broker,controller',
    'node.id': id,
    'controller.quorum.voters': voters,
    listeners: `PLAINTEXT://127.0.0.1:${port},CONTROLLER://127.0.0.1:${controllerPort}`,
    'advertised.listeners': `PLAINTEXT://127.0.0.1:${advertisedPort}`,
    'controller.listener.names': 'CONTROLLER',
    'listener.security.protocol.map': 'PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT',
    'inter.broker.listener.name': 'PLAINTEXT',
    'log.dirs': join(folder, 'log'),
    'num.partitions': 3,
    'auto.create.topics.enable': false,
    'offsets.topic.replication.factor': copies,
    'offsets.topic.num.partitions': 1,
    'transaction.state.log.replication.factor': copies,
    'transaction.state.log.min.isr': safe,
    'transaction.state.log.num.partitions': 1,
    'share.coordinator.state.topic.replication.factor': copies,
    'share.coordinator.state.topic.min.isr': safe,
    'group.initial.rebalance.delay.ms': 0,
    'group.min.session.timeout.ms': 1000,
    'min.insync.replicas': safe,
    'broker.session.timeout.ms': 1500,
    'broker.heartbeat.interval.ms': 300,
    'log.cleaner.dedupe.buffer.size': 4_194_304,
    ...more,
  })
    .map(([name, value]) => `${name}=${value}\n`)
    .join('')
}

const startBroker = (java, folder, { stopWaitMs }) =>
  startProcess({
    name: 'Kafka',
    command: 'java',
    args: [
      '-Xmx512m',
      '-XX:+UseSerialGC',
      '-Dorg.slf4j.simpleLogger.defaultLogLevel=warn',
      '-Dorg.slf4j.simpleLogger.log.kafka.server=info',
      '-Dorg.slf4j.simpleLogger.log.org.apache.kafka.server=info',
      ...java,
      'kafka.Kafka',
      join(folder, 'server.properties'),
    ],
    readyOutput: 'Kafka Server started',
    startWaitMs: 90_000,
    stopWaitMs,
  })

/**
 * Starts a cluster of `brokers` (1 or 3) with its own data folder.
 * `properties` are added to each broker's. `advertisedPorts`: the ports for clients, such as those of a proxy.
 * `secured`: one broker with three more listeners: one with TLS (`certificate` and `key` in PEM form), one with TLS and
 * users, and one with users alone. Users can use PLAIN and SCRAM. `secured` of the answer has the addresses.
 * Names and passwords may contain letters, digits and `@%/:?&_-`.
 * Returns `brokers` (addresses, also as `url`), `pid(index)` (of a broker's process), `stop` (ends all and removes the
 * data), `kill(index)` (kill -9 of one broker; without an index, of all) and `restart(index)` (restarts killed brokers
 * with the same data and ports).
 * If `ASSAY_TEST_KAFKA` names the brokers of a cluster, uses that cluster, unless `secured` is given.
 */
export async function start(options = {}) {
  const url = process.env.ASSAY_TEST_KAFKA
  if (url && options.secured === undefined) return { url, brokers: url.split(','), ...borrowed('ASSAY_TEST_KAFKA') }
  const java = await javaWithArchive(options.cacheDir)
  for (let tries = 1; ; tries++) {
    try {
      return await startCluster(options, java)
    } catch (error) {
      // Another process may have taken the port since it was found free.
      if (options.ports || tries === 3 || !String(error.message).includes('Unable to start acceptor')) throw error
    }
  }
}

async function startCluster(options, java) {
  const count = options.brokers ?? 1
  const root = await mkdtemp(join(tmpdir(), 'assay-kafka-'))
  const { secured } = options
  const found = await freePorts(count * 2 + 3)
  const ports = options.ports ?? found.slice(0, count * 2)
  const securedPorts = found.slice(count * 2)
  const keyFile = join(root, 'server.pem')
  if (secured) await writeFile(keyFile, `${secured.key}\n${secured.certificate}`, { mode: 0o600 })
  const clusterId = Buffer.from(root.slice(-16).padStart(16, 'x')).toString('base64url')
  const voters = Array.from({ length: count }, (_, index) => `${index + 1}@127.0.0.1:${ports[count + index]}`).join(',')
  const nodes = []
  for (let index = 0; index < count; index++) {
    const folder = join(root, String(index + 1))
    await mkdir(folder, { recursive: true })
    const port = ports[index]
    await writeFile(
      join(folder, 'server.properties'),
      propertiesOf({
        id: index + 1,
        port,
        controllerPort: ports[count + index],
        voters,
        folder,
        count,
        advertisedPort: options.advertisedPorts?.[index] ?? port,
        more: secured
          ? {
              ...securedProperties({
                port,
                controllerPort: ports[count + index],
                ports: securedPorts,
                keyFile,
                users: secured.users,
              }),
              ...options.properties,
            }
          : options.properties,
      }),
    )
    nodes.push({ folder, broker: undefined })
  }
  await Promise.all(
    nodes.map(({ folder }) =>
      run('java', [
        '-Dorg.slf4j.simpleLogger.defaultLogLevel=warn',
        ...java,
        'kafka.tools.StorageTool',
        'format',
        '-t',
        clusterId,
        '-c',
        join(folder, 'server.properties'),
        ...scramArguments(secured?.users ?? []),
      ]),
    ),
  )
  const chosen = (index) => (index === undefined ? nodes : [nodes[index]])
  const startNodes = async (which) => {
    for (const node of which) node.broker = startBroker(java, node.folder, options)
    await Promise.all(which.map(({ broker }) => broker.ready))
  }
  const stop = async () => {
    await Promise.all(nodes.map(({ broker }) => broker?.stop()))
    await rm(root, { recursive: true, force: true })
  }
  try {
    await startNodes(nodes)
  } catch (error) {
    await Promise.all(nodes.map(({ broker }) => broker?.kill()))
    await rm(root, { recursive: true, force: true })
    throw error
  }
  const brokers = ports.slice(0, count).map((port) => `127.0.0.1:${port}`)
  return {
    url: brokers.join(','),
    brokers,
    ...(secured
      ? {
          secured: Object.fromEntries(
            ['tls', 'tlsAndUsers', 'users'].map((name, index) => [name, `localhost:${securedPorts[index]}`]),
          ),
        }
      : {}),
    pid: (index = 0) => nodes[index]?.broker.pid(),
    stop,
    kill: async (index) => {
      await Promise.all(chosen(index).map(({ broker }) => broker.kill()))
    },
    restart: (index) => startNodes(chosen(index)),
    pause(index) {
      for (const { broker } of chosen(index)) broker.pause()
    },
    resume(index) {
      for (const { broker } of chosen(index)) broker.resume()
    },
  }
}

/** `node tools/servers/kafka.mjs [1|3]`: a cluster for manual work, until interrupted. */
if (process.argv[1] === import.meta.filename) {
  const server = await start({ brokers: Number(process.argv[2] ?? 1) })
  untilInterrupted(server, server.url)
}
