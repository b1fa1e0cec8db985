import { watchedMetrics } from '@assay/contracts'
import { moreSensitive } from '../anomaly/judge-anomaly.ts'
import { readingsOf, testedReading } from '../history.ts'
import type { Steps } from '../kinds/steps.ts'
import { anyValue, valueOfPoint } from '../series/judged-point.ts'
import type { HistoryBefore, JudgedAgain, PastRun } from '../what-if/past-run.ts'
import { type AnomalyPolicy, itemsOf, sensitivitiesOf } from './definition.ts'
import { judgeFigure } from './judge-figure.ts'

/** Judges the figures of an earlier run again, by the sensitivities of this policy. Pure. */
export function* judgeAnomaliesAgain(
  policy: AnomalyPolicy,
  { judged }: PastRun,
  before: HistoryBefore,
): Steps<JudgedAgain[]> {
  const items = itemsOf(policy)
  const points: JudgedAgain[] = []
  for (const point of judged) {
    const item = items.find(({ id }) => id === point.itemId)
    const metric = watchedMetrics.find((one) => one === point.metric)
    if (item === undefined || metric === undefined) continue
    const sensitivities = sensitivitiesOf(policy, item)
    const history = before(point.key)
    const tested = testedReading(history, valueOfPoint(point))
    const found = judgeFigure(metric, tested, { readings: readingsOf(history), sensitivities })
    const sensitivity = moreSensitive(sensitivities)
    points.push(
      found === undefined
        ? { ...point, ...anyValue, fired: false }
        : { ...point, ...found.range, fired: found.verdict !== 'SUCCESSFUL', sensitivity },
    )
    yield
  }
  return points
}
