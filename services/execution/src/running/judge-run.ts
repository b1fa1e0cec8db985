import type { MetricResult } from '@assay/data-engine'
import { judgeItem, scorePolicy, type TagResult } from '@assay/reliability'
import type { RunResult } from '../execution/run.ts'
import { runItems } from '../execution/run-items.ts'
import type { KnownRun } from '../versions/versions.ts'
import { noHistory, type RunHistory } from './run-history.ts'

/** The verdicts on the items and on the policy. An item without a result is an item that could not be evaluated. */
export function judgeRun(
  run: KnownRun,
  measured: { metrics: readonly (MetricResult | TagResult)[] },
  problems: ReadonlyMap<number, string>,
  history: RunHistory = noHistory,
): Pick<RunResult, 'outcomes' | 'qualityScore' | 'verdict' | 'scoreError'> {
  const { score: scored, treatZeroRowsAsSuccess } = run.definition
  const results = new Map(measured.metrics.map((result) => [result.id, result]))
  const judged = runItems(run).map((item) => {
    const result = results.get(item.id) ?? {
      id: item.id,
      kind: 'error' as const,
      message: problems.get(item.id) ?? 'The engine gave no result for this item.',
    }
    const { startedAt: runStartedAt } = run
    return {
      item,
      outcome: judgeItem({
        item,
        result,
        runStartedAt,
        treatZeroRowsAsSuccess,
        history: history.items.get(item.id) ?? [],
      }),
    }
  })
  const score = scorePolicy({
    strategy: scored.strategy,
    scoreItems: scored.items,
    thresholdLevel: scored.threshold,
    verdictBy: scored.verdictBy,
    past: history.scores,
    now: Date.parse(run.startedAt),
    outcomes: judged.map(({ item: { name, weightage, isWarning }, outcome }) => ({
      name,
      weightage,
      isWarning,
      outcome,
    })),
  })
  return {
    outcomes: judged.map(({ item, outcome }) => ({ itemId: item.id, ...outcome })),
    qualityScore: score.qualityScore,
    verdict: score.verdict,
    scoreError: score.error,
  }
}
