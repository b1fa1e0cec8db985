import type { Artifacts } from '@assay/artifacts'
import type { DataEngine } from '@assay/data-engine'
import type { Documents } from '@assay/documents'
import type { Checkpoints, Commit, EventStore, MakeProcessor } from '@assay/event-store'
import type { MessageBus } from '@assay/message-bus'
import type { Clock, Logger, NewId, Timers } from '@assay/service-kit'

/** What the composition root gives. `newSecret`: at least 16 random bytes, of which ids of requests are made. */
export interface SamplingServiceDeps {
  store: EventStore
  commit: Commit
  documents: Documents
  checkpoints: Checkpoints
  bus: MessageBus
  engine: Pick<DataEngine, 'prepare' | 'sample'>
  artifacts: Artifacts
  clock: Clock
  timers: Timers
  newId: NewId
  newSecret: () => Uint8Array
  logger: Logger
  /** How long rows answer further requests, in milliseconds. Absent: an hour. */
  cacheMs?: number
  /** How processors are made; absent: by `createProcessor`, for a process that has no replica. */
  makeProcessor?: MakeProcessor
}
