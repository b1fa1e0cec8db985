import { profileMetrics } from '@assay/contracts'
import { judgeReading, moreSensitive } from '../anomaly/judge-anomaly.ts'
import { readingsOf } from '../history.ts'
import type { Steps } from '../kinds/steps.ts'
import { anyValue, valueOfPoint } from '../series/judged-point.ts'
import type { HistoryBefore, JudgedAgain, PastRun } from '../what-if/past-run.ts'
import { type AnomalyPolicy, itemsOf, sensitivitiesOf } from './definition.ts'
import { figureOfMetric } from './series.ts'

/** The figures of an earlier run by the sensitivities of this policy. Pure. */
export function* judgeAnomaliesAgain(
  policy: AnomalyPolicy,
  { startedAt, judged }: PastRun,
  before: HistoryBefore,
): Steps<JudgedAgain[]> {
  const items = itemsOf(policy)
  const points: JudgedAgain[] = []
  for (const point of judged) {
    const item = items.find(({ id }) => id === point.itemId)
    const metric = profileMetrics.find((one) => one === point.metric)
    if (item === undefined || metric === undefined) continue
    const sensitivities = sensitivitiesOf(policy, item)
    const tested = { at: Date.parse(startedAt), value: valueOfPoint(point) }
    const earlier = { readings: readingsOf(before(point.key)), figure: figureOfMetric(metric) }
    const found = judgeReading(tested, earlier, sensitivities)
    points.push(
      found === undefined
        ? { ...point, ...anyValue, fired: false }
        : {
            ...point,
            ...found.range,
            fired: found.verdict !== 'SUCCESSFUL',
            sensitivity: moreSensitive(sensitivities),
          },
    )
    yield
  }
  return points
}
