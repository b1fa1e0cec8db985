import { randomBytes } from 'node:crypto'
import { databaseReader } from '@assay/catalog-copies'
import { readRemoteSource } from '@assay/data-engine'
import { createHostWithArtifacts, readConfig, runService, sealingKeysOf } from '@assay/hosting'
import { createEngine } from '@assay/hosting/engine'
import { createSealer } from '@assay/service-kit'
import { samplingConfig } from './config.ts'
import { samplingDatabases } from './copies/databases.ts'
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
    const sealer = createSealer(sealingKeysOf(config))
    const sourceOf = databaseReader(host.documents, samplingDatabases, readRemoteSource)
    const engine = createEngine(config, { ...host, sealer, sourceOf })
    return {
      service: createSamplingService({ ...host, engine, newSecret: () => randomBytes(16) }),
      parts: [{ name: 'data engine', stop: () => engine.close(), stopWithinMs: 2_000 }],
    }
  },
)
