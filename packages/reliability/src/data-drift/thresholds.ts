import { detect } from '../anomaly/detect.ts'
import { expectedOf } from '../anomaly/expected-alarms.ts'
import type { Sensitivity } from '../anomaly/sensitivity.ts'
import { readingsOf, testedReading } from '../history.ts'
import type { LookBack, RunGiven } from '../kinds/judging.ts'
import type { History } from '../series/look-back.ts'
import { columnKey, type SeriesFrame, type SeriesKey } from '../series/series-key.ts'
import { type Comparing, readThreshold } from '../threshold.ts'
import type { DataDriftItem, DataDriftPolicy } from './definition.ts'

/** The limit of an item, in percent. The item fires if its drift is above the limit. */
export interface Limit {
  threshold: number
  thresholdBy: 'GIVEN' | 'LEARNED' | 'DEFAULT'
  /** `null` means that the threshold was given. */
  learned: { points: number; needed: number } | null
  /** Absent if the threshold is not learned. */
  expectedFalseAlarmsPerMonth?: number
}

/** The limit in percent until enough runs are known. */
const defaultThreshold = 10
/** Minimum number of runs from which a threshold is learned. */
const neededPoints = 10
/** A learned threshold is at least 1 %, so that a table that never changed may change a little. */
const leastThreshold = 1

/** The sensitivity of an item whose threshold is learned; `undefined` if its threshold was given. */
export function sensitivityOf({ thresholdConfig }: DataDriftItem): Sensitivity | undefined {
  const read = thresholdConfig === null ? undefined : readThreshold(thresholdConfig)
  if (read === undefined || !('comparing' in read) || read.comparing.type !== 'ANOMALY') return undefined
  return read.comparing.config.successSensitivityLevel
}

/** What a run reads, for comparison with other runs; `undefined` for a run over a selected part of the data. */
function frameOf({ filter }: DataDriftPolicy, run: RunGiven): SeriesFrame | undefined {
  const { executionType: scope, markKey } = run
  const [{ assetId, view }] = run.sides
  return scope === 'SELECTIVE' ? undefined : { assetId, view, scope, markKey, filter }
}

/** Profiles with the same scope are of the same part of the same table. */
export function scopeOf(policy: DataDriftPolicy, run: RunGiven): string {
  const frame = frameOf(policy, run)
  return frame === undefined ? 'SELECTIVE' : columnKey(null, {}, frame)
}

/** The series of an item's drift; `undefined` for a run over a selected part of the data. */
export function driftKey(policy: DataDriftPolicy, item: DataDriftItem, run: RunGiven): SeriesKey | undefined {
  const frame = frameOf(policy, run)
  const { columnName, measure, metricType } = item
  return frame && columnKey(columnName, { drift: measure ?? metricType, baseline: policy.baseline }, frame)
}

const anomalyAt = (sensitivity: Sensitivity): Comparing => ({
  type: 'ANOMALY',
  config: { successSensitivityLevel: sensitivity, warningSensitivityLevel: undefined },
})

/** The series that learned thresholds look back at. */
export function driftLookBacks(policy: DataDriftPolicy, items: readonly DataDriftItem[], run: RunGiven): LookBack[] {
  return items.flatMap((item) => {
    const sensitivity = sensitivityOf(item)
    const key = driftKey(policy, item, run)
    if (sensitivity === undefined || key === undefined) return []
    return [{ key, threshold: anomalyAt(sensitivity) }]
  })
}

/** The threshold of an item: the given one, else one learned from the item's own history, else the default. */
export function limitOf(item: DataDriftItem, driftPercent: number, history: History | undefined): Limit {
  const sensitivity = sensitivityOf(item)
  if (sensitivity === undefined) return { threshold: item.driftThreshold, thresholdBy: 'GIVEN', learned: null }
  const readings = history === undefined ? [] : readingsOf(history)
  const learned = { points: readings.length, needed: neededPoints }
  const byDefault: Limit = { threshold: defaultThreshold, thresholdBy: 'DEFAULT', learned }
  if (history === undefined || readings.length < neededPoints) return byDefault
  const detection = detect(readings, testedReading(history, driftPercent), 'DISTANCE')
  if (detection === undefined) return byDefault
  const { upper } = detection.band(sensitivity)
  const threshold = Math.max(leastThreshold, Number(upper.toFixed(4)))
  const expectedFalseAlarmsPerMonth = expectedOf(sensitivity, [history])
  return { threshold, thresholdBy: 'LEARNED', learned, expectedFalseAlarmsPerMonth }
}
