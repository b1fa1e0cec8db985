import type { ItemOutcome } from '../item-outcome.ts'
import { judgeItem } from '../judge-item.ts'
import type { Found, FoundSide, Histories, JudgedRun, RunGiven } from '../kinds/judging.ts'
import { scorePolicy } from '../score-policy.ts'
import type { History } from '../series/look-back.ts'
import type { SeriesKey } from '../series/series-key.ts'
import { type QualityPolicy, runItems } from './definition.ts'
import { pointsOf, runSeries } from './series.ts'

/**
 * The verdicts on the items and on the policy, and the points that the run adds to its series. An item without a result
 * could not be evaluated. Pure.
 */
export function judgeQuality(policy: QualityPolicy, run: RunGiven, all: readonly Found[], past: Histories): JudgedRun {
  const { score: scored, treatZeroRowsAsSuccess } = policy
  const found = all.find((one) => one.kind === 'MEASURE') ?? nothingFound
  const { startedAt: runStartedAt, itemSelection } = run
  const [{ mark }] = run.sides
  const series = runSeries(policy, run)
  const none: History = { now: Date.parse(runStartedAt), days: [] }
  const historyOf = (key: SeriesKey | undefined) => (key === undefined ? undefined : past.get(key)) ?? none
  const results = new Map(found.results.map((result) => [result.id, result]))
  const judged = runItems(policy, itemSelection).map((item) => {
    const result = results.get(item.id) ?? {
      id: item.id,
      kind: 'error' as const,
      message: found.problems.get(item.id) ?? 'The engine gave no result for this item.',
    }
    const history = (figure: 'PERCENTAGE' | 'NUMBER') => historyOf(series?.item(item.id, figure))
    return { item, outcome: judgeItem({ item, result, runStartedAt, treatZeroRowsAsSuccess, history }) }
  })
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
    outcomes: judged.map(({ item, outcome }) => ({
      itemId: item.id,
      ...(isNothingNew ? withNothingNew(outcome, mark) : outcome),
    })),
    ...(series ? { points: pointsOf(series, judged, score.figure) } : {}),
    qualityScore: score.qualityScore,
    verdict: score.verdict,
    scoreError: score.error,
  }
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
