import { isDeepStrictEqual } from 'node:util'
import type { Documents } from '@assay/documents'
import type { Timers } from '@assay/service-kit'
import { incidents } from '../incidents/incident.documents.ts'
import { policyRunsCollection } from './policy-runs.documents.ts'

const checkMs = 10
/** For about two seconds. If a process died after it closed the run, the repair puts the documents later. */
const maxChecks = 200

/**
 * Resolves when the documents show that a run of a policy is closed, with what its end changed of an incident. The process
 * that closes a run puts these documents a moment after its append, in no particular order.
 */
export type ShownEnd = (tenant: string, policyId: number, executionId: number, signal?: AbortSignal) => Promise<void>

export function createShownEnd(deps: { documents: Pick<Documents, 'get'>; timers: Pick<Timers, 'sleep'> }): ShownEnd {
  const { documents, timers } = deps

  async function isShown(tenant: string, policyId: number, executionId: number): Promise<boolean> {
    const runs = (await documents.get(policyRunsCollection, tenant, policyId))?.document
    if (runs === undefined || runs.open?.executionId === executionId) return false
    if (runs.incident === null) return true
    const stored = await documents.get(incidents, tenant, runs.incident.id)
    return isDeepStrictEqual(stored?.document.incident, runs.incident)
  }

  return async (tenant, policyId, executionId, signal) => {
    for (let checks = 0; checks < maxChecks && !signal?.aborted; checks++) {
      if (await isShown(tenant, policyId, executionId)) return
      await timers.sleep(checkMs, signal)
    }
  }
}
