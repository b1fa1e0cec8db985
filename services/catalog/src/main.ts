import { createHostWithArtifacts, readConfig, runService, sealingKeysOf } from '@assay/hosting'
import { createEngine } from '@assay/hosting/engine'
import { createSealer } from '@assay/service-kit'
import { catalogConfig } from './config.ts'
import {
  catalogAggregates,
  catalogCollections,
  catalogCopies,
  createCatalogService,
  databaseReader,
} from './service.ts'

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
  // Only rows of validations and baselines of references are artifacts: the catalog serves everything else without their store.
  (ambient) => createHostWithArtifacts(config, hosted, ambient, { isVital: false }),
  (host) => {
    const sealer = createSealer(sealingKeysOf(config))
    const engine = createEngine(config, { ...host, sealer, sourceOf: databaseReader(host.documents) })
    const service = createCatalogService({ ...host, engine, sealer })
    return { service, parts: [{ name: 'data engine', stop: () => engine.close(), stopWithinMs: 3_000 }] }
  },
)
