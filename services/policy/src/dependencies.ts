import type { Prepare, ServicePorts } from '@assay/hosting/ports'
import type { ScheduleContract } from './schedule/support.ts'

/** Dependencies of the policy service. */
export interface PolicyServiceDeps extends ServicePorts {
  prepare: Prepare
  /** Which of the two contracts decides what can be scheduled. Absent: `guide`. */
  scheduleContract?: ScheduleContract
}
