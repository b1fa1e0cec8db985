import type { ScoreStrategy, VerdictBasis } from '@assay/contracts'
import { moreSensitive, sensitivitiesIn } from '../anomaly/judge-anomaly.ts'
import type { Sensitivity } from '../anomaly/sensitivity.ts'
import { judgeScore, type ScoredItem, scorePolicy } from '../score-policy.ts'
import { exactOfFigure } from '../series/figure.ts'
import { anyValue, type JudgedPoint } from '../series/judged-point.ts'
import type { History } from '../series/look-back.ts'
import { readThreshold, type ThresholdRecord } from '../threshold.ts'
import type { JudgedAgain } from './past-run.ts'

/** How a policy scores its items. */
interface Scoring {
  strategy: ScoreStrategy
  items: readonly string[]
  threshold: ThresholdRecord
  verdictBy: VerdictBasis
}

/**
 * Judges the score of a run by the threshold of a policy. `scored`: its items, judged again; null if the stored score
 * counts. Pure.
 */
export function scoreAgain(
  score: Scoring,
  { point, scored }: { point: JudgedPoint; scored: readonly ScoredItem[] | null },
  history: History,
): JudgedAgain {
  const of = { strategy: score.strategy, scoreItems: score.items, thresholdLevel: score.threshold, history }
  const again = scored === null ? null : scorePolicy({ ...of, verdictBy: score.verdictBy, outcomes: scored })
  const value = again?.figure ?? point.value
  if (score.verdictBy === 'ITEMS') return { ...point, ...anyValue, value, fired: false }
  const found = judgeScore(exactOfFigure(value), score.threshold, history)
  const fired = found.verdict !== 'SUCCESSFUL'
  return { ...point, ...found.range, value, fired, ...sensitivityOf(score.threshold) }
}

/** The sensitivity of a threshold that detects anomalies; `undefined` for other thresholds. Pure. */
export function sensitivityOf(record: ThresholdRecord): { sensitivity?: Sensitivity } {
  const read = readThreshold(record)
  if (!('comparing' in read) || read.comparing.type !== 'ANOMALY') return {}
  return { sensitivity: moreSensitive(sensitivitiesIn(read.comparing)) }
}
