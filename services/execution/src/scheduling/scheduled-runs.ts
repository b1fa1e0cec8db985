import type { StartRequest } from '@assay/contracts'
import type { Documents } from '@assay/documents'
import type { Clock } from '@assay/service-kit'
import { type ErrorCode, isAssayError, messageOf } from '@assay/service-kit/errors'
import { type DueKind, decideDue } from '@assay/work'
import { executionPolicies } from '../copies/policies.ts'
import { policyDue } from '../policy-runs/policy-runs.documents.ts'
import type { RunStreams } from '../policy-runs/run-streams.ts'
import type { StartRun } from '../starting/start-run.ts'

/** Errors for which a retry is useless. */
export const refusals: readonly ErrorCode[] = ['unprocessable', 'invalid', 'too-large']

const context = { actor: 'scheduler' }

/** The request of a run that is started by a schedule or a trigger. */
export const unasked: StartRequest = {
  executionType: undefined,
  includeInQualityScore: undefined,
  ruleItemSelections: undefined,
  markerConfigs: undefined,
  sparkResourceConfig: undefined,
}

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
      const request = {
        ...unasked,
        executionType: copy.document.policy.rule.scheduleExecutionType ?? undefined,
      }
      const start = {
        tenant,
        copy: copy.document,
        request,
        executionMode: 'SCHEDULED' as const,
        due: { scheduled },
        seen,
        context,
      }
      try {
        await startRun({ ...start, signal })
      } catch (error) {
        if (isAssayError(error, 'taken')) return true
        const isRefused = isAssayError(error) && refusals.includes(error.code)
        if (!isRefused || signal.aborted) throw error
        await skip(messageOf(error))
      }
      return true
    },
  }
}
