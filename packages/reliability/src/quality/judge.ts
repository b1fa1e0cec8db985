import type { ItemRecord } from '@assay/contracts'
import type { ItemOutcome, RangedOutcome } from '../item-outcome.ts'
import { judgeItem } from '../judge-item.ts'
import type { Found, FoundPeriods, FoundSide, Histories, JudgedRun, RunGiven } from '../kinds/judging.ts'
import type { Steps } from '../kinds/steps.ts'
import { judgedPeriods } from '../periods/judged-periods.ts'
import { scorePolicy } from '../score-policy.ts'
import { type Figure, judgedFigure } from '../series/item-figures.ts'
import { type JudgedPoint, judgedPoints } from '../series/judged-point.ts'
import type { History } from '../series/look-back.ts'
import type { SeriesKey } from '../series/series-key.ts'
import { type QualityPolicy, runItems } from './definition.ts'
import { itemPeriods, sensitivitiesOf, valuesOf } from './periods.ts'
import { itemPoints, scorePoints } from './points.ts'
import { type RunSeries, runSeries } from './series.ts'
import { byPeriods, withUsual } from './usual.ts'

/**
 * Judges the items and the policy, and returns the points that the run adds to its series. An item without a result
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
  const measured = itemPeriods(policy, run)
  const keys = measured?.items.map(({ key }) => key) ?? []
  const periods = measured && judgedPeriods(measured.periods, { run, found: all, past, keys }, valuesOf(measured))
  const byPeriod = all.find((one) => one.kind === 'PERIODS')
  const rows = byPeriod?.periods.at(-1)?.rows ?? 0
  const judged: Judged[] = []
  for (const item of runItems(policy, itemSelection)) {
    const result = results.get(item.id) ?? {
      id: item.id,
      kind: 'error' as const,
      message: found.problems.get(item.id) ?? 'The engine gave no result for this item.',
    }
    const sensitivities = sensitivitiesOf(item)
    const key = sensitivities && measured?.keyOf(item.id)
    const history = (figure: Figure) => historyOf(series?.item(item.id, figure))
    const ofItem = { item, result, runStartedAt, treatZeroRowsAsSuccess }
    yield
    if (sensitivities === undefined) judged.push({ item, outcome: judgeItem({ ...ofItem, history }) })
    else if (key !== undefined && periods?.has(key) === true && result.kind !== 'error') {
      const given = { key, periods, rows, treatZeroRowsAsSuccess }
      const { periodPoints, ...outcome } = yield* byPeriods(item, sensitivities, judgeItem(ofItem), given)
      judged.push({ item, outcome, periodPoints })
    } else {
      const outcome = judgeItem({ ...ofItem, history })
      const given = { outcome, history: history(judgedFigure(item)), startedAt: runStartedAt }
      judged.push({ item, outcome: outcome.error === null ? withUsual(item, sensitivities, given) : outcome })
    }
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
  const reasonOf = (itemId: number) => {
    const key = measured?.keyOf(itemId)
    const notBackfilled =
      measured?.notBackfilled.get(itemId) ?? notMeasured(key, itemId, byPeriod) ?? (key && periods?.leftOut)
    return notBackfilled === undefined ? {} : { notBackfilled }
  }
  return {
    outcomes: judged.map(({ item, outcome: { range: _, ...outcome }, periodPoints }) => ({
      itemId: item.id,
      ...(isNothingNew && periodPoints === undefined ? withNothingNew(outcome, mark) : outcome),
      ...reasonOf(item.id),
    })),
    ...(series ? pointsOf(series, judged, scorePoints(score, scored, series.score)) : {}),
    ...(periods === undefined ? {} : { learned: periods.learned }),
    ...(periods === undefined || periods.points.ends.length === 0 ? {} : { periods: periods.points }),
    qualityScore: score.qualityScore,
    verdict: score.verdict,
    scoreError: score.error,
  }
}

/** Why an item that has periods was not measured in them. The ids of its metrics are those of the items. */
function notMeasured(key: SeriesKey | undefined, itemId: number, byPeriod: FoundPeriods | undefined) {
  return key === undefined ? undefined : (byPeriod?.problem ?? byPeriod?.leftOut?.get(itemId))
}

/** `periodPoints`: the points of an item that was judged by period. */
interface Judged {
  item: ItemRecord
  outcome: RangedOutcome
  periodPoints?: JudgedPoint[]
}

/**
 * The points of a run. There is no point of the score if no item was measured. If an item was judged by period, the
 * value of the run matters only to later runs with another threshold.
 */
function pointsOf(series: RunSeries, judged: readonly Judged[], ofScore: JudgedPoint[]) {
  const ofItems = judged.flatMap(({ item, outcome, periodPoints }) => {
    const points = itemPoints(item, outcome, (figure) => series.item(item.id, figure) ?? null)
    const isJudged = ({ metric }: JudgedPoint) => periodPoints === undefined || metric !== judgedFigure(item)
    return [...points.map((point) => ({ point, isJudged: isJudged(point) }))]
  })
  const all = ofItems.length === 0 ? [] : [...ofItems.map(({ point }) => point), ...ofScore]
  const own = ofItems.flatMap(({ point, isJudged }) => (isJudged ? [point] : []))
  const ofPeriods = judged.flatMap(({ periodPoints = [] }) => periodPoints)
  return { ...judgedPoints(all), judged: [...own, ...ofPeriods, ...(ofItems.length === 0 ? [] : ofScore)] }
}

const nothingFound: FoundSide = { kind: 'MEASURE', side: 'ONE', results: [], problems: new Map(), rowsScanned: 0 }

/**
 * Adds the reason to each item over rows. The policy decides whether zero rows are an error (`treatZeroRowsAsSuccess`).
 */
function withNothingNew(outcome: ItemOutcome, mark: string): ItemOutcome {
  if (outcome.rowsScanned !== 0) return outcome
  const why = `There are no new rows since the mark ${mark}`
  const note = outcome.error === null ? `${why}.` : `${why}; with treatZeroRowsAsSuccess that counts as success.`
  return { ...outcome, note }
}
