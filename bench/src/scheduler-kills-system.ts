import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createEventStoreDb } from '@assay/event-store/eventstoredb'
import { systemTimers } from '@assay/service-kit/node'
import { openProxy } from '@assay/testkit'
import { environments, type RunningProcess, type ServiceProcess, startService } from '../../deploy/native/topology.ts'
import { freePort } from '../../tools/servers/ports.mjs'
import { admin, newTopology, startServers } from './distributed-servers.ts'

/** A replica of the execution service. */
export interface Scheduler {
  /** Ends it with SIGKILL and starts a new process on its port. Resolves once that one is ready. */
  killAndRestart(): Promise<void>
  /** Whether it holds the lease, so that it schedules. */
  isLeader(): Promise<boolean>
}

/** The services that scheduled runs need, with two replicas of the execution service. */
export interface TwoSchedulers {
  /** A folder with one table, `people.csv`. */
  lake: string
  schedulers: readonly [Scheduler, Scheduler]
  /** The log, for readers. */
  store: ReturnType<typeof createEventStoreDb>
  /** The parsed body of a 200; throws for any other answer. */
  call(method: string, path: string, body?: unknown): Promise<unknown>
  stop(): Promise<void>
}

const others = ['catalog', 'policy', 'gateway'] as const

/** Starts servers, services and the two schedulers. Resolves when all are ready. */
export async function startTwoSchedulers(): Promise<TwoSchedulers> {
  const folder = await mkdtemp(join(tmpdir(), 'assay-bench-kills-'))
  const lake = join(folder, 'lake')
  await mkdir(lake)
  await writeFile(join(lake, 'people.csv'), 'id,name\n1,Ada\n2,\n3,Grace\n')
  const servers = await startServers()
  const ports = [await freePort(), await freePort()]
  const proxy = await openProxy(() => ports)
  const topology = {
    ...(await newTopology(servers, folder)),
    urls: { execution: `http://127.0.0.1:${proxy.port}` },
    // A killed member blocks its group for this time.
    moreOfBus: { ASSAY_KAFKA_SESSION_TIMEOUT_MS: '6000' },
  }
  const environment = environments(topology)
  const begin = (service: ServiceProcess, port: number) =>
    startService(service, { ...environment[service], PORT: String(port) })
  const running = new Map<number, RunningProcess>()
  for (const service of others) running.set(topology.ports[service], begin(service, topology.ports[service]))
  for (const port of ports) running.set(port, begin('execution', port))
  const store = createEventStoreDb({ connectionString: servers.eventsUrl, timers: systemTimers })

  const scheduler = (port: number): Scheduler => ({
    async killAndRestart() {
      const process = running.get(port)
      process?.kill('SIGKILL')
      await process?.exited
      const next = begin('execution', port)
      running.set(port, next)
      await next.ready
    },
    async isLeader() {
      const metrics = await fetch(`http://127.0.0.1:${port}/metrics`)
      return (await metrics.text()).includes('assay_lease_held 1')
    },
  })

  async function stop(): Promise<void> {
    for (const each of running.values()) each.kill()
    await Promise.all([...running.values()].map(({ exited }) => exited))
    await Promise.all([store.close(), proxy.close()])
    await servers.stop()
    await rm(folder, { recursive: true, force: true })
  }

  try {
    await Promise.all([...running.values()].map(({ ready }) => ready))
  } catch (error) {
    await stop()
    throw error
  }
  return {
    lake,
    schedulers: [scheduler(ports[0] ?? 0), scheduler(ports[1] ?? 0)],
    store,
    async call(method, path, body) {
      const answer = await fetch(`http://127.0.0.1:${topology.ports.gateway}/catalog-server/api${path}`, {
        method,
        headers: { ...admin, 'content-type': 'application/json' },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      })
      const text = await answer.text()
      if (answer.status !== 200) throw new Error(`${method} ${path}: ${answer.status} ${text}`)
      return JSON.parse(text)
    },
    stop,
  }
}
