import { realpath } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { resolve } from 'node:path'
import { createDuckDbEngine } from '@assay/data-engine/duckdb'
import { createHostWithBus, readConfig, runService } from '@assay/hosting'
import { catalogConfig } from './config.ts'
import { catalogAggregates, catalogCollections, catalogCopies, createCatalogService } from './service.ts'

const config = readConfig(catalogConfig)
const hosted = {
  name: 'catalog',
  collections: catalogCollections,
  aggregates: catalogAggregates,
  copies: catalogCopies,
} as const

runService(
  'catalog',
  config,
  (ambient) => createHostWithBus(config, hosted, ambient),
  (host) => {
    const engine = createDuckDbEngine({
      maxRuns: config.ASSAY_MAX_RUNS,
      memoryMb: config.ASSAY_RUN_MEMORY_MB,
      threads: config.ASSAY_RUN_THREADS || availableParallelism(),
      tempRoot: config.ASSAY_TEMP_DIR && resolve(config.ASSAY_TEMP_DIR),
      clock: host.clock,
    })
    const service = createCatalogService({
      ...host,
      engine,
      allowedPaths: config.ASSAY_ALLOWED_PATHS?.map((path) => resolve(path)),
      resolvePath: (path) => realpath(path),
      soleInstance: false,
    })
    return { service, parts: [{ name: 'data engine', stop: () => engine.close(), stopWithinMs: 3_000 }] }
  },
)
