import { type ChildProcess, fork } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type ServiceProcess, services, type Topology } from '../../deploy/native/topology.ts'
import { start as startKafka } from '../../tools/servers/kafka.mjs'
import { start as startMongo } from '../../tools/servers/mongodb.mjs'
import { freePort } from '../../tools/servers/ports.mjs'

/** The servers of the distributed form, on this machine. */
export interface Servers {
  brokers: readonly string[]
  mongoUrl: string
  eventsUrl: string
  /** The process ids of the servers, by name. */
  pids: ReadonlyMap<string, number>
  stop(): Promise<void>
}

/** Starts a module of this folder as a process. Returns the process and its first message. */
export async function forked(file: string, ...values: string[]): Promise<{ child: ChildProcess; message: unknown }> {
  const child = fork(fileURLToPath(new URL(file, import.meta.url)), values, {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  const message = await new Promise((resolve, reject) => {
    child.once('message', resolve)
    child.once('exit', () => reject(new Error(`${file} has ended before it was ready.`)))
  })
  return { child, message }
}

/** Disconnects a forked process, and waits until it ends by itself. */
export async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return
  const exited = new Promise((resolve) => child.once('exit', resolve))
  child.disconnect()
  await exited
}

function pidsOf(named: Readonly<Record<string, number | undefined>>): Map<string, number> {
  return new Map(Object.entries(named).flatMap(([name, pid]) => (pid === undefined ? [] : [[name, pid] as const])))
}

/** A real Kafka broker, SecantusDB, and the tests' event server, each a separate process. */
export async function startServers(): Promise<Servers> {
  const [kafka, mongo, events] = await Promise.all([startKafka(), startMongo(), forked('distributed-event-server.ts')])
  return {
    brokers: kafka.brokers,
    mongoUrl: mongo.url,
    eventsUrl: String(events.message),
    pids: pidsOf({ kafka: kafka.pid(), mongodb: mongo.pid(), events: events.child.pid }),
    async stop() {
      await Promise.all([kafka.stop(), mongo.stop(), ended(events.child)])
    },
  }
}

export const admin = { accessKey: 'assay-bench-access-key', secretKey: 'assay-bench-secret-key' }

/** The addresses and folders of the six services of an installation. */
export async function newTopology(servers: Servers, folder: string): Promise<Topology> {
  const ports = new Map<ServiceProcess, number>()
  for (const service of services) ports.set(service, await freePort())
  const portOf = (service: ServiceProcess) => ports.get(service) ?? 0
  return {
    kafkaBrokers: servers.brokers.join(','),
    eventStoreDbUrl: servers.eventsUrl,
    mongoDbUrl: servers.mongoUrl,
    ports: {
      gateway: portOf('gateway'),
      catalog: portOf('catalog'),
      policy: portOf('policy'),
      execution: portOf('execution'),
      sampling: portOf('sampling'),
      notification: portOf('notification'),
    },
    identitySecret: randomBytes(32).toString('base64url'),
    admin,
    resultsDir: join(folder, 'results'),
    samplesDir: join(folder, 'samples'),
    validationsDir: join(folder, 'validations'),
    more: { ASSAY_LOG_LEVEL: 'error' },
  }
}

/** Resident memory of a process. MB. */
export function residentMb(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? Number.NaN) / 1024
}

/** CPU time that a process has used, in ms, by the kernel's ticks of 10 ms. */
export function cpuMs(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? []
  return (Number(fields[11]) + Number(fields[12])) * 10
}

/** One-minute load average. */
export function load(): string {
  return `load ${readFileSync('/proc/loadavg', 'utf8').split(' ')[0]}`
}

export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}
