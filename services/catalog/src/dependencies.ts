import type { DataEngine } from '@assay/data-engine'
import type { ServicePorts } from '@assay/hosting/ports'

/** Dependencies of the catalog. */
export interface CatalogDependencies extends ServicePorts {
  /** Version of this build. */
  version?: string
  engine: DataEngine
  /**
   * Whether no other instance works on the same log (default true). Crawls of an earlier process are then taken over at
   * the start; with several instances, after 75 s without a sign of life.
   */
  soleInstance?: boolean
}
