import { randomBytes } from 'node:crypto'
import { availableParallelism } from 'node:os'
import { resolve } from 'node:path'
import { brokerAccessOf, createEngineRouter, hostAccessOf, observedEngine, pathAccessOf } from '@assay/data-engine'
import { createDatabaseEngines, createStores } from '@assay/data-engine/databases'
import { createDuckDbEngine } from '@assay/data-engine/duckdb'
import { createHostWithArtifacts, readConfig, runService } from '@assay/hosting'
import { createSealer } from '@assay/service-kit'
import { samplingConfig } from './config.ts'
import { databasesIn } from './copies/databases.ts'
import { createSamplingService, samplingAggregates, samplingCollections, samplingCopies } from './service.ts'

const config = readConfig(samplingConfig)
const hosted = {
  name: 'sampling',
  collections: samplingCollections,
  aggregates: samplingAggregates,
  copies: samplingCopies,
} as const

runService(
  'sampling',
  config,
  (ambient) => createHostWithArtifacts(config, hosted, ambient),
  async (host) => {
    const sealer = createSealer([config.ASSAY_SEALING_KEY, config.ASSAY_SEALING_KEY_ALSO].flatMap((key) => key ?? []))
    const remote = {
      sourceOf: databasesIn(host.documents),
      unseal: sealer.open,
      hostsOf: hostAccessOf({ listed: config.ASSAY_ALLOWED_HOSTS, isEmbedded: false }),
    }
    const inChildren = createDuckDbEngine({
      maxRuns: config.ASSAY_MAX_RUNS,
      storeOf: createStores(remote),
      memoryMb: config.ASSAY_RUN_MEMORY_MB,
      shortTaskMemoryMb: config.ASSAY_SHORT_TASK_MEMORY_MB,
      threads: config.ASSAY_RUN_THREADS || availableParallelism(),
      tempRoot: config.ASSAY_TEMP_DIR && resolve(config.ASSAY_TEMP_DIR),
      brokersOf: brokerAccessOf({ listed: config.ASSAY_ALLOWED_BROKERS, isEmbedded: false }),
      accessOf: pathAccessOf({
        listed: config.ASSAY_ALLOWED_PATHS,
        isEmbedded: false,
        own: config.ASSAY_RESULTS_DIR === undefined ? [] : [resolve(config.ASSAY_RESULTS_DIR)],
      }),
      clock: host.clock,
    })
    const databases = createDatabaseEngines({
      ...remote,
      files: inChildren,
      clock: host.clock,
    })
    const engine = observedEngine(createEngineRouter({ files: inChildren, databases }), host.metrics)
    return {
      service: createSamplingService({ ...host, engine, newSecret: () => randomBytes(16) }),
      parts: [{ name: 'data engine', stop: () => engine.close(), stopWithinMs: 2_000 }],
    }
  },
)
