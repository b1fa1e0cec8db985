import type { Documents } from '@assay/documents'
import type { Checkpoints, Commit, EventStore, MakeProcessor } from '@assay/event-store'
import type { MessageBus } from '@assay/message-bus'
import type { Clock, Logger, NewId, Timers } from '@assay/service-kit'

/** What the composition root gives. */
export interface NotificationServiceDeps {
  store: EventStore
  commit: Commit
  documents: Documents
  checkpoints: Checkpoints
  bus: MessageBus
  clock: Clock
  timers: Timers
  newId: NewId
  logger: Logger
  /** How processors are made; absent: by `createProcessor`, for a process that has no replica. */
  makeProcessor?: MakeProcessor
}
