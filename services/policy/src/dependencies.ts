import type { ItemRecord } from '@assay/contracts'
import type { Metric, Prepared, SqlText } from '@assay/data-engine'
import type { ServicePorts } from '@assay/hosting/ports'
import type { ScheduleContract } from './schedule/support.ts'

/**
 * Checks filter and metrics on the real source. `locator` is the one that the table's message carried.
 * `unreachable`: the source cannot be looked at now, which is no reason to refuse a definition.
 */
export type Prepare = (request: {
  tenant: string
  /** For the variables of the table. */
  assetId?: number | undefined
  locator: unknown
  filter?: SqlText
  metrics: readonly Metric[]
  /** Items that name more than columns of the table: lookups, templates, tags. */
  items?: readonly ItemRecord[] | undefined
}) => Promise<
  (Prepared & { itemProblems?: { id: number; path: string; message: string }[] | undefined }) | 'unreachable'
>

/** What the policy service is given. */
export interface PolicyServiceDeps extends ServicePorts {
  prepare: Prepare
  /** Which of the two contracts says what can be scheduled. Absent: `guide`. */
  scheduleContract?: ScheduleContract
}
