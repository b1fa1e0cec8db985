import { type ItemRecord, itemKindOf } from '@assay/contracts'
import type { MetricResult } from '@assay/data-engine'
import { anomalyDetail } from '../anomaly/detail.ts'
import { parseExact } from '../exact.ts'
import { judgeByHistory } from '../history.ts'
import { judgeItem } from '../judge-item.ts'
import type { EndedItem } from '../kinds/run-kind.ts'
import type { Steps } from '../kinds/steps.ts'
import type { TagResult } from '../measurements/measurement.ts'
import type { ScoredItem } from '../score-policy.ts'
import { exactOfFigure } from '../series/figure.ts'
import { judgedFigure } from '../series/item-figures.ts'
import type { JudgedPoint } from '../series/judged-point.ts'
import { readThreshold } from '../threshold.ts'
import { instantText, parseInstant } from '../times.ts'
import type { HistoryBefore, JudgedAgain, PastRun } from '../what-if/past-run.ts'
import { scoreAgain, sensitivityOf } from '../what-if/score-again.ts'
import { type QualityPolicy, runItems } from './definition.ts'
import { sensitivitiesOf } from './periods.ts'
import { itemPoints } from './points.ts'

/** Judges the outcomes of an earlier run again, by the thresholds of this policy, and returns its points. Pure. */
export function* judgeQualityAgain(
  policy: QualityPolicy,
  { startedAt, outcomes, judged }: PastRun,
  before: HistoryBefore,
): Steps<JudgedAgain[]> {
  const { treatZeroRowsAsSuccess } = policy
  const keyOf = (itemId: number | null, metric: string) =>
    judged.find((point) => point.itemId === itemId && point.metric === metric)?.key ?? null
  const ofPeriods = judged.filter(({ periodEnd }) => periodEnd !== undefined)
  if (ofPeriods.length > 0) return yield* judgePeriodsAgain(policy, ofPeriods, before)
  const points: JudgedAgain[] = []
  const scored: ScoredItem[] = []
  for (const item of runItems(policy, null)) {
    const past = outcomes.find(({ itemId }) => itemId === item.id)
    if (past === undefined) continue
    const isByPeriod = sensitivitiesOf(item) !== undefined && wasByPeriod(past)
    const result = isByPeriod ? undefined : resultOf(item, past, startedAt)
    if (result === undefined) {
      const { detail: _, ...outcome } = past
      scored.push({ ...item, outcome })
      continue
    }
    const history = (figure: string) => before(keyOf(item.id, figure))
    const outcome = judgeItem({ item, result, runStartedAt: startedAt, treatZeroRowsAsSuccess, history })
    scored.push({ ...item, outcome })
    const sensitivity = sensitivityOf(item.thresholdConfig)
    for (const point of itemPoints(item, outcome, (figure) => keyOf(item.id, figure)))
      points.push(point.metric === judgedFigure(item) ? { ...point, ...sensitivity } : point)
    yield
  }
  const ofScore = judged.find(({ metric }) => metric === 'SCORE')
  if (ofScore === undefined) return points
  // A run of other items had another score.
  const isSame = scored.length === outcomes.length
  return [...points, scoreAgain(policy.score, { point: ofScore, scored: isSame ? scored : null }, before(ofScore.key))]
}

const wasByPeriod = ({ detail }: EndedItem) =>
  detail !== undefined && anomalyDetail.parse(detail).backfill !== undefined

/** The values of one period. An item whose threshold learns nothing judges runs and not periods. */
function* judgePeriodsAgain(
  policy: QualityPolicy,
  judged: readonly JudgedPoint[],
  before: HistoryBefore,
): Steps<JudgedAgain[]> {
  const items = new Map(runItems(policy, null).map((item) => [item.id, item]))
  const points: JudgedAgain[] = []
  for (const point of judged) {
    const item = items.get(point.itemId ?? 0)
    const read = item && readThreshold(item.thresholdConfig)
    if (item === undefined || read === undefined || !('comparing' in read) || read.comparing.type !== 'ANOMALY')
      continue
    const history = before(point.key)
    const { range, verdict } = judgeByHistory(exactOfFigure(point.value), read.comparing, history, judgedFigure(item))
    points.push({ ...point, ...range, fired: verdict !== 'SUCCESSFUL', ...sensitivityOf(item.thresholdConfig) })
    yield
  }
  return points
}

/** The stored answer of the engine; `undefined` if the item could not be evaluated. */
function resultOf(item: ItemRecord, past: EndedItem, startedAt: string): MetricResult | TagResult | undefined {
  const { rowsScanned, rowsFailed, value, error, resultPercentage } = past
  const { id } = item
  if (error !== null) return undefined
  if (rowsFailed !== null) return { id, kind: 'rows', scanned: rowsScanned ?? 0, failed: rowsFailed }
  if (value === null) return { id, kind: 'tag', carried: resultPercentage === 100 }
  // A freshness check judges an age, but the engine answered with a time.
  const text = itemKindOf(item.measurementType).measures === 'FACT' ? newestOf(value, startedAt) : value
  return text === undefined ? undefined : { id, kind: 'value', scanned: rowsScanned ?? 0, value: text }
}

function newestOf(age: string, startedAt: string): string | undefined {
  const [seconds, start] = [parseExact(age), parseInstant(startedAt)]
  if (seconds === undefined || start === undefined) return undefined
  const micros = (seconds.numerator * 1_000_000n) / seconds.denominator
  return instantText({ ...start, micros: start.micros - micros })
}
