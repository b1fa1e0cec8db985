import type { Copies } from '@assay/catalog-copies'
import type { CollectionShape } from '@assay/documents'
import {
  type AnyAggregate,
  checkpointCollections,
  createLeaderElection,
  createLeasedProcessors,
  createLeases,
  type LeaderElection,
  type MakeProcessor,
} from '@assay/event-store'
import { type MessageBus, parkedCollections } from '@assay/message-bus'
import {
  type Clock,
  createIdentitySigner,
  type IdentitySigner,
  type Logger,
  type Metrics,
  messageOf,
  type NewId,
  type Outages,
  type Part,
  type SecondTimers,
  type Service,
} from '@assay/service-kit'
import { type BusChoice, chooseBus, type ReadTopic, waitingFor } from '../adapters/bus.ts'
import { busOfInstallation } from '../adapters/bus-of-installation.ts'
import { measuredBus } from '../adapters/measured-bus.ts'
import { measuredProcessors } from '../adapters/measured-processors.ts'
import { createReadModels } from '../adapters/read-models.ts'
import { eventStoreDelays, readModelProblems } from '../adapters/readiness.ts'
import { createRepairing } from '../adapters/repairing.ts'
import { retryingBus } from '../adapters/retrying-bus.ts'
import { chooseStores, type StoreChoice, type Stores } from '../adapters/stores.ts'

/** Clock, ids and other ambient dependencies that only a process creates. */
export interface Ambient {
  clock: Clock
  timers: SecondTimers
  newId: NewId
  logger: Logger
  metrics: Metrics
  outages: Outages
  version: string
  /** Build time of the image, from its package.json. Absent in a checkout. */
  buildDate?: string | undefined
}

/** What a host needs to know about its service. */
export interface Hosted {
  name: Service['name']
  collections: readonly CollectionShape[]
  aggregates: readonly AnyAggregate[]
  /** Local read models that the bus feeds. A rebuild reads their topics again. */
  copies?: Copies
  /** Collections that derive from no event or message. */
  keptCollections?: readonly string[]
}

/** The infrastructure of a service in the distributed form. */
export interface Host extends Ambient, Pick<Stores, 'store' | 'documents' | 'commit' | 'checkpoints'> {
  signer: IdentitySigner
  /** Creates processors that run in only one replica at a time. */
  makeProcessor: MakeProcessor
  /** Elects the replica that does work of which only one replica may run. */
  election: LeaderElection
  /** Stores and the repair of the read models. They start before the service and stop after it. */
  parts: readonly Part[]
  /** If false, the process must be restarted. */
  isAlive(): boolean
  /** A sentence if no request can be served. */
  problems(): Promise<string[]>
  /** A sentence for each delay that does not stop the service. */
  waiting(): Promise<string[]>
  /** The current step of a long start. */
  progress(): string | undefined
}

export interface HostWithBus extends Host {
  bus: MessageBus
}

type HostConfig = StoreChoice & {
  ASSAY_INSTALLATION: string
  ASSAY_IDENTITY_SECRET: string
  ASSAY_IDENTITY_SECRET_ALSO?: string | undefined
}

/** The host of a service without its bus. */
function createHost(
  config: HostConfig,
  hosted: Hosted,
  ambient: Ambient,
  opened: Stores,
  readTopic: ReadTopic | undefined,
): Host {
  const { clock, timers, newId, logger, metrics } = ambient
  const { close, needsRebuild, rebuildTarget, declareBuilt, ...stores } = opened
  const owner = newId()
  const leases = createLeases({ store: stores.store, clock, newId })
  const election = createLeaderElection({
    leases,
    name: hosted.name,
    owner,
    timers,
    clock,
    onError: (error) =>
      logger.warn({ error: messageOf(error) }, 'the event store did not answer for the lease of this service'),
  })
  metrics
    .gauge({
      name: 'assay_lease_held',
      help: 'Whether this replica publishes, projects and schedules for its service: 1 or 0.',
    })
    .read({}, () => (election.isLeader() ? 1 : 0))
  const makeProcessor = measuredProcessors(createLeasedProcessors(election), ambient)
  const repairing = createRepairing({
    ...ambient,
    service: hosted.name,
    stores,
    aggregates: hosted.aggregates,
    makeProcessor,
  })
  const readModels = createReadModels({
    ...stores,
    ...ambient,
    service: hosted.name,
    rebuilds: { needsRebuild, rebuildTarget, ...(declareBuilt ? { declareBuilt } : {}) },
    collections: hosted.collections,
    aggregates: hosted.aggregates,
    copies: hosted.copies ?? {},
    readTopic,
    keptCollections: new Set([
      ...(hosted.keptCollections ?? []),
      ...[...checkpointCollections, ...parkedCollections].map(({ name }) => name),
    ]),
    leases,
    owner,
  })
  const leaving = new AbortController()
  let ensuring: Promise<void> | undefined

  async function closeStores(): Promise<void> {
    leaving.abort()
    // Waits until an interrupted rebuild has been abandoned.
    await ensuring?.catch(() => undefined)
    await close()
  }

  return {
    ...ambient,
    ...stores,
    signer: createIdentitySigner({
      secret: Buffer.from(config.ASSAY_IDENTITY_SECRET),
      alsoAccepted: config.ASSAY_IDENTITY_SECRET_ALSO ? Buffer.from(config.ASSAY_IDENTITY_SECRET_ALSO) : undefined,
      clock,
    }),
    makeProcessor,
    election,
    parts: [
      { name: 'stores', stop: closeStores, stopWithinMs: 5_000 },
      {
        name: 'read models',
        start: () => {
          ensuring = readModels.ensure(leaving.signal)
          return ensuring
        },
      },
      { name: 'repair', start: () => repairing.start(), stop: () => repairing.stop(), stopWithinMs: 2_000 },
    ],
    isAlive: () => true,
    problems: () => readModelProblems(stores.checkpoints, timers),
    waiting: () => eventStoreDelays(stores.store, timers),
    progress: readModels.progress,
  }
}

/** The host of a service that consumes or publishes messages. Throws `unavailable` if a server does not answer. */
export async function createHostWithBus(
  config: HostConfig & BusChoice,
  hosted: Hosted,
  ambient: Ambient,
): Promise<HostWithBus> {
  const stores = await chooseStores(config, { ...ambient, service: hosted.name, collections: hosted.collections })
  let bus: MessageBus | undefined
  try {
    const chosen = await chooseBus(config, { ...ambient, service: hosted.name, documents: stores.documents })
    const { isAlive, readTopic } = chosen
    bus = retryingBus(chosen.bus, ambient)
    const host = createHost(config, hosted, ambient, stores, readTopic)
    const stop: Part = { name: 'bus', stop: bus.close, stopWithinMs: 3_000 }
    const waiting = async () => [...(await host.waiting()), ...waitingFor(chosen)]
    // The bus stops before the stores, because it writes parked messages to them.
    const named = busOfInstallation(bus, config.ASSAY_INSTALLATION)
    return { ...host, bus: measuredBus(named, ambient), isAlive, waiting, parts: [...host.parts, stop] }
  } catch (error) {
    await bus?.close()
    await stores.close()
    throw error
  }
}
