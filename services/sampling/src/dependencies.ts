import type { Artifacts } from '@assay/artifacts'
import type { DataEngine } from '@assay/data-engine'
import type { ServicePorts } from '@assay/hosting/ports'

/** Dependencies of the sampling service. `newSecret`: at least 16 random bytes, from which request ids are derived. */
export interface SamplingServiceDeps extends ServicePorts {
  engine: Pick<DataEngine, 'prepare' | 'sample' | 'touches'>
  artifacts: Artifacts
  newSecret: () => Uint8Array
  /** How long rows are reused for further requests, in milliseconds. Absent means an hour. */
  cacheMs?: number
}
