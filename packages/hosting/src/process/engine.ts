import { availableParallelism } from 'node:os'
import { resolve } from 'node:path'
import {
  brokerAccessOf,
  createEngineRouter,
  type DataEngine,
  hostAccessOf,
  type KeptRowFiles,
  observedEngine,
  pathAccessOf,
} from '@assay/data-engine'
import { createDatabaseEngines, createStores } from '@assay/data-engine/databases'
import { createDuckDbEngine } from '@assay/data-engine/duckdb'
import type { Clock, Metrics, Sealer } from '@assay/service-kit'
import type { z } from 'zod'
import type { engineVariables } from '../config/variables.ts'

type EngineConfig = z.output<z.ZodObject<typeof engineVariables>>
type Remote = Parameters<typeof createStores>[0]

/** Where the engine runs. `own`: folders of Assay's own files. */
interface Place {
  isEmbedded: boolean
  /** Whether `default` may read all brokers. */
  readsAllBrokers: boolean
  tempRoot: string | undefined
  own: readonly string[]
}

function separateProcess(config: EngineConfig & { ASSAY_RESULTS_DIR?: string | undefined }): Place {
  const { ASSAY_TEMP_DIR: temp, ASSAY_RESULTS_DIR: results } = config
  const own = results === undefined ? [] : [resolve(results)]
  return { isEmbedded: false, readsAllBrokers: false, tempRoot: temp && resolve(temp), own }
}

/**
 * The engine of a process: files in child processes, databases over their own connections. `sourceOf`: the database or object
 * store of an assembly. `contentKey`: the same in all processes whose results are compared.
 */
export function createEngine(
  config: Parameters<typeof separateProcess>[0],
  deps: {
    sourceOf: Remote['sourceOf']
    sealer: Pick<Sealer, 'open'>
    clock: Clock
    metrics: Metrics
    contentKey?: string
    place?: Place
  },
): DataEngine & KeptRowFiles {
  const { sourceOf, sealer, clock, metrics, contentKey, place = separateProcess(config) } = deps
  const { isEmbedded, readsAllBrokers, tempRoot, own } = place
  const hostsOf = hostAccessOf({ listed: config.ASSAY_ALLOWED_HOSTS, isEmbedded })
  const remote = { sourceOf, unseal: sealer.open, hostsOf }
  const files = createDuckDbEngine({
    maxRuns: config.ASSAY_MAX_RUNS,
    storeOf: createStores(remote),
    memoryMb: config.ASSAY_RUN_MEMORY_MB,
    shortTaskMemoryMb: config.ASSAY_SHORT_TASK_MEMORY_MB,
    threads: config.ASSAY_RUN_THREADS || availableParallelism(),
    tempRoot,
    brokersOf: brokerAccessOf({ listed: config.ASSAY_ALLOWED_BROKERS, isEmbedded: readsAllBrokers }),
    accessOf: pathAccessOf({ listed: config.ASSAY_ALLOWED_PATHS, isEmbedded, own }),
    ...(contentKey === undefined ? {} : { contentKey }),
    clock,
  })
  const databases = createDatabaseEngines({ ...remote, files, clock })
  return observedEngine(createEngineRouter({ files, databases }), metrics)
}
