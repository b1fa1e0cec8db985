import type { WatchedMetric } from '@assay/contracts'
import type { Reading } from '../anomaly/detect.ts'
import { type JudgedReading, judgeReading, type Sensitivities } from '../anomaly/judge-anomaly.ts'
import { figureOfMetric } from './series.ts'

/** The verdict on a watched figure by its earlier values; `undefined` if there are too few. Pure. */
export function judgeFigure(
  metric: WatchedMetric,
  tested: Reading,
  { readings, sensitivities }: { readings: readonly Reading[]; sensitivities: Sensitivities },
): JudgedReading | undefined {
  const judged = judgeReading(tested, { readings, figure: figureOfMetric(metric) }, sensitivities)
  return judged && metric === 'FRESHNESS' ? ifOld(judged) : judged
}

/** Data that is fresher than usual does not fire. */
function ifOld(judged: JudgedReading): JudgedReading {
  const range = { ...judged.range, lower: null }
  return judged.detection.score < 0 ? { ...judged, range, verdict: 'SUCCESSFUL', usual: null } : { ...judged, range }
}
