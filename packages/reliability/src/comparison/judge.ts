import { compareExact, type Exact, exactHundred } from '../exact.ts'
import { allOrNothing, byPercentage, type ItemOutcome, type RangedOutcome } from '../item-outcome.ts'
import type { Found, Histories, JudgedRun, RunGiven } from '../kinds/judging.ts'
import type { Steps } from '../kinds/steps.ts'
import { type PolicyScore, scorePolicy } from '../score-policy.ts'
import { keptFigure } from '../series/figure.ts'
import { anyValue, type JudgedPoint, judgedPoints } from '../series/judged-point.ts'
import type { History } from '../series/look-back.ts'
import type { SeriesKey } from '../series/series-key.ts'
import { type ComparisonPolicy, type RunItem, runItems } from './definition.ts'
import type { ComparisonDetail } from './detail.ts'
import { type MeasuredRun, measuredRun } from './measured.ts'
import type { Judgement, Unmeasured } from './measures/measure.ts'
import { measures } from './measures/table.ts'
import { proofOf } from './proof.ts'
import { itemKey, scoreKey, thresholdOf } from './series.ts'

interface JudgedItem {
  item: RunItem
  outcome: RangedOutcome & { detail?: ComparisonDetail }
  /** Null if the item could not be evaluated. */
  percentage: Exact | null
}

/** Judges how far two tables agree. Pure. */
export function* judgeComparison(
  policy: ComparisonPolicy,
  run: RunGiven,
  all: readonly Found[],
  past: Histories,
): Steps<JudgedRun> {
  const measured = measuredRun(policy, run, all)
  const none: History = { now: Date.parse(run.startedAt), days: [] }
  const historyOf = (key: SeriesKey | undefined) => (key === undefined ? undefined : past.get(key)) ?? none
  const judged: JudgedItem[] = []
  for (const item of runItems(policy, run.itemSelection)) {
    judged.push(judgedItem(policy, item, measured, historyOf(itemKey(policy, item, run))))
    yield
  }
  const key = scoreKey(policy, run)
  const score = scorePolicy({
    strategy: policy.score.strategy,
    scoreItems: policy.score.items,
    thresholdLevel: policy.score.threshold,
    verdictBy: policy.score.verdictBy,
    history: historyOf(key),
    outcomes: judged.map(({ item, outcome }) => ({
      ...{ name: item.name, weightage: 1, isWarning: false },
      // For rows, the percentage would be the share of equal rows. But an item that checks equality has 100 or 0.
      outcome: policy.asksEquality ? { ...outcome, rowsFailed: null } : outcome,
    })),
  })
  const points = judged.flatMap((one) => itemPoint(one, itemKey(policy, one.item, run)))
  return {
    outcomes: judged.map(({ item, outcome: { range: _, ...outcome } }) => ({ itemId: item.id, ...outcome })),
    qualityScore: score.qualityScore,
    verdict: score.verdict,
    scoreError: score.error,
    ...(key === undefined || points.length === 0 ? {} : judgedPoints([...points, ...scorePoint(policy, score, key)])),
  }
}

function itemPoint({ item, outcome, percentage }: JudgedItem, key: SeriesKey | undefined): JudgedPoint[] {
  const value = percentage === null ? undefined : keptFigure(percentage)
  if (value === undefined || key === undefined) return []
  const at = { itemId: item.id, metric: 'PERCENTAGE', columnName: item.columnName, key, value }
  return [{ ...at, ...anyValue, ...outcome.range, fired: outcome.verdict !== 'SUCCESSFUL' }]
}

function scorePoint({ score }: ComparisonPolicy, found: PolicyScore, key: SeriesKey): JudgedPoint[] {
  const { figure: value, range, verdict } = found
  const fired = score.verdictBy === 'SCORE' && verdict !== 'SUCCESSFUL'
  return value === null ? [] : [{ itemId: null, metric: 'SCORE', columnName: null, key, value, ...range, fired }]
}

