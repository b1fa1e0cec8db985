import type { Documents } from '@assay/documents'
import type { Clock } from '@assay/service-kit'
import { isAssayError, messageOf } from '@assay/service-kit/errors'
import type { DueKind } from '@assay/work'
import { executionPolicies } from '../copies/policies.ts'
import { deadlineDue } from '../policy-runs/policy-runs.documents.ts'
import type { RunStreams } from '../policy-runs/run-streams.ts'
import type { StartRun } from '../starting/start-run.ts'
import { refusals, unasked } from './scheduled-runs.ts'

const context = { actor: 'deadline' }

/** Starts runs of policies whose deadline has passed, once for each deadline, and records skipped ones. */
export function deadlineRuns(deps: {
  documents: Documents
  streams: RunStreams
  startRun: StartRun
  clock: Clock
}): DueKind {
  const { documents, streams, startRun, clock } = deps
  return {
    kind: deadlineDue,
    async handle(tenant, policyId, signal) {
      const seen = await streams.load(tenant, policyId)
      const { policy, watch, open } = seen
      const deadline = watch?.deadline ?? null
      const isWatched = policy?.enabled === true && !policy.archived
      if (deadline === null || !isWatched || open !== null || Date.parse(deadline) > clock.now()) return true
      const copy = await documents.get(executionPolicies, tenant, policyId)
      if (copy === undefined) return false
      const start = { tenant, copy: copy.document, request: unasked, executionMode: 'SCHEDULED' as const, context }
      try {
        await startRun({ ...start, due: { deadline }, seen, signal })
      } catch (error) {
        if (isAssayError(error, 'taken')) return true
        const isRefused = isAssayError(error) && refusals.includes(error.code)
        if (!isRefused || signal.aborted) throw error
        await streams.handle(tenant, policyId, { type: 'SkipDeadline', deadline, reason: messageOf(error) }, context)
      }
      return true
    },
  }
}
