import type { Threshold } from '@assay/contracts'
import { expectedOf } from '../anomaly/expected-alarms.ts'
import { moreSensitive, sensitivitiesIn } from '../anomaly/judge-anomaly.ts'
import { minReadings } from '../anomaly/predict.ts'
import type { Exact } from '../exact.ts'
import { judgeByHistory } from '../history.ts'
import type { Histories, LookBack, RunGiven } from '../kinds/judging.ts'
import { keptFigure } from '../series/figure.ts'
import { anyValue, type JudgedPoint } from '../series/judged-point.ts'
import { type History, usualPoints } from '../series/look-back.ts'
import { hashOf, type SeriesKey } from '../series/series-key.ts'
import { type Comparing, judge, type ReadThreshold, rangeOf, readThreshold } from '../threshold.ts'
import type { ArrivalPolicy, OwnItem } from './definition.ts'
import { learningOf } from './findings.ts'
import type { Finding } from './outcome.ts'

/** An item whose number is judged. `own` is null for an inferred item. */
export interface NumberItem {
  id: number
  measurementType: string
  columnName: string | null
  own: Pick<OwnItem, 'thresholdConfig'> | null
}

/** The threshold of an item. Without one of its own, the number is compared with its usual values (decision 114). Pure. */
export function thresholdOf({ own }: Pick<NumberItem, 'own'>, { sensitivity }: ArrivalPolicy): ReadThreshold {
  if (own?.thresholdConfig != null) return readThreshold(own.thresholdConfig)
  const usual: Threshold = {
    type: 'ANOMALY',
    config: { successSensitivityLevel: sensitivity, warningSensitivityLevel: undefined },
  }
  return { comparing: usual }
}

/**
 * The series of an item's number. `undefined` for a run over a selected part of the data, which cannot be compared with
 * any other run. Pure.
 */
export function keyOfNumber(item: NumberItem, policy: ArrivalPolicy, run: RunGiven): SeriesKey | undefined {
  if (run.executionType === 'SELECTIVE') return undefined
  const [{ assetId, view = null }] = run.sides
  const { measurementType, columnName } = item
  const scope = run.executionType === 'FULL' ? {} : { scope: run.executionType, markKey: run.markKey }
  const filter = policy.filter?.trim() || null
  return hashOf({ assetId, view, figure: 'ARRIVAL', measurementType, columnName, filter, ...scope })
}

/** The series that the thresholds of items look back at. Pure. */
export function lookBacksOfNumbers(items: readonly NumberItem[], policy: ArrivalPolicy, run: RunGiven): LookBack[] {
  return items.flatMap((item) => {
    const read = thresholdOf(item, policy)
    const key = keyOfNumber(item, policy, run)
    return 'comparing' in read && key !== undefined ? [{ key, threshold: read.comparing }] : []
  })
}

/** The verdict on the number of an item. Pure. */
export function judgeNumber(
  value: Exact,
  item: NumberItem,
  { policy, run, past }: { policy: ArrivalPolicy; run: RunGiven; past: Histories },
): Finding {
  const read = thresholdOf(item, policy)
  if ('problem' in read) return { verdict: 'ERRORED', resultPercentage: null, error: read.problem, detail: {} }
  const key = keyOfNumber(item, policy, run)
  const none: History = { now: Date.parse(run.startedAt), days: [] }
  const history = (key === undefined ? undefined : past.get(key)) ?? none
  const judged =
    'threshold' in read
      ? { verdict: judge(value, read.threshold), range: rangeOf(read.threshold) }
      : judgeByHistory(value, read.comparing, history, 'NUMBER')
  const learning = 'comparing' in read ? learningBy(read.comparing, history) : {}
  return { ...judged, resultPercentage: judged.verdict === 'SUCCESSFUL' ? 100 : 0, detail: learning }
}

/** The number of an item as it was judged; none if it has no series, or too many digits to store. Pure. */
export function pointsOfNumber(
  value: Exact,
  item: NumberItem,
  { verdict, range = anyValue }: Finding,
  { policy, run }: { policy: ArrivalPolicy; run: RunGiven },
): JudgedPoint[] {
  const { id: itemId, measurementType: metric, columnName } = item
  const [figure, key] = [keptFigure(value), keyOfNumber(item, policy, run)]
  if (figure === undefined || key === undefined) return []
  const of = { key, value: figure }
  return [{ itemId, metric, columnName, ...of, ...range, fired: verdict !== 'SUCCESSFUL' }]
}

/** What the detector learned, if it judges the item. `expectedFalseAlarmsPerMonth` is 0 until it does. */
function learningBy(threshold: Comparing, history: History): Finding['detail'] {
  if (threshold.type !== 'ANOMALY') return {}
  const points = usualPoints(history).length
  const isLearning = points < minReadings
  return {
    ...(isLearning ? learningOf(points, minReadings) : {}),
    expectedFalseAlarmsPerMonth: expectedOf(moreSensitive(sensitivitiesIn(threshold)), isLearning ? [] : [history]),
  }
}
