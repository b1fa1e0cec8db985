import type { DataEngine } from '@assay/data-engine'
import type { ServicePorts } from '@assay/hosting/ports'

/** What the catalog is given. */
export interface CatalogDependencies extends ServicePorts {
  /** Version of this build. */
  version?: string
  engine: DataEngine
  /** Absolute folders that sources must lie under; absent: anywhere. */
  allowedPaths: readonly string[] | undefined
  /** Absolute folders that are never a source: Assay's own. */
  ownFolders?: readonly string[]
  /** The real path of an absolute one, with all links followed. Rejects when nothing lies there. */
  resolvePath: (path: string) => Promise<string>
  /**
   * Whether no other instance of this service works on the same log (default true). Crawls of an earlier process are
   * then taken up at the start; with several instances, once they have given no sign of life for 75 s.
   */
  soleInstance?: boolean
}
