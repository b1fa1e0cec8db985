export { detect, type Reading } from './anomaly/detect.ts'
export { limits, type Sensitivity } from './anomaly/sensitivity.ts'
export { kindOfType } from './column-types.ts'
export { missingColumn, type PlannedColumn, type Problem } from './definition.ts'
export type {
  ComparisonRequest,
  DescribeRequest,
  EachSide,
  Found,
  FoundSide,
  GivenSide,
  Histories,
  JudgedRun,
  LearnedData,
  LookBack,
  RunGiven,
  RunRequest,
  SideRequest,
} from './kinds/judging.ts'
export { kindOf } from './kinds/kind-of.ts'
export type {
  ItemReads,
  ItemRecords,
  KeptDefinition,
  KindPolicy,
  RunKind,
  SideDefinition,
} from './kinds/run-kind.ts'
export type { MarkedAsset, ReadMarker } from './marker-reading.ts'
export { markerKey, runWindow, storedMarkerProblem, storedWindow } from './markers.ts'
export { needsOf, readsOf } from './measurements/item-reads.ts'
export { allNeeds, type Needs, type Reads } from './measurements/reads.ts'
export { type PlannedItem, planItem } from './plan-item.ts'
export { inCommonBins } from './profiles/common-bins.ts'
export {
  type ColumnDistribution,
  columnDistributions,
  type Distributions,
} from './profiles/distribution.ts'
export { type ColumnFigures, figuresOf } from './profiles/figures.ts'
export { canMerge, mergeProfiles } from './profiles/merge-columns.ts'
export {
  filterReadsProtected,
  type MaskedTable,
  markerReadsProtected,
  type ProtectedTable,
  readsProtected,
  tablesReadBy,
} from './protected-reads.ts'
export { boundVariables, type References, type UdfTemplate, withVariables } from './references.ts'
export { daysToRead, type History, keptSeriesDays, suffices } from './series/look-back.ts'
export { countedPoints, isWhole, type Mark, type PointMark, pointMarks, startsBaseline } from './series/marks.ts'
export {
  dayMs,
  dayOf,
  mergedSummary,
  type SeriesDay,
  type SeriesPoint,
  type Summary,
  summaryOf,
} from './series/series-day.ts'
export type { SeriesKey } from './series/series-key.ts'
export {
  type Comparing,
  hasOwnThreshold,
  percentageProblem,
  readThreshold,
  thresholdOfPercentage,
  thresholdProblem,
  thresholdRecordOf,
  type Verdict,
} from './threshold.ts'
export { parseDuration } from './times.ts'
