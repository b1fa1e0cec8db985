import type { Documents } from '@assay/documents'
import type { Checkpoints, Commit, EventStore, MakeProcessor } from '@assay/event-store'
import type { MessageBus } from '@assay/message-bus'
import type { Clock, Logger, Metrics, NewId, SecondTimers } from '@assay/service-kit'

export type { BadRows, BadRowsAsked, FirstBadRows } from './first-bad-rows/first-bad-rows.ts'
export type { Prepare, ProtectedParts } from './preparing/prepare.ts'

/** The ports that every service gets, so that no service reads the environment or opens files itself. */
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
  /** Creates processors. Default: `createProcessor`, for a process without replicas. */
  makeProcessor?: MakeProcessor
  /** No other process uses the log, so all claims of earlier processes are void. Default: false. */
  soleInstance?: boolean
}