const nothing: ItemOutcome = {
  ...{ verdict: 'ERRORED', resultPercentage: null, rowsScanned: null, rowsFailed: null, value: null, error: null },
}

function judgedItem(policy: ComparisonPolicy, item: RunItem, measured: MeasuredRun, history: History): JudgedItem {
  const measure = measures[item.measurementType]
  const { rows } = measured
  const problem = measured.problemOf(item)
  const isEmpty = measure.needsRows && rows.left + rows.right === 0
  const found = problem === undefined ? measure.judge(item, measured.of(item)) : { error: problem }
  const error = 'error' in found ? found.error : undefined
  const countsEmpty = policy.asksEquality || policy.treatZeroRowsAsSuccess
  if (error !== undefined || 'error' in found || (isEmpty && !countsEmpty)) {
    const why = isEmpty && problem === undefined ? 'no rows' : (error ?? 'no rows')
    const detail = detailOf(found, rows)
    return { item, percentage: null, outcome: { ...nothing, error: why, detail } }
  }
  const shown = withProof(policy, found, measured, item)
  const percentage = isEmpty ? exactHundred : ofPolicy(policy, shown.percentage)
  const before = { history: () => history, runStartedAt: new Date(history.now).toISOString() }
  const judgeBy = (exact: Exact, rowsFailed: number | null) =>
    byPercentage(
      {
        item: { thresholdConfig: thresholdOf(item) },
        base: { ...nothing, rowsScanned: shown.scanned, rowsFailed, value: shown.value ?? null },
        before,
      },
      exact,
    )
  const outcome = judgeBy(percentage, shown.failed)
  return {
    item,
    percentage,
    outcome: { ...outcome, ...warnedVerdict(policy, outcome, shown, judgeBy), detail: detailOf(shown, rows) },
  }
}

const ofPolicy = ({ asksEquality }: ComparisonPolicy, percentage: Exact): Exact =>
  asksEquality ? allOrNothing(compareExact(percentage, exactHundred) === 0) : percentage

/** Makes a failing item a warning instead of an error if its rows differ only in columns with `isWarning`. */
function warnedVerdict(
  policy: ComparisonPolicy,
  outcome: RangedOutcome,
  { unwarned }: Judgement,
  judgeBy: (exact: Exact, rowsFailed: number | null) => RangedOutcome,
): Pick<RangedOutcome, 'verdict'> {
  const { verdict } = outcome
  if (verdict !== 'ERRORED' || unwarned === undefined) return { verdict }
  const without = judgeBy(ofPolicy(policy, unwarned.percentage), unwarned.failed)
  return { verdict: without.verdict === 'ERRORED' ? 'ERRORED' : 'WARNING' }
}

function withProof(policy: ComparisonPolicy, found: Judgement, measured: MeasuredRun, item: RunItem): Judgement {
  const { comparison, percentage } = found
  if (!policy.asksEquality || comparison === undefined || compareExact(percentage, exactHundred) === 0) return found
  const proof = proofOf(measured.of(item))
  return proof === undefined ? found : { ...found, comparison: { ...comparison, proof } }
}

function detailOf(found: Judgement | Unmeasured, rows: MeasuredRun['rows']): ComparisonDetail {
  const scanned = { leftRowsScanned: rows.left, rightRowsScanned: rows.right }
  if ('error' in found) {
    const errors = { leftError: found.left ?? null, rightError: found.right ?? null }
    return {
      ...{ ...scanned, ...errors, leftRowsFailed: null, rightRowsFailed: null, leftResult: null, rightResult: null },
      ...{ warned: 0, comparison: null },
    }
  }
  const { figures, failedOf, warned = 0, comparison = null } = found
  return {
    ...{ ...scanned, leftError: null, rightError: null, leftResult: figures.left, rightResult: figures.right },
    ...{ leftRowsFailed: failedOf?.left ?? null, rightRowsFailed: failedOf?.right ?? null, warned, comparison },
  }
}
