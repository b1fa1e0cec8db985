import type { Artifacts } from '@assay/artifacts'
import type { DataEngine, KeptRowFiles } from '@assay/data-engine'
import type { Exclusive } from '@assay/event-store'
import type { ServicePorts } from '@assay/hosting/ports'

/** What a worker may use. `maxRuns`: runs at the same time; the others apply to each run. */
export interface RunLimits {
  maxRuns: number
  memoryMb: number
  threads: number
  /** For policies that set no limit of their own. */
  timeoutMs: number
  /** Whatever a policy says. */
  maxTimeoutMs: number
  maxTempMb: number
}

/** What the execution service is given. `workerId` is unique among the processes that share the log. */
export interface ExecutionServiceDeps extends ServicePorts {
  engine: DataEngine & KeptRowFiles
  artifacts: Artifacts
  workerId: string
  limits: RunLimits
  /** Work that one replica does for all; absent: for a process that has no replica. */
  exclusive?: Exclusive
  /** How long stored rows are kept; absent: 30. */
  retentionDays?: number
}
