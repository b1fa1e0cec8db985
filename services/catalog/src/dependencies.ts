import type { DataEngine } from '@assay/data-engine'
import type { Documents } from '@assay/documents'
import type { Checkpoints, Commit, EventStore, MakeProcessor } from '@assay/event-store'
import type { MessageBus } from '@assay/message-bus'
import type { Clock, Logger, NewId, Timers } from '@assay/service-kit'

/** What the catalog is given. Nothing in it reads the environment or opens files on its own. */
export interface CatalogDependencies {
  store: EventStore
  commit: Commit
  documents: Documents
  checkpoints: Checkpoints
  bus: MessageBus
  clock: Clock
  timers: Timers
  newId: NewId
  logger: Logger
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
   * then ended at the start; with several instances, once they have given no sign of life for 90 s.
   */
  soleInstance?: boolean
  /** How processors are made; absent: by `createProcessor`, for a process that has no replica. */
  makeProcessor?: MakeProcessor
}
