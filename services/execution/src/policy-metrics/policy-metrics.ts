import { createMetrics, type Metrics } from '@assay/service-kit'
import type { ShownExecution } from '../reading/masked-outcomes.ts'
import { runFiguresOf } from '../reading/run-figures.ts'
import { shownResultStatusOf } from '../reading/shown-status.ts'

/** The latest ended run of a policy, as its reader may see it. */
export interface LatestRun {
  policyId: number
  policyName: string
  policyType: string
  assetUid: string
  run: ShownExecution & { finishedAt: string }
}

const labels = ['policy_id', 'policy', 'type', 'asset'] as const

/** A number that grows with the severity; `undefined` for a hidden verdict. */
function verdictOf(run: ShownExecution): number | undefined {
  if (run.status === 'failed') return 3
  const status = shownResultStatusOf(run)
  return status === 'SUCCESSFUL' ? 0 : status === 'WARNING' ? 1 : status === 'ERRORED' ? 2 : undefined
}

/** The metrics of policies in the text format of Prometheus. `leftOut`: policies beyond the limit. */
export function policyMetrics(latest: readonly LatestRun[], leftOut: number): Metrics {
  const metrics = createMetrics()
  const verdict = metrics.gauge({
    name: 'assay_policy_verdict',
    help: 'Verdict of the last ended run: 0 SUCCESSFUL, 1 WARNING, 2 ERRORED, 3 the run could not be executed.',
    labels,
  })
  const score = metrics.gauge({
    name: 'assay_policy_score',
    help: 'Quality score of the last ended run, 0 to 100.',
    labels,
  })
  const endedAt = metrics.gauge({
    name: 'assay_policy_last_run_timestamp_seconds',
    help: 'End of the last ended run, as Unix time. time() minus it is the age.',
    labels,
  })
  metrics
    .gauge({ name: 'assay_policy_metrics_left_out', help: 'Enabled policies beyond the limit of this answer.' })
    .read({}, () => leftOut)
  for (const { policyId, policyName, policyType, assetUid, run } of latest) {
    const of = { policy_id: String(policyId), policy: policyName, type: policyType, asset: assetUid }
    const [found, { qualityScore }] = [verdictOf(run), runFiguresOf(run)]
    if (found !== undefined) verdict.read(of, () => found)
    if (typeof qualityScore === 'number') score.read(of, () => qualityScore)
    endedAt.read(of, () => Date.parse(run.finishedAt) / 1000)
  }
  return metrics
}
