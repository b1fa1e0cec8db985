import type { Artifacts } from '@assay/artifacts'
import type { DataEngine } from '@assay/data-engine'
import type { Documents } from '@assay/documents'
import type { Checkpoints, Commit, EventStore, Exclusive, MakeProcessor } from '@assay/event-store'
import type { MessageBus } from '@assay/message-bus'
import type { Clock, Logger, NewId, Timers } from '@assay/service-kit'

/** What a worker may use. `maxRuns`: runs at the same time; the others apply to each run. */
export interface RunLimits {
  maxRuns: number
  memoryMb: number
  threads: number
  /** For policies that set no limit of their own. */
  timeoutMs: number
  maxTempMb: number
}

/** What the composition root gives. `workerId` is unique among the processes that share the log. */
export interface ExecutionServiceDeps {
  store: EventStore
  commit: Commit
  documents: Documents
  checkpoints: Checkpoints
  bus: MessageBus
  engine: DataEngine
  artifacts: Artifacts
  clock: Clock
  timers: Timers
  newId: NewId
  logger: Logger
  workerId: string
  limits: RunLimits
  /** How processors are made; absent: by `createProcessor`, for a process that has no replica. */
  makeProcessor?: MakeProcessor
  /** Work that one replica does for all; absent: for a process that has no replica. */
  exclusive?: Exclusive
  /** How long stored rows are kept; absent: 30. */
  retentionDays?: number
}
