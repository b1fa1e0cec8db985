import type { CollectionShape } from '@assay/documents'
import {
  type AnyAggregate,
  createExclusive,
  createLeasedProcessors,
  createLeases,
  type MakeProcessor,
} from '@assay/event-store'
import type { MessageBus } from '@assay/message-bus'
import {
  type Clock,
  createIdentitySigner,
  type IdentitySigner,
  type Logger,
  type Metrics,
  messageOf,
  type NewId,
  type Part,
  type Service,
  type Timers,
} from '@assay/service-kit'
import { type BusChoice, chooseBus } from '../adapters/bus.ts'
import { storeProblems } from '../adapters/readiness.ts'
import { createRepairing } from '../adapters/repairing.ts'
import { chooseStores, type StoreChoice, type Stores } from '../adapters/stores.ts'

/** What only a process makes. */
export interface Ambient {
  clock: Clock
  timers: Timers
  newId: NewId
  logger: Logger
  metrics: Metrics
  version: string
}

/** What a host has to know of its service. */
export interface Hosted {
  name: Service['name']
  collections: readonly CollectionShape[]
  aggregates: readonly AnyAggregate[]
}

/** What a service of the distributed form stands on. */
export interface Host extends Ambient, Omit<Stores, 'close'> {
  signer: IdentitySigner
  /** Processors that run in one replica at a time. */
  makeProcessor: MakeProcessor
  /** Stores and the repair of the read models: started before the service, stopped behind it. */
  parts: readonly Part[]
  /** False when the process is to be ended and started anew. */
  isAlive(): boolean
  /** A sentence for each store that does not answer. */
  problems(): Promise<string[]>
}

export interface HostWithBus extends Host {
  bus: MessageBus
}

type HostConfig = StoreChoice & { ASSAY_IDENTITY_SECRET: string }

/** For a service that follows nobody. Errors: `unavailable` when a server does not answer. */
export async function createHost(config: HostConfig, hosted: Hosted, ambient: Ambient): Promise<Host> {
  const { clock, timers, newId, logger, metrics } = ambient
  const stores = await chooseStores(config, { ...ambient, service: hosted.name, collections: hosted.collections })
  const leases = createLeases({ store: stores.store, clock, newId })
  const exclusive = createExclusive({
    leases,
    name: hosted.name,
    owner: newId(),
    timers,
    clock,
    onError: (error) => logger.warn({ error: messageOf(error) }, 'the lease of this service was not answered'),
  })
  metrics.gauge('assay_lease_held', () => (exclusive.isHolder() ? 1 : 0))
  const makeProcessor = createLeasedProcessors(exclusive)
  const repairing = createRepairing({
    ...ambient,
    service: hosted.name,
    stores,
    aggregates: hosted.aggregates,
    makeProcessor,
  })
  return {
    ...ambient,
    ...stores,
    signer: createIdentitySigner({ secret: Buffer.from(config.ASSAY_IDENTITY_SECRET), clock }),
    makeProcessor,
    parts: [
      { name: 'stores', stop: () => stores.close(), stopWithinMs: 3_000 },
      { name: 'repair', start: () => repairing.start(), stop: () => repairing.stop(), stopWithinMs: 2_000 },
    ],
    isAlive: () => true,
    problems: () => storeProblems(stores, timers),
  }
}

/** For a service that hears others or tells them. Errors: `unavailable` when a server does not answer. */
export async function createHostWithBus(
  config: HostConfig & BusChoice,
  hosted: Hosted,
  ambient: Ambient,
): Promise<HostWithBus> {
  const { bus, isAlive } = await chooseBus(config, { ...ambient, service: hosted.name })
  try {
    const host = await createHost(config, hosted, ambient)
    const stop: Part = { name: 'bus', stop: () => bus.close(), stopWithinMs: 3_000 }
    return { ...host, bus, isAlive, parts: [stop, ...host.parts] }
  } catch (error) {
    await bus.close()
    throw error
  }
}
