import type { Artifacts } from '@assay/artifacts'
import type { DataEngine } from '@assay/data-engine'
import type { ServicePorts } from '@assay/hosting/ports'

/** What the sampling service is given. `newSecret`: at least 16 random bytes, of which ids of requests are made. */
export interface SamplingServiceDeps extends ServicePorts {
  engine: Pick<DataEngine, 'prepare' | 'sample' | 'touches'>
  artifacts: Artifacts
  newSecret: () => Uint8Array
  /** How long rows answer further requests, in milliseconds. Absent: an hour. */
  cacheMs?: number
}
