import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import type { Artifacts } from '@assay/artifacts'
import { createFilesystemArtifacts } from '@assay/artifacts/filesystem'
import {
  type ExecutionAnswer,
  internalTopics,
  type Operation,
  type Permission,
  type PolicyMessage,
  permissions,
  type TableMessage,
} from '@assay/contracts'
import type { DataEngine, KeptRowFiles } from '@assay/data-engine'
import {
  callRoute,
  createTicks,
  openStores,
  type RouteAnswer,
  type RouteRequest,
  silent,
  type TestStores,
} from '@assay/hosting/testing'
import { createEmbeddedBus } from '@assay/message-bus/embedded'
import { createMetrics, type SecondTimers, type Service } from '@assay/service-kit'
import { systemTimers } from '@assay/service-kit/node'
import type { ExecutionServiceDeps, RunLimits } from '../dependencies.ts'
import { createExecutionService, type ExecutionService, executionCollections } from '../service.ts'
import { createFakeEngine, type FakeEngine } from './fake-engine.ts'

export { eventually } from '@assay/hosting/testing'

/** The limits of a harness's runs. */
export const limits: RunLimits = {
  maxRuns: 2,
  memoryMb: 256,
  threads: 1,
  timeoutMs: 60_000,
  maxTimeoutMs: 120_000,
  maxTempMb: 256,
}

/** Manual timers: `tick` fires `every`, and `sleep` returns immediately. */
export function createManualTimers(): SecondTimers & { tick(): void } {
  return { ...createTicks(), sleep: () => new Promise((resolve) => setImmediate(resolve)) }
}

/** The service over SQLite and a folder, with a manual clock. */
export interface Harness {
  service: ExecutionService
  engine: FakeEngine
  artifacts: Artifacts
  clock: { time: number; now(): number }
  timers: ReturnType<typeof createManualTimers>
  bus: TestStores['bus']
  deps: ExecutionServiceDeps
  folder: string
  rebuildTarget: TestStores['documents']['rebuildTarget']
  /** Another service over the same log, as after a restart or on another machine. */
  another(changes?: Partial<ExecutionServiceDeps>): Service
  policy(message: PolicyMessage, tenant?: string): Promise<void>
  table(message: TableMessage, tenant?: string): Promise<void>
  /** A message of another internal topic. */
  send(topic: string, key: number, data: unknown): Promise<void>
  call<O extends Operation>(operation: O, request?: CallRequest, service?: Service): Promise<RouteAnswer<O>>
  close(): Promise<void>
}

export interface CallRequest extends RouteRequest {
  /** The permissions that the caller lacks. */
  without?: readonly Permission[]
}

/** `isDurable`: messages use the embedded bus with real timers, and `bus.published` stays empty. */
export async function openHarness(
  options: { engine?: DataEngine & KeptRowFiles; isDurable?: boolean } = {},
): Promise<Harness> {
  const clock = { time: Date.parse('2026-11-20T10:00:00.000Z'), now: () => clock.time }
  const stores = await openStores({ name: 'execution', collections: executionCollections, clock })
  const { folder, database, store, documents, commit, checkpoints, bus } = stores
  const engine = createFakeEngine()
  const timers = createManualTimers()
  const embedded = options.isDurable ? createEmbeddedBus({ database, clock, timers: systemTimers }) : undefined
  const artifacts = createFilesystemArtifacts({ root: join(folder, 'results'), newId: randomUUID })
  const deps: ExecutionServiceDeps = {
    store,
    commit,
    documents,
    checkpoints,
    bus: embedded ?? bus,
    engine: options.engine ?? engine,
    artifacts,
    clock,
    timers,
    newId: randomUUID,
    logger: silent,
    metrics: createMetrics(),
    workerId: 'worker-1',
    limits,
  }
  const service = createExecutionService(deps)
  const started = new Set<Service>([service])
  await service.start()
  let position = 0

  const publish = (topic: string, key: number, data: unknown, tenant = 'default') => {
    position += 1
    const id = randomUUID()
    const text = String(position).padStart(19, '0')
    const time = new Date(clock.time).toISOString()
    return deps.bus.publish(topic, [{ id, key: String(key), type: 'x', tenant, time, position: text, data }])
  }

  return {
    service,
    engine,
    artifacts,
    clock,
    timers,
    bus,
    deps,
    folder,
    rebuildTarget: documents.rebuildTarget,
    another: (changes = {}) => {
      const other = createExecutionService({ ...deps, workerId: 'worker-2', ...changes })
      started.add(other)
      return other
    },
    policy: (message, tenant) => publish(internalTopics.policies, message.policy.rule.id, message, tenant),
    table: (message, tenant) => publish(internalTopics.tables, message.assetId, message, tenant),
    send: publish,
    call: (operation, { without = [], ...request } = {}, target = service) =>
      callRoute(target, operation, { ...request, permissions: permissions.filter((one) => !without.includes(one)) }),
    close: async () => {
      for (const each of started) await each.stop()
      await embedded?.close()
      await stores.close()
    },
  }
}

/** The body of an answer. */
export const bodyOf = <T>({ body }: { body: T }): T => body

/** The id of the run in the answer to a start. */
export const idOf = ({ body }: { body: Pick<ExecutionAnswer, 'execution'> }): number => body.execution.id
