import type { ItemRecord } from '@assay/contracts'
import type { ItemOutcome, RangedOutcome } from '../item-outcome.ts'
import { judgeItem } from '../judge-item.ts'
import type { Found, FoundSide, Histories, JudgedRun, RunGiven } from '../kinds/judging.ts'
import type { Steps } from '../kinds/steps.ts'
import { scorePolicy } from '../score-policy.ts'
import { type JudgedPoint, judgedPoints } from '../series/judged-point.ts'
import type { History } from '../series/look-back.ts'
import type { SeriesKey } from '../series/series-key.ts'
import { type QualityPolicy, runItems } from './definition.ts'
import { itemPoints, scorePoints } from './points.ts'
import { type RunSeries, runSeries } from './series.ts'

/**
 * The verdicts on the items and on the policy, and the points that the run adds to its series. An item without a result
 * could not be evaluated. Pure.
 */
export function* judgeQuality(
  policy: QualityPolicy,
  run: RunGiven,
  all: readonly Found[],
  past: Histories,
): Steps<JudgedRun> {
  const { score: scored, treatZeroRowsAsSuccess } = policy
  const found = all.find((one) => one.kind === 'MEASURE') ?? nothingFound
  const { startedAt: runStartedAt, itemSelection } = run
  const [{ mark }] = run.sides
  const series = runSeries(policy, run)
  const none: History = { now: Date.parse(runStartedAt), days: [] }
  const historyOf = (key: SeriesKey | undefined) => (key === undefined ? undefined : past.get(key)) ?? none
  const results = new Map(found.results.map((result) => [result.id, result]))
  const judged: { item: ItemRecord; outcome: RangedOutcome }[] = []
  for (const item of runItems(policy, itemSelection)) {
    const result = results.get(item.id) ?? {
      id: item.id,
      kind: 'error' as const,
      message: found.problems.get(item.id) ?? 'The engine gave no result for this item.',
    }
    const history = (figure: 'PERCENTAGE' | 'NUMBER') => historyOf(series?.item(item.id, figure))
    judged.push({ item, outcome: judgeItem({ item, result, runStartedAt, treatZeroRowsAsSuccess, history }) })
    yield
  }
  const score = scorePolicy({
    strategy: scored.strategy,
    scoreItems: scored.items,
    thresholdLevel: scored.threshold,
    verdictBy: scored.verdictBy,
    history: historyOf(series?.score),
    outcomes: judged.map(({ item, outcome }) => ({ ...item, outcome })),
  })
  const isNothingNew = mark !== null && found.rowsScanned === 0
  return {
    outcomes: judged.map(({ item, outcome: { range: _, ...outcome } }) => ({
      itemId: item.id,
      ...(isNothingNew ? withNothingNew(outcome, mark) : outcome),
    })),
    ...(series ? judgedPoints(pointsOf(series, judged, scorePoints(score, scored, series.score))) : {}),
    qualityScore: score.qualityScore,
    verdict: score.verdict,
    scoreError: score.error,
  }
}

/** The points of a run. No score if no item was measured. */
function pointsOf(
  series: RunSeries,
  judged: readonly { item: ItemRecord; outcome: RangedOutcome }[],
  ofScore: JudgedPoint[],
): JudgedPoint[] {
  const ofItems = judged.flatMap(({ item, outcome }) =>
    itemPoints(item, outcome, (figure) => series.item(item.id, figure) ?? null),
  )
  return ofItems.length === 0 ? [] : [...ofItems, ...ofScore]
}

const nothingFound: FoundSide = { kind: 'MEASURE', side: 'ONE', results: [], problems: new Map(), rowsScanned: 0 }

/**
 * The policy decides whether zero rows are an error (`treatZeroRowsAsSuccess`). Adds the reason to each item over rows.
 */
function withNothingNew(outcome: ItemOutcome, mark: string): ItemOutcome {
  if (outcome.rowsScanned !== 0) return outcome
  const why = `There are no new rows since the mark ${mark}`
  const note = outcome.error === null ? `${why}.` : `${why}; with treatZeroRowsAsSuccess that counts as success.`
  return { ...outcome, note }
}
