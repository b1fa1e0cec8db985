import type { Documents } from '@assay/documents'
import type { DueKind } from '@assay/work'
import { assetProfiles } from '../asset-profiles/aggregate.ts'
import { hasEnded } from '../asset-profiles/asset-profiles.ts'
import { executionPolicies } from '../copies/policies.ts'
import { executionTables } from '../copies/tables.ts'
import { triggeredDue } from '../policy-runs/policy-runs.documents.ts'
import type { RunStreams } from '../policy-runs/run-streams.ts'
import type { Trigger } from '../policy-runs/triggers.ts'
import type { StartRun } from '../starting/start-run.ts'
import { startDue, unasked } from './start-due.ts'

const contexts = { CRAWL: { actor: 'crawl' }, PROFILE: { actor: 'profile' } } as const

/** Starts runs that a crawl or a profile triggered, once for each, and records skipped ones. */
export function triggeredRuns(deps: { documents: Documents; streams: RunStreams; startRun: StartRun }): DueKind {
  const { documents, streams, startRun } = deps

  /** The read model of a table, and the end of a profile, are stored shortly after the trigger. */
  async function stateOf(tenant: string, trigger: Trigger): Promise<'open' | 'done' | 'failed'> {
    if (trigger.kind === 'CRAWL') {
      const table = await documents.get(executionTables, tenant, trigger.assetId)
      return (table?.document.table.revision ?? -1) < trigger.revision ? 'open' : 'done'
    }
    const profile = (await documents.get(assetProfiles, tenant, trigger.profileId))?.document
    if (profile?.status === 'succeeded') return 'done'
    return profile === undefined || hasEnded(profile) ? 'failed' : 'open'
  }

  return {
    kind: triggeredDue,
    async handle(tenant, policyId, signal) {
      const seen = await streams.load(tenant, policyId)
      const { triggered } = seen
      if (triggered?.isDue !== true) return true
      const { trigger } = triggered
      const context = contexts[trigger.kind]
      const copy = await documents.get(executionPolicies, tenant, policyId)
      if (!copy) return false
      const skip = (reason: string) =>
        streams.handle(tenant, policyId, { type: 'SkipTrigger', trigger, reason }, context)
      const state = await stateOf(tenant, trigger)
      if (state === 'open') return false
      if (state === 'failed') {
        await skip('The profile did not succeed.')
        return true
      }
      const start = { tenant, copy: copy.document, request: unasked, due: { trigger }, seen, context, signal }
      await startDue(startRun, start, skip)
      return true
    },
  }
}
