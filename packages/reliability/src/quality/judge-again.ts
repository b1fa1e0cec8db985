import { type ItemRecord, itemKindOf } from '@assay/contracts'
import type { MetricResult } from '@assay/data-engine'
import { parseExact } from '../exact.ts'
import { judgeItem } from '../judge-item.ts'
import type { EndedItem } from '../kinds/run-kind.ts'
import type { Steps } from '../kinds/steps.ts'
import type { TagResult } from '../measurements/measurement.ts'
import type { ScoredItem } from '../score-policy.ts'
import { judgedFigure } from '../series/item-figures.ts'
import { instantText, parseInstant } from '../times.ts'
import type { HistoryBefore, JudgedAgain, PastRun } from '../what-if/past-run.ts'
import { scoreAgain, sensitivityOf } from '../what-if/score-again.ts'
import { type QualityPolicy, runItems } from './definition.ts'
import { itemPoints } from './points.ts'

/** The points of an earlier run, judged from its outcomes by the thresholds of this policy. Pure. */
export function* judgeQualityAgain(
  policy: QualityPolicy,
  { startedAt, outcomes, judged }: PastRun,
  before: HistoryBefore,
): Steps<JudgedAgain[]> {
  const { treatZeroRowsAsSuccess } = policy
  const keyOf = (itemId: number | null, metric: string) =>
    judged.find((point) => point.itemId === itemId && point.metric === metric)?.key ?? null
  const points: JudgedAgain[] = []
  const scored: ScoredItem[] = []
  for (const item of runItems(policy, null)) {
    const past = outcomes.find(({ itemId }) => itemId === item.id)
    if (past === undefined) continue
    const result = resultOf(item, past, startedAt)
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

/** The stored answer of the engine; `undefined` if the item could not be evaluated. */
function resultOf(item: ItemRecord, past: EndedItem, startedAt: string): MetricResult | TagResult | undefined {
  const { rowsScanned, rowsFailed, value, error, resultPercentage } = past
  const { id } = item
  if (error !== null) return undefined
  if (rowsFailed !== null) return { id, kind: 'rows', scanned: rowsScanned ?? 0, failed: rowsFailed }
  if (value === null) return { id, kind: 'tag', carried: resultPercentage === 100 }
  // The value of a freshness check is an age, and the engine's answer was a time.
  const text = itemKindOf(item.measurementType).measures === 'FACT' ? newestOf(value, startedAt) : value
  return text === undefined ? undefined : { id, kind: 'value', scanned: rowsScanned ?? 0, value: text }
}

function newestOf(age: string, startedAt: string): string | undefined {
  const [seconds, start] = [parseExact(age), parseInstant(startedAt)]
  if (seconds === undefined || start === undefined) return undefined
  const micros = (seconds.numerator * 1_000_000n) / seconds.denominator
  return instantText({ ...start, micros: start.micros - micros })
}
