import type { Prepare, ServicePorts } from '@assay/hosting/ports'
import type { ScheduleContract } from './schedule/support.ts'

/** What the policy service is given. */
export interface PolicyServiceDeps extends ServicePorts {
  prepare: Prepare
  /** Which of the two contracts says what can be scheduled. Absent: `guide`. */
  scheduleContract?: ScheduleContract
}
