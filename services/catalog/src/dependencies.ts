import type { DataEngine } from '@assay/data-engine'
import type { ServicePorts } from '@assay/hosting/ports'

/** What the catalog is given. */
export interface CatalogDependencies extends ServicePorts {
  /** Version of this build. */
  version?: string
  engine: DataEngine
  /**
   * Whether no other instance of this service works on the same log (default true). Crawls of an earlier process are
   * then taken up at the start; with several instances, once they have given no sign of life for 75 s.
   */
  soleInstance?: boolean
}
