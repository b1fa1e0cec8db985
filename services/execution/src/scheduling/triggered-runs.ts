import type { Documents } from '@assay/documents'
import { isAssayError, messageOf } from '@assay/service-kit/errors'
import type { DueKind } from '@assay/work'
import { executionPolicies } from '../copies/policies.ts'
import { executionTables } from '../copies/tables.ts'
import { triggeredDue } from '../policy-runs/policy-runs.documents.ts'
import type { RunStreams } from '../policy-runs/run-streams.ts'
import type { StartRun } from '../starting/start-run.ts'
import { refusals, unasked } from './scheduled-runs.ts'

const context = { actor: 'crawl' }

/** Starts runs that a crawl triggered, once for each crawl, and records skipped ones. */
export function triggeredRuns(deps: { documents: Documents; streams: RunStreams; startRun: StartRun }): DueKind {
  const { documents, streams, startRun } = deps
  return {
    kind: triggeredDue,
    async handle(tenant, policyId, signal) {
      const { triggered } = await streams.load(tenant, policyId)
      if (triggered?.isDue !== true) return true
      const { trigger } = triggered
      const copy = await documents.get(executionPolicies, tenant, policyId)
      const table = await documents.get(executionTables, tenant, trigger.assetId)
      // The local read model of the table is stored shortly after the trigger.
      if (!copy || (table?.document.table.revision ?? -1) < trigger.revision) return false
      const start = { tenant, copy: copy.document, request: unasked, executionMode: 'SCHEDULED' as const, context }
      try {
        await startRun({ ...start, due: { trigger }, signal })
      } catch (error) {
        if (isAssayError(error, 'taken')) return true
        const isRefused = isAssayError(error) && refusals.includes(error.code)
        if (!isRefused || signal.aborted) throw error
        await streams.handle(tenant, policyId, { type: 'SkipTrigger', trigger, reason: messageOf(error) }, context)
      }
      return true
    },
  }
}
