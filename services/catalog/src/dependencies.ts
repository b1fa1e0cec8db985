import type { Artifacts } from '@assay/artifacts'
import type { DataEngine } from '@assay/data-engine'
import type { ServicePorts } from '@assay/hosting/ports'

/** Dependencies of the catalog. */
export interface CatalogDependencies extends ServicePorts {
  /** Version of this build. */
  version?: string
  engine: DataEngine
  artifacts: Artifacts
}
