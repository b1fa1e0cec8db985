import { availableParallelism } from 'node:os'
import { resolve } from 'node:path'
import { brokerAccessOf, createEngineRouter, hostAccessOf, observedEngine, pathAccessOf } from '@assay/data-engine'
import { createDatabaseEngines, createStores } from '@assay/data-engine/databases'
import { createDuckDbEngine } from '@assay/data-engine/duckdb'
import {
  createHostWithArtifacts,
  firstBadRowsRoute,
  lineageOf,
  prepareRoute,
  readConfig,
  runService,
} from '@assay/hosting'
import { createSealer, derivedKey } from '@assay/service-kit'
import { executionConfig } from './config.ts'
import { databasesIn } from './copies/databases.ts'
import {
  createExecutionService,
  createPrepare,
  executionAggregates,
  executionCollections,
  executionCopies,
} from './service.ts'

const config = readConfig(executionConfig)
const hosted = {
  name: 'execution',
  collections: executionCollections,
  aggregates: executionAggregates,
  copies: executionCopies,
} as const

runService(
  'execution',
  config,
  (ambient) => createHostWithArtifacts(config, hosted, ambient),
  async (host) => {
    const memoryMb = config.ASSAY_RUN_MEMORY_MB
    const threads = config.ASSAY_RUN_THREADS || availableParallelism()
    const sealer = createSealer([config.ASSAY_SEALING_KEY, config.ASSAY_SEALING_KEY_ALSO].flatMap((key) => key ?? []))
    const remote = {
      sourceOf: databasesIn(host.documents),
      unseal: sealer.open,
      hostsOf: hostAccessOf({ listed: config.ASSAY_ALLOWED_HOSTS, isEmbedded: false }),
    }
    const inChildren = createDuckDbEngine({
      maxRuns: config.ASSAY_MAX_RUNS,
      storeOf: createStores(remote),
      memoryMb,
      shortTaskMemoryMb: config.ASSAY_SHORT_TASK_MEMORY_MB,
      threads,
      tempRoot: config.ASSAY_TEMP_DIR && resolve(config.ASSAY_TEMP_DIR),
      brokersOf: brokerAccessOf({ listed: config.ASSAY_ALLOWED_BROKERS, isEmbedded: false }),
      accessOf: pathAccessOf({
        listed: config.ASSAY_ALLOWED_PATHS,
        isEmbedded: false,
        own: config.ASSAY_RESULTS_DIR === undefined ? [] : [resolve(config.ASSAY_RESULTS_DIR)],
      }),
      contentKey: derivedKey(config.ASSAY_IDENTITY_SECRET, 'content'),
      clock: host.clock,
    })
    const databases = createDatabaseEngines({
      ...remote,
      files: inChildren,
      clock: host.clock,
    })
    const engine = observedEngine(createEngineRouter({ files: inChildren, databases }), host.metrics)
    const limits = {
      maxRuns: config.ASSAY_MAX_RUNS,
      memoryMb,
      threads,
      timeoutMs: config.ASSAY_RUN_TIMEOUT_MINUTES * 60_000,
      maxTimeoutMs: config.ASSAY_RUN_MAX_MINUTES * 60_000,
      maxTempMb: config.ASSAY_RUN_TEMP_MB,
    }
    const service = createExecutionService({
      ...host,
      engine,
      workerId: host.newId(),
      lineage: lineageOf(config, host.version),
      limits,
      retentionDays: config.ASSAY_RETENTION_ROWS,
    })
    const { signer } = host
    return {
      service,
      mount(app) {
        app.use(prepareRoute({ prepare: createPrepare({ ...host, engine }), signer }))
        app.use(firstBadRowsRoute({ firstBadRows: service.firstBadRows, signer }))
      },
      parts: [{ name: 'data engine', stop: () => engine.close(), stopWithinMs: 2_000 }],
    }
  },
)
