import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type GrpcServer, startGrpcServer } from '../../../packages/event-store/src/testing/grpc-server/index.ts'
import { openProxy, type TcpProxy } from '../../../packages/testkit/src/index.ts'
import { type KafkaServer, start as startKafka } from '../../../tools/servers/kafka.mjs'
import { type MongoServer, start as startMongo } from '../../../tools/servers/mongodb.mjs'
import { freePorts } from '../../../tools/servers/ports.mjs'
import { testTopology } from '../installation.fixture.ts'
import {
  environments,
  type RunningProcess,
  type ServiceProcess,
  services,
  startService,
  type Topology,
} from '../topology.ts'

/** One replica of a service, which is restarted on its port after it has ended. */
export interface Replica {
  service: ServiceProcess
  port: number
  running: RunningProcess
}

/**
 * The distributed form with a proxy in front of each server and of the gateway, and between the gateway and each
 * service.
 */
export interface System {
  /** The URL of the gateway. */
  url: string
  admin: { accessKey: string; secretKey: string }
  lake: string
  kafka: KafkaServer
  mongo: MongoServer
  events: GrpcServer
  proxies: { kafka: TcpProxy; mongo: TcpProxy; events: TcpProxy; services: Readonly<Record<ServiceProcess, TcpProxy>> }
  replicas: readonly Replica[]
  of(service: ServiceProcess): Replica[]
  /** Kills the replica with SIGKILL and starts a new process on its port; resolves once the process is ready. */
  killAndRestart(replica: Replica): Promise<void>
  /** Stops the replica with SIGTERM and starts a new process on its port; resolves once the process is ready. */
  stopAndRestart(replica: Replica): Promise<void>
  close(): Promise<void>
}

/** Starts servers, proxies and `count` replicas of each service; resolves when all are ready. */
export async function startSystem(count: number): Promise<System> {
  const folder = await mkdtemp(join(tmpdir(), 'assay-faults-'))
  const lake = join(folder, 'lake')
  // The subfolder produces messages on the topic of containers.
  await mkdir(join(lake, 'archive'), { recursive: true })
  await writeFile(join(lake, 'archive', 'orders.csv'), 'id\n1\n')
  await writeFile(join(lake, 'people.csv'), 'id,name\n1,Ada\n2,\n3,Grace\n')
  const serverPorts = { kafka: 0, mongo: 0, events: 0 }
  const kafkaProxy = await openProxy(() => [serverPorts.kafka])
  const mongoProxy = await openProxy(() => [serverPorts.mongo])
  const eventsProxy = await openProxy(() => [serverPorts.events])
  // Clients of Kafka connect to the addresses that its brokers advertise.
  const [kafka, mongo, events] = await Promise.all([
    startKafka({ advertisedPorts: [kafkaProxy.port] }),
    startMongo(),
    startGrpcServer(),
  ])
  const portOf = (address: string) => Number(/:(\d+)/.exec(address.replace('//', ''))?.[1])
  serverPorts.kafka = portOf(kafka.brokers[0] ?? '')
  serverPorts.mongo = mongo.port
  serverPorts.events = portOf(events.connectionString.slice('esdb:'.length))

  const ports = await freePorts(services.length * count)
  const portsOf = (service: ServiceProcess) => {
    const first = services.indexOf(service) * count
    return ports.slice(first, first + count)
  }
  const inFront = (service: ServiceProcess) => openProxy(() => portsOf(service))
  const serviceProxies = {
    execution: await inFront('execution'),
    catalog: await inFront('catalog'),
    policy: await inFront('policy'),
    sampling: await inFront('sampling'),
    notification: await inFront('notification'),
    gateway: await inFront('gateway'),
  }
  const urlOf = (service: ServiceProcess) => `http://127.0.0.1:${serviceProxies[service].port}`
  const firstPort = (service: ServiceProcess) => portsOf(service)[0] ?? 0
  const topology: Topology = {
    kafkaBrokers: `127.0.0.1:${kafkaProxy.port}`,
    eventStoreDbUrl: `esdb://127.0.0.1:${eventsProxy.port}?tls=false`,
    mongoDbUrl: `mongodb://127.0.0.1:${mongoProxy.port}/?directConnection=true&retryWrites=false`,
    ports: {
      gateway: firstPort('gateway'),
      catalog: firstPort('catalog'),
      policy: firstPort('policy'),
      execution: firstPort('execution'),
      sampling: firstPort('sampling'),
      notification: firstPort('notification'),
    },
    urls: {
      catalog: urlOf('catalog'),
      policy: urlOf('policy'),
      execution: urlOf('execution'),
      sampling: urlOf('sampling'),
      notification: urlOf('notification'),
    },
    ...testTopology(folder),
  }
  const environment = environments(topology)
  const begin = (service: ServiceProcess, port: number) => {
    const more = service === 'gateway' ? { ASSAY_UPSTREAM_TIMEOUT_SECONDS: '8', ASSAY_RATE_LIMIT: '0' } : {}
    return startService(service, { ...environment[service], ...more, PORT: String(port) })
  }
  const replicas: Replica[] = services.flatMap((service) =>
    portsOf(service).map((port) => ({ service, port, running: begin(service, port) })),
  )
  const proxies = { kafka: kafkaProxy, mongo: mongoProxy, events: eventsProxy, services: serviceProxies }

  async function endAndRestart(replica: Replica, signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
    replica.running.kill(signal)
    await replica.running.exited
    replica.running = begin(replica.service, replica.port)
    await replica.running.ready
  }

  async function close(): Promise<void> {
    for (const proxy of [kafkaProxy, mongoProxy, eventsProxy]) proxy.heal()
    for (const service of services.toReversed()) {
      const some = replicas.filter((replica) => replica.service === service)
      for (const { running } of some) running.kill()
      await Promise.all(some.map(({ running }) => running.exited))
    }
    await Promise.all(
      [kafkaProxy, mongoProxy, eventsProxy, ...Object.values(serviceProxies)].map((each) => each.close()),
    )
    await Promise.all([kafka.stop(), mongo.stop(), events.stop()])
    await rm(folder, { recursive: true, force: true })
  }

  try {
    await Promise.all(replicas.map(({ running }) => running.ready))
  } catch (error) {
    for (const { running } of replicas) running.kill('SIGKILL')
    await close()
    throw error
  }
  return {
    url: urlOf('gateway'),
    admin: topology.admin,
    lake,
    kafka,
    mongo,
    events,
    proxies,
    replicas,
    of: (service) => replicas.filter((replica) => replica.service === service),
    killAndRestart: (replica) => endAndRestart(replica, 'SIGKILL'),
    stopAndRestart: (replica) => endAndRestart(replica, 'SIGTERM'),
    close,
  }
}
