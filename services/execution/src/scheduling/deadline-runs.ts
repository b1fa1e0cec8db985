import type { Documents } from '@assay/documents'
import type { Clock } from '@assay/service-kit'
import type { DueKind } from '@assay/work'
import { executionPolicies } from '../copies/policies.ts'
import { deadlineDue } from '../policy-runs/policy-runs.documents.ts'
import type { RunStreams } from '../policy-runs/run-streams.ts'
import type { StartRun } from '../starting/start-run.ts'
import { startDue, unasked } from './start-due.ts'

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
      const skip = (reason: string) =>
        streams.handle(tenant, policyId, { type: 'SkipDeadline', deadline, reason }, context)
      const start = { tenant, copy: copy.document, request: unasked, due: { deadline }, seen, context, signal }
      await startDue(startRun, start, skip)
      return true
    },
  }
}
