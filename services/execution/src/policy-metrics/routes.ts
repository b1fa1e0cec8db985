import { Readable } from 'node:stream'
import { executionOperations } from '@assay/contracts'
import { type Documents, findPageInParts } from '@assay/documents'
import { metricsContentType, type Route, route } from '@assay/service-kit'
import { executions } from '../execution/execution.documents.ts'
import { hasEnded } from '../execution/execution.ts'
import { policyRunsCollection } from '../policy-runs/policy-runs.documents.ts'
import type { ShownRuns } from '../reading/masked-outcomes.ts'
import { type LatestRun, policyMetrics } from './policy-metrics.ts'

/**
 * Metrics of each enabled policy for Prometheus. A route with a key, unlike `/metrics`: names and verdicts belong to a
 * tenant, and verdicts may depend on protected columns. The limit bounds the number of series.
 */
export function policyMetricsRoutes(deps: { documents: Pick<Documents, 'find'>; shownRuns: ShownRuns }): Route[] {
  const { documents, shownRuns } = deps
  return [
    route(executionOperations.getPolicyMetrics, async (call) => {
      const { tenant } = call.identity
      const found = await documents.find(policyRunsCollection, tenant, {
        where: [{ field: 'status', is: 'ENABLED' }],
        sort: [{ field: 'id', direction: 'asc' }],
        size: call.query.limit,
      })
      const ids = found.documents.flatMap(({ latest }) => (latest ? [latest.executionId] : []))
      const latest: LatestRun[] = []
      const where = [{ field: 'id', in: ids }]
      const wanted = { tenant, where, sort: [], page: 0, size: ids.length }
      for await (const runs of ids.length === 0 ? [] : findPageInParts(documents, call, executions, wanted))
        for (const run of await shownRuns.all(call, runs.documents)) {
          const { policy, tables } = run.run
          const [table] = tables
          if (!hasEnded(run) || table === undefined) continue
          latest.push({
            policyId: policy.id,
            policyName: policy.name,
            policyType: policy.type,
            assetUid: table.uid,
            run,
          })
        }
      const text = Buffer.from(await policyMetrics(latest, found.count - found.documents.length).text())
      const file = { name: 'policies.prom', contentType: metricsContentType, sizeBytes: text.length }
      return { file: { ...file, stream: Readable.from([text]) } }
    }),
  ]
}
