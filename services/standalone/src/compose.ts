import { accessSync, constants, mkdirSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join, resolve } from 'node:path'
import { createCatalogService, databaseReader } from '@assay/catalog/service'
import { createProcessor, type MakeProcessor } from '@assay/event-store'
import { createExecutionService } from '@assay/execution/service'
import { createEventTokens, createGatewayApp, createGatewayService } from '@assay/gateway/service'
import {
  busGroups,
  busOfInstallation,
  chooseArtifacts,
  chooseBus,
  createRepairing,
  createResultsCheck,
  type Ambient as HostAmbient,
  lineageOf,
  measuredBus,
  measuredProcessors,
  waitingFor,
} from '@assay/hosting'
import { createEngine } from '@assay/hosting/engine'
import type { MessageBus } from '@assay/message-bus'
import { createNotificationService, deliverySettingsOf } from '@assay/notification/service'
import { createPolicyService } from '@assay/policy/service'
import { createSamplingService } from '@assay/sampling/service'
import {
  createIdentitySigner,
  createMetrics,
  createSealer,
  derivedKey,
  type Logger,
  type Part,
  type Service,
} from '@assay/service-kit'
import { AssayError, messageOf } from '@assay/service-kit/errors'
import type { StandaloneConfig } from './config.ts'
import { freshReadModels } from './fresh-read-models.ts'
import { installationSecret } from './installation-secret.ts'
import { aggregates } from './read-models.ts'
import { sealingKeys } from './sealing-keys.ts'
import { openStores, shareTransaction } from './stores.ts'

/** Ambient dependencies that only `main.ts` creates. */
export interface Ambient extends Omit<HostAmbient, 'metrics'> {
  /** 32 random bytes. */
  newSecret: () => Uint8Array
}

function makeFolder(path: string): void {
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 })
    accessSync(path, constants.W_OK)
  } catch (cause) {
    throw new AssayError(
      'unavailable',
      `The data folder ${path} cannot be created or written to by user ${process.geteuid?.() ?? 'this one'}: ${messageOf(cause)}. Give it to that user, or set ASSAY_DATA_DIR to another folder.`,
      { cause },
    )
  }
}

/** Retries all parked messages at a restart, because the cause may have been fixed. */
async function retryParked(bus: MessageBus, groups: readonly string[], logger: Logger): Promise<void> {
  for (const group of groups) {
    const keys = [...new Set((await bus.parked(group)).map(({ message }) => message.key))]
    if (keys.length === 0) continue
    const messages = await bus.replayParked(group, keys)
    logger.warn({ group, keys: keys.length, messages }, 'parked messages are retried')
  }
}

type Adapters = Awaited<ReturnType<typeof openAdapters>>

/** The configured adapters, and their lifecycle parts. If one fails, the others are closed. */
async function openAdapters(config: StandaloneConfig, dataDir: string, resultsDir: string, ambient: Ambient) {
  const { clock, timers, newId, logger, outages } = ambient
  const opened: { close(): Promise<void> }[] = []
  const kept = <T extends { close(): Promise<void> }>(adapter: T): T => {
    opened.unshift(adapter)
    return adapter
  }
  try {
    const stores = kept(await openStores(dataDir, config, ambient))
    const { database } = stores
    const ofBus = { service: 'standalone', database, documents: stores.documents, clock, timers, logger, outages }
    const chosen = await chooseBus(config, ofBus)
    const { bus, isAlive } = chosen
    const waiting = async () => waitingFor(chosen)
    kept(bus)
    const choice = { ...config, ASSAY_RESULTS_DIR: resultsDir }
    const artifacts = kept(await chooseArtifacts(choice, { newId, clock, outages, isAlone: true }))
    return { stores, bus, isAlive, waiting, artifacts }
  } catch (error) {
    for (const adapter of opened) await adapter.close()
    throw error
  }
}

/** The parts that start before the services and stop after them. */
function adapterParts(
  { stores, bus, artifacts }: Adapters,
  config: StandaloneConfig,
  ambient: Ambient,
  makeProcessor: MakeProcessor,
): Part[] {
  const parts: Part[] = [
    { name: 'stores', start: () => freshReadModels(stores, ambient.logger), stop: () => stores.close() },
    { name: 'bus', stop: () => bus.close() },
    { name: 'artifacts', start: () => artifacts.sweep(), stop: () => artifacts.close() },
  ]
  if (shareTransaction(config)) return parts
  const repairing = createRepairing({
    ...ambient,
    service: 'standalone',
    stores,
    aggregates,
    makeProcessor,
  })
  return [...parts, { name: 'repair', start: () => repairing.start(), stop: () => repairing.stop() }]
}

