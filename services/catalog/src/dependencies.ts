import type { Artifacts } from '@assay/artifacts'
import type { DataEngine } from '@assay/data-engine'
import type { ServicePorts } from '@assay/hosting/ports'
import type { Sealer } from '@assay/service-kit'

/** Dependencies of the catalog. */
export interface CatalogDependencies extends ServicePorts {
  /** Version of this build. */
  version?: string
  engine: DataEngine
  artifacts: Artifacts
  /** Seals the secrets of configurations. */
  sealer: Sealer
}
