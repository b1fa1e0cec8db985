import type { LookBack, RunGiven } from '../kinds/judging.ts'
import { columnKey, hashOf, type SeriesFrame, type SeriesKey } from '../series/series-key.ts'
import { readThreshold, type ThresholdRecord, thresholdOfPercentage, thresholdRecordOf } from '../threshold.ts'
import { type ComparisonPolicy, type RunItem, runItems } from './definition.ts'

/** The threshold of an item; by default, 100 %. */
export const thresholdOf = ({ thresholdConfig }: Pick<RunItem, 'thresholdConfig'>): ThresholdRecord =>
  thresholdConfig ?? thresholdRecordOf(thresholdOfPercentage(100))

/** What a run reads, for comparison with other runs; `undefined` for a run over a selected part of the data. */
function frameOf({ left }: ComparisonPolicy, run: RunGiven): SeriesFrame | undefined {
  const { executionType: scope, markKey } = run
  const [{ assetId, view }] = run.sides
  return scope === 'SELECTIVE' ? undefined : { assetId, view, scope, markKey, filter: left.filter }
}

/** The series of an item's percentage; `undefined` for a run over a selected part of the data. Pure. */
export function itemKey(policy: ComparisonPolicy, item: RunItem, run: RunGiven): SeriesKey | undefined {
  const frame = frameOf(policy, run)
  const { asksEquality, joinType, timeSecondsOffset, mappings, right } = policy
  const { measurementType, columnName, value } = item
  const other = { assetId: right.assetId, view: run.sides[1]?.view, filter: right.filter }
  const compared = { other, asksEquality, joinType, timeSecondsOffset, mappings }
  return frame && columnKey(columnName, { measurementType, value, ...compared }, frame)
}

/** The series of the score. Pure. */
export function scoreKey(policy: ComparisonPolicy, run: RunGiven): SeriesKey | undefined {
  const keys = runItems(policy, run.itemSelection).flatMap((item) => itemKey(policy, item, run) ?? [])
  const { strategy, items } = policy.score
  return keys.length === 0 ? undefined : hashOf({ figure: 'SCORE', strategy, items, keys: keys.sort() })
}

/** The series that thresholds of a run look back at. Pure. */
export function comparisonLookBacks(policy: ComparisonPolicy, run: RunGiven): LookBack[] {
  const comparing = (record: ThresholdRecord, key: SeriesKey | undefined): LookBack[] => {
    const read = readThreshold(record)
    return key !== undefined && 'comparing' in read ? [{ key, threshold: read.comparing }] : []
  }
  const { verdictBy, threshold } = policy.score
  const ofItems = runItems(policy, run.itemSelection).flatMap((item) =>
    comparing(thresholdOf(item), itemKey(policy, item, run)),
  )
  return verdictBy === 'SCORE' ? [...ofItems, ...comparing(threshold, scoreKey(policy, run))] : ofItems
}
