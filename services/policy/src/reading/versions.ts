import type { PolicyAnswer } from '@assay/contracts'
import type { Documents } from '@assay/documents'
import { type EventStore, fold, streamName } from '@assay/event-store'
import { type ExecutedVersion, executedVersions } from '../copies/executed-versions.ts'
import { policyAggregate } from '../policy/aggregate.ts'
import { absent, type ExistingPolicy, type Policy } from '../policy/policy.ts'
import { policyAnswerOf } from '../policy/records.ts'

/** The versions of policies, from their streams. */
export interface Versions {
  /** The policy at the end of a version; `undefined` if there was no such version. */
  read(tenant: string, policyId: number, version: number): Promise<PolicyAnswer | undefined>
  /** The policy at the start of each version, oldest first. */
  all(tenant: string, policyId: number): Promise<ExistingPolicy[]>
  /** The version that the last completed run was bound to; `undefined` before any. */
  executed(tenant: string, policyId: number): Promise<ExecutedVersion | undefined>
}

export function createVersions(deps: { store: EventStore; documents: Documents }): Versions {
  return {
    async read(tenant, policyId, version) {
      const { events } = await deps.store.read(streamName(tenant, policyAggregate.category, policyId))
      let state: Policy = absent
      let found: PolicyAnswer | undefined
      for (const event of events) {
        state = fold(policyAggregate, state, [event])
        if (state.status === 'absent') continue
        if (state.version > version) break
        if (state.version === version) found = policyAnswerOf(state, tenant)
      }
      return found
    },
    async all(tenant, policyId) {
      const { events } = await deps.store.read(streamName(tenant, policyAggregate.category, policyId))
      let state: Policy = absent
      const found: ExistingPolicy[] = []
      for (const event of events) {
        state = fold(policyAggregate, state, [event])
        if (state.status !== 'absent' && state.version !== found.at(-1)?.version) found.push(state)
      }
      return found
    },
    async executed(tenant, policyId) {
      return (await deps.documents.get(executedVersions, tenant, policyId))?.document
    },
  }
}