/** Connects each port to its adapter. Opens the data folder; the parts must be started separately. */
export async function compose(config: StandaloneConfig, ambient: Ambient) {
  const { clock, timers, newId, logger, newSecret } = ambient
  const dataDir = resolve(config.ASSAY_DATA_DIR)
  const resultsDir = resolve(config.ASSAY_RESULTS_DIR ?? join(dataDir, 'results'))
  makeFolder(dataDir)
  const adapters = await openAdapters(config, dataDir, resultsDir, ambient)
  const { artifacts } = adapters
  const metrics = createMetrics()
  const named = busOfInstallation(adapters.bus, config.ASSAY_INSTALLATION)
  const bus = measuredBus(named, { metrics, timers, logger })
  const makeProcessor = measuredProcessors(createProcessor, { metrics, timers, logger })
  const { store, commit, documents, checkpoints } = adapters.stores
  const ownSecret = installationSecret(dataDir, newSecret)
  const sealer = createSealer(sealingKeys(dataDir, config, newSecret))
  const engine = createEngine(config, {
    ...{ sealer, clock, metrics, sourceOf: databaseReader(documents), contentKey: derivedKey(ownSecret, 'content') },
    place: {
      isEmbedded: true,
      // With Kafka as the bus, Assay's own topics have the data of all tenants, so even `default` may read only listed brokers.
      readsAllBrokers: config.ASSAY_BUS !== 'kafka',
      tempRoot: join(dataDir, 'temp'),
      own: [dataDir, resultsDir],
    },
  })
  const adapted = { store, commit, documents, checkpoints, makeProcessor, bus }
  const common = { ...adapted, clock, timers, newId, logger, metrics, soleInstance: true }

  const gateway = createGatewayService({
    ...common,
    version: ambient.version,
    buildDate: ambient.buildDate,
    newSecret,
    eventTokens: createEventTokens({ secret: ownSecret, clock }),
    maxTenantBytes: config.ASSAY_TENANT_MAX_MB * 1_000_000,
    ...(config.ASSAY_ADMIN_ACCESS_KEY && config.ASSAY_ADMIN_SECRET_KEY
      ? { presetAdmin: { accessKey: config.ASSAY_ADMIN_ACCESS_KEY, secretKey: config.ASSAY_ADMIN_SECRET_KEY } }
      : {}),
  })
  const catalog = createCatalogService({
    version: ambient.version,
    ...common,
    engine,
    artifacts,
    sealer,
  })
  const limits = {
    maxRuns: config.ASSAY_MAX_RUNS,
    memoryMb: config.ASSAY_RUN_MEMORY_MB,
    threads: config.ASSAY_RUN_THREADS || availableParallelism(),
    timeoutMs: config.ASSAY_RUN_TIMEOUT_MINUTES * 60_000,
    maxTimeoutMs: config.ASSAY_RUN_MAX_MINUTES * 60_000,
    maxTempMb: config.ASSAY_RUN_TEMP_MB,
  }
  const execution = createExecutionService({
    ...common,
    engine,
    artifacts,
    workerId: newId(),
    lineage: lineageOf(config, ambient.version),
    limits,
    retentionDays: config.ASSAY_RETENTION_ROWS,
  })
  const policy = createPolicyService({
    ...common,
    prepare: execution.prepare,
    scheduleContract: config.ASSAY_SCHEDULE_CONTRACT,
  })
  const sampling = createSamplingService({ ...common, engine, artifacts, newSecret: () => newSecret().subarray(0, 16) })
  const notification = createNotificationService({
    ...common,
    sealer,
    delivery: deliverySettingsOf(config),
    firstBadRows: execution.firstBadRows,
    newSecret,
    random: Math.random,
    repeatWindowMs: config.ASSAY_NOTIFY_REPEAT_WINDOW * 1_000,
  })
  const resultsProblems = createResultsCheck(artifacts, timers)
  const keepingResults = (service: Service): Service => ({
    ...service,
    problems: async () => (await Promise.all([service.problems(), resultsProblems()])).flat(),
  })
  const services: Service[] = [
    gateway,
    catalog,
    policy,
    keepingResults(execution),
    keepingResults(sampling),
    notification,
  ]
  metrics.measureProcess()
  const app = createGatewayApp({
    gateway,
    services,
    // Tokens are used only within this process, so the secret need not be stored.
    signer: createIdentitySigner({ secret: newSecret(), clock }),
    rateLimit: config.ASSAY_RATE_LIMIT,
    failureLimit: config.ASSAY_FAILED_AUTHENTICATION_LIMIT,
    version: ambient.version,
    logger,
    metrics,
    newId,
    clock,
    timers,
    isAlive: adapters.isAlive,
    waiting: adapters.waiting,
  })
  const parts: Part[] = [
    ...adapterParts(adapters, config, ambient, makeProcessor),
    { name: 'data engine', stop: () => engine.close() },
    ...services.map((service) => ({
      name: service.name,
      start: () => service.start(),
      stop: () => service.stop(),
      stopWithinMs: 15_000,
    })),
    {
      name: 'parked messages',
      start: () => retryParked(bus, busGroups, logger),
    },
  ]
  return { app, gateway, services, parts, engine, dataDir }
}
