import { realpath } from 'node:fs/promises'
import { availableParallelism, tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
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
      tempRoot: resolve(config.ASSAY_TEMP_DIR ?? join(tmpdir(), `assay-catalog-${process.pid}`)),
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
