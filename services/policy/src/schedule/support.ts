import { isDeepStrictEqual } from 'node:util'
import { type PolicyRow, type PolicyType, policyRow } from '@assay/contracts'
import { kindOf } from '@assay/reliability'
import { AssayError } from '@assay/service-kit/errors'
import type { Definition } from '../policy/definition.ts'

/** Which of the two published contracts decides what can be scheduled (decision 25). */
export type ScheduleContract = NonNullable<PolicyRow['unscheduledBy']>

/** Throws `not-implemented` if the contract is the guide, `unprocessable` if it is the interface. */
export function assertSchedulable(type: PolicyType, contract: ScheduleContract): void {
  if (policyRow(type).unscheduledBy !== contract) return
  throw new AssayError(
    contract === 'guide' ? 'not-implemented' : 'unprocessable',
    `Policies of type ${type} cannot be scheduled; they run on request and when their asset is crawled or profiled.`,
  )
}

/** Throws `unprocessable` naming `path` if policies of the type cannot run INCREMENTAL. */
export function assertIncremental(type: PolicyType, path: string): void {
  const why = kindOf(type).wholeTablesOnly
  if (why !== undefined)
    throw new AssayError('unprocessable', `${path}: ${why}, so it cannot run INCREMENTAL; send FULL.`)
}

/**
 * Schedules in a create or a change follow the same table; a definition that is sent back as read does not count as
 * one. `before`: absent for a new policy. Throws the errors of `assertSchedulable`.
 */
export function assertScheduling(after: Definition, before: Definition | undefined, contract: ScheduleContract): void {
  const was = before === undefined ? [false, null] : [before.scheduled, before.schedule]
  if (!isDeepStrictEqual(was, [after.scheduled, after.schedule])) assertSchedulable(after.type, contract)
}
