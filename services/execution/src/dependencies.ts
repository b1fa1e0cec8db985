import type { Artifacts } from '@assay/artifacts'
import type { DataEngine, KeptRowFiles } from '@assay/data-engine'
import type { LeaderElection } from '@assay/event-store'
import type { ServicePorts } from '@assay/hosting/ports'
import type { Lineage } from './open-lineage/open-lineage.ts'

/** Limits of a worker. `maxRuns`: concurrent runs. The others apply to each run. */
export interface RunLimits {
  maxRuns: number
  memoryMb: number
  threads: number
  /** For policies without a limit of their own. */
  timeoutMs: number
  /** Upper limit for policies that set their own. */
  maxTimeoutMs: number
  maxTempMb: number
}

/** Dependencies of the execution service. `workerId` is unique among the processes that share the log. */
export interface ExecutionServiceDeps extends ServicePorts {
  engine: DataEngine & KeptRowFiles
  artifacts: Artifacts
  workerId: string
  limits: RunLimits
  /** For work that one replica at a time does. Absent if the process has no replicas. */
  election?: LeaderElection
  /** Days to keep stored rows; absent means 30. */
  retentionDays?: number
  /** Absent: no OpenLineage events. */
  lineage?: Lineage | undefined
}
