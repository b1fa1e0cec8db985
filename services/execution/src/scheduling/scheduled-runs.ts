import type { Documents } from '@assay/documents'
import type { Clock } from '@assay/service-kit'
import { type DueKind, decideDue } from '@assay/work'
import { executionPolicies } from '../copies/policies.ts'
import { policyDue } from '../policy-runs/policy-runs.documents.ts'
import type { RunStreams } from '../policy-runs/run-streams.ts'
import type { StartRun } from '../starting/start-run.ts'
import { startDue, unasked } from './start-due.ts'

const context = { actor: 'scheduler' }

/** Starts due runs of policies, and records skipped ones. */
export function scheduledRuns(deps: {
  documents: Documents
  streams: RunStreams
  startRun: StartRun
  clock: Clock
}): DueKind {
  const { documents, streams, startRun, clock } = deps
  return {
    kind: policyDue,
    async handle(tenant, policyId, signal) {
      const seen = await streams.load(tenant, policyId)
      const { policy, due } = seen
      if (due === null || !policy?.schedule || Date.parse(due) > clock.now()) return true
      const decision = decideDue(policy.schedule, due, clock.now())
      const { scheduled } = decision
      const skip = (reason: string) => streams.handle(tenant, policyId, { type: 'SkipRun', scheduled, reason }, context)
      if (decision.kind === 'skip') {
        await skip(decision.reason)
        return true
      }
      const copy = await documents.get(executionPolicies, tenant, policyId)
      // The local read model of the policy is stored shortly after its schedule.
      if (!copy) return false
      const executionType = copy.document.policy.rule.scheduleExecutionType ?? undefined
      const request = { ...unasked, executionType }
      await startDue(
        startRun,
        { tenant, copy: copy.document, request, due: { scheduled }, seen, context, signal },
        skip,
      )
      return true
    },
  }
}
