import type { Documents } from '@assay/documents'
import type { Checkpoints, Commit, EventStore, MakeProcessor } from '@assay/event-store'
import type { MessageBus } from '@assay/message-bus'
import type { Clock, Logger, Metrics, NewId, SecondTimers } from '@assay/service-kit'

export type { Prepare, ProtectedParts } from './preparing/prepare.ts'

/** What every service is given. With it none reads the environment or opens files on its own. */
export interface ServicePorts {
  store: EventStore
  commit: Commit
  documents: Documents
  checkpoints: Checkpoints
  bus: MessageBus
  clock: Clock
  timers: SecondTimers
  newId: NewId
  logger: Logger
  metrics: Metrics
  /** How processors are made; absent: by `createProcessor`, for a process that has no replica. */
  makeProcessor?: MakeProcessor
}
