import type { Anomaly, BackfilledPeriods } from '@assay/contracts'
import { readingsOf, testedReading } from '../history.ts'
import type { Figure } from '../series/item-figures.ts'
import type { History } from '../series/look-back.ts'
import { type AnomalyDetail, bounded, maxAnomalies } from './detail.ts'
import { expectedOf } from './expected-alarms.ts'
import { bandOf, type JudgedReading, judgeReading, moreSensitive, type Sensitivities } from './judge-anomaly.ts'
import { minReadings } from './predict.ts'

/** The series of an item. */
export interface WatchedSeries extends Pick<Anomaly, 'metric' | 'columnName'> {
  figure: Figure
  sensitivities: Sensitivities
  /** States a value, such as `The value is 12.`. */
  sentenceOf(shown: string): string
}

/** A value to judge by the earlier values of its series. */
export interface TestedValue {
  /** ISO 8601 UTC. */
  at: string
  value: number
  history: History
  /** The value belongs to a period before the newest one, so it decides no verdict. */
  isEarlier: boolean
}

export interface JudgedValue extends TestedValue {
  /** `undefined`: there are too few earlier values. */
  judged: JudgedReading | undefined
  /** The number of earlier values. */
  known: number
}

/** The verdict on a value. Pure. */
export function judgeValue({ figure, sensitivities }: WatchedSeries, tested: TestedValue): JudgedValue {
  const { history, value } = tested
  const readings = readingsOf(history)
  const judged = judgeReading(testedReading(history, value), { readings, figure }, sensitivities)
  return { ...tested, judged, known: readings.length }
}

/** The findings of an item with one series. At most one of `values` does not belong to an earlier period. Pure. */
export function detailOfValues(
  series: WatchedSeries,
  values: readonly JudgedValue[],
  backfill: BackfilledPeriods | undefined,
): AnomalyDetail {
  const anomalies = values
    .flatMap((value) => anomalyOf(series, value) ?? [])
    .sort((one, other) => (one.at < other.at ? 1 : -1))
    .sort((one, other) => Number(other.fired) - Number(one.fired))
  const newest = values.find(({ isEarlier }) => !isEarlier)
  const isLearning = newest !== undefined && newest.judged === undefined
  const histories = newest === undefined || isLearning ? [] : [newest.history]
  return {
    anomalies: anomalies.slice(0, maxAnomalies),
    anomalyCount: anomalies.length,
    expectedFalseAlarmsPerMonth: expectedOf(moreSensitive(series.sensitivities), histories),
    state: isLearning ? 'LEARNING' : 'JUDGED',
    learned: isLearning ? { points: newest.known, needed: minReadings } : null,
    ...(backfill === undefined ? {} : { backfill }),
  }
}

function anomalyOf(series: WatchedSeries, { judged, value, at }: JudgedValue): Anomaly | undefined {
  if (judged === undefined) return undefined
  const { metric, columnName, sensitivities } = series
  const { detection, verdict, usual, shown } = judged
  const { lower, upper } = bandOf(detection, moreSensitive(sensitivities), sensitivities)
  return {
    ...{ metric, columnName, at, value: bounded(value), expected: bounded(detection.expected) },
    ...{ lower: bounded(lower), upper: bounded(upper), score: bounded(detection.score) },
    ...{ fired: verdict !== 'SUCCESSFUL', reason: usual && `${series.sentenceOf(shown)} ${usual}` },
  }
}
