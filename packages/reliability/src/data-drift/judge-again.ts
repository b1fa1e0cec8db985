import type { Steps } from '../kinds/steps.ts'
import { valueOfPoint } from '../series/judged-point.ts'
import type { HistoryBefore, JudgedAgain, PastRun } from '../what-if/past-run.ts'
import type { DataDriftPolicy } from './definition.ts'
import { limitOf, sensitivityOf } from './thresholds.ts'

/** Judges the drift of an earlier run again, by the thresholds of this policy. Pure. */
export function* judgeDriftAgain(
  { items }: DataDriftPolicy,
  { judged }: PastRun,
  before: HistoryBefore,
): Steps<JudgedAgain[]> {
  const points: JudgedAgain[] = []
  for (const point of judged) {
    const item = items.find(({ id }) => id === point.itemId)
    if (item === undefined) continue
    const drift = valueOfPoint(point)
    const { threshold, thresholdBy } = limitOf(item, drift, before(point.key))
    const sensitivity = thresholdBy === 'LEARNED' ? sensitivityOf(item) : undefined
    const range = { upper: threshold, fired: drift > threshold }
    points.push({ ...point, ...range, ...(sensitivity === undefined ? {} : { sensitivity }) })
    yield
  }
  return points
}
