import { byPercentage } from '../item-outcome.ts'
import type { Steps } from '../kinds/steps.ts'
import { exactOfFigure } from '../series/figure.ts'
import { anyValue } from '../series/judged-point.ts'
import type { HistoryBefore, JudgedAgain, PastRun } from '../what-if/past-run.ts'
import { scoreAgain, sensitivityOf } from '../what-if/score-again.ts'
import { type ComparisonPolicy, itemsOf } from './definition.ts'
import { thresholdOf } from './series.ts'

/** Judges the points of an earlier run again, by the thresholds of this policy. Pure. */
export function* judgeComparisonAgain(
  policy: ComparisonPolicy,
  { startedAt, outcomes, judged }: PastRun,
  before: HistoryBefore,
): Steps<JudgedAgain[]> {
  const points: JudgedAgain[] = []
  for (const point of judged) {
    const item = itemsOf(policy).find(({ id }) => id === point.itemId)
    const past = outcomes.find(({ itemId }) => itemId === point.itemId)
    if (item === undefined || past === undefined) continue
    const thresholdConfig = thresholdOf(item)
    const history = () => before(point.key)
    const { detail: _, ...base } = past
    const found = byPercentage(
      { item: { thresholdConfig }, base, before: { history, runStartedAt: startedAt } },
      exactOfFigure(point.value),
    )
    const fired = found.verdict !== 'SUCCESSFUL'
    points.push({ ...point, ...anyValue, ...found.range, fired, ...sensitivityOf(thresholdConfig) })
    yield
  }
  const point = judged.find(({ itemId }) => itemId === null)
  // Percentages do not depend on thresholds, so the stored score holds for this policy, too.
  return point === undefined
    ? points
    : [...points, scoreAgain(policy.score, { point, scored: null }, before(point.key))]
}
