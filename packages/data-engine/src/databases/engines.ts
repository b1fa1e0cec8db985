import { lookup } from 'node:dns/promises'
import type { Clock } from '@assay/service-kit'
import type { DatabaseSource } from '../dataset.ts'
import { createMysqlEngine } from '../mysql/engine.ts'
import type { DatabaseEngine, DataEngine, KeptRowFiles } from '../port.ts'
import { createPostgresEngine } from '../postgres/engine.ts'
import { createStoreReach, type StoreReach } from '../stores/reach.ts'
import { createTrinoEngine } from '../trino/engine.ts'
import { createReach, type Reach, type ReachOptions } from './reach.ts'

const createEngine: {
  readonly [Type in DatabaseSource['sourceType']]: (options: {
    reach: Reach
    clock: Clock
    rewrite: KeptRowFiles['rewrite']
    touches: DataEngine['touches']
  }) => DatabaseEngine
} = {
  POSTGRESQL: createPostgresEngine,
  MYSQL: createMysqlEngine,
  MARIADB: createMysqlEngine,
  TRINO: createTrinoEngine,
}

const addresses: ReachOptions['lookup'] = (host) => lookup(host, { all: true, order: 'ipv4first' })

/**
 * The engines of all databases that measure at the source, for the router. `files`: parses users' SELECTs and converts
 * stored rows.
 */
export function createDatabaseEngines(
  options: Omit<ReachOptions, 'lookup'> & { files: Pick<DataEngine & KeptRowFiles, 'touches' | 'rewrite'> },
): {
  readonly [Type in DatabaseSource['sourceType']]: DatabaseEngine
} {
  const { clock, files } = options
  const reach = createReach({ ...options, lookup: addresses })
  const given = { reach, clock, rewrite: files.rewrite, touches: files.touches }
  return {
    POSTGRESQL: createEngine.POSTGRESQL(given),
    MYSQL: createEngine.MYSQL(given),
    MARIADB: createEngine.MARIADB(given),
    TRINO: createEngine.TRINO(given),
  }
}

/** Finds the object stores of all tenants, for the engine of files. */
export function createStores(options: Pick<ReachOptions, 'sourceOf' | 'unseal' | 'hostsOf'>): StoreReach {
  return createStoreReach({ ...options, lookup: addresses })
}
