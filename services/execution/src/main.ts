import { availableParallelism } from 'node:os'
import { databaseReader } from '@assay/catalog-copies'
import { readRemoteSource } from '@assay/data-engine'
import {
  createHostWithArtifacts,
  firstBadRowsRoute,
  lineageOf,
  prepareRoute,
  readConfig,
  runService,
  sealingKeysOf,
} from '@assay/hosting'
import { createEngine } from '@assay/hosting/engine'
import { createSealer, derivedKey } from '@assay/service-kit'
import { executionConfig } from './config.ts'
import { executionDatabases } from './copies/databases.ts'
import { createExecutionService, executionAggregates, executionCollections, executionCopies } from './service.ts'

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
    const sealer = createSealer(sealingKeysOf(config))
    const contentKey = derivedKey(config.ASSAY_IDENTITY_SECRET, 'content')
    const sourceOf = databaseReader(host.documents, executionDatabases, readRemoteSource)
    const engine = createEngine(config, { ...host, sealer, contentKey, sourceOf })
    const limits = {
      maxRuns: config.ASSAY_MAX_RUNS,
      memoryMb: config.ASSAY_RUN_MEMORY_MB,
      threads: config.ASSAY_RUN_THREADS || availableParallelism(),
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
        app.use(prepareRoute({ prepare: service.prepare, signer }))
        app.use(firstBadRowsRoute({ firstBadRows: service.firstBadRows, signer }))
      },
      parts: [{ name: 'data engine', stop: () => engine.close(), stopWithinMs: 2_000 }],
    }
  },
)
