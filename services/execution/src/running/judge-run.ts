import type { MetricResult } from '@assay/data-engine'
import { type History, judgeItem, type SeriesKey, scorePolicy, type TagResult } from '@assay/reliability'
import type { RunResult } from '../execution/run.ts'
import { runItems } from '../execution/run-items.ts'
import type { Histories } from '../series/read-histories.ts'
import { pointsOf, type RunSeries } from '../series/run-series.ts'
import type { KnownRun } from '../versions/versions.ts'

/** The series that a run belongs to, and what was before it in those that it looks back at. */
export interface RunPast {
  series: RunSeries
  histories: Histories
}

/** The verdicts on the items and on the policy, and the points that the run adds to its series. An item without a result is an item that could not be evaluated. */
export function judgeRun(
  run: KnownRun,
  measured: { metrics: readonly (MetricResult | TagResult)[] },
  problems: ReadonlyMap<number, string>,
  past?: RunPast,
): Pick<RunResult, 'outcomes' | 'qualityScore' | 'verdict' | 'scoreError' | 'points'> {
  const { score: scored, treatZeroRowsAsSuccess } = run.definition
  const none: History = { now: Date.parse(run.startedAt), days: [] }
  const historyOf = (key: SeriesKey | undefined) => (key === undefined ? undefined : past?.histories.get(key)) ?? none
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
        history: (figure) => historyOf(past?.series.item(item.id, figure)),
      }),
    }
  })
  const score = scorePolicy({
    strategy: scored.strategy,
    scoreItems: scored.items,
    thresholdLevel: scored.threshold,
    verdictBy: scored.verdictBy,
    history: historyOf(past?.series.score),
    outcomes: judged.map(({ item: { name, weightage, isWarning }, outcome }) => ({
      name,
      weightage,
      isWarning,
      outcome,
    })),
  })
  const outcomes = judged.map(({ item, outcome }) => ({ itemId: item.id, ...outcome }))
  return {
    outcomes,
    ...(past ? { points: pointsOf(run, past.series, outcomes, score) } : {}),
    qualityScore: score.qualityScore,
    verdict: score.verdict,
    scoreError: score.error,
  }
}
