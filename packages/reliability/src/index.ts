export { detect, type Reading } from './anomaly/detect.ts'
export { expectedFalseAlarms } from './anomaly/expected-alarms.ts'
export { type JudgedReading, judgeReading, moreSensitive } from './anomaly/judge-anomaly.ts'
export { limits, type Sensitivity } from './anomaly/sensitivity.ts'
export { neededBy } from './arrival/cadence-figures.ts'
export { kindOfType } from './column-types.ts'
export { hiddenInPairs } from './comparison/hidden-columns.ts'
export { inShares, jensenShannonDistance } from './data-drift/divergences.ts'
export { comparable, measured } from './data-drift/measures.ts'
export { missingColumn, type PlannedColumn, type Problem } from './definition.ts'
export { itemKindOf } from './kinds/item-kind.ts'
export type {
  BaselineProfile,
  ComparisonRequest,
  DescribeRequest,
  EachSide,
  Found,
  FoundPeriods,
  FoundSide,
  GivenSide,
  Histories,
  JudgedRun,
  LastChangeRequest,
  LearnedData,
  LookBack,
  PeriodPoints,
  PeriodsRequest,
  ProfileRequest,
  RunGiven,
  RunRequest,
  SideRequest,
} from './kinds/judging.ts'
export { kindOf } from './kinds/kind-of.ts'
export type {
  BaselineRuns,
  ItemReads,
  ItemRecords,
  KeptDefinition,
  KindPolicy,
  RunKind,
  SideDefinition,
  StartCause,
  TableSettings,
} from './kinds/run-kind.ts'
export type { Steps } from './kinds/steps.ts'
export type { MarkedAsset, ReadMarker } from './marker-reading.ts'
export { markerKey, runWindow, storedMarkerProblem, storedWindow } from './markers.ts'
export { needsOf, readsOf } from './measurements/item-reads.ts'
export { allNeeds, type Needs, type Reads } from './measurements/reads.ts'
export { mergeResults } from './partitions/merge-results.ts'
export { whyNotMerged } from './partitions/whether-merged.ts'
export { type PlannedItem, planItem } from './plan-item.ts'
export { hasMetric } from './profiles/column-metric.ts'
export { inCommonBins } from './profiles/common-bins.ts'
export {
  type ColumnDistribution,
  columnDistributions,
  type Distributions,
  distributions,
} from './profiles/distribution.ts'
export { type ColumnFigures, figuresOf } from './profiles/figures.ts'
export { canMerge, mergeProfiles, type ProfileState } from './profiles/merge-columns.ts'
export { noMoreFigures } from './profiles/more-figures.ts'
export {
  filterReadsProtected,
  type MaskedTable,
  markerReadsProtected,
  type ProtectedTable,
  readsProtected,
  tablesReadBy,
} from './protected-reads.ts'
export { sensitivitiesOf } from './quality/periods.ts'
export { boundVariables, type References, type UdfTemplate, withVariables } from './references.ts'
export { changesBetween, type FoundChange } from './schema-drift/changes.ts'
export { type JudgedPoint, valueOfPoint } from './series/judged-point.ts'
export { daysToRead, type History, keptSeriesDays, suffices, windowMs } from './series/look-back.ts'
export { countedPoints, isWhole, type Mark, startsBaseline } from './series/marks.ts'
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
export type { Profiled } from './suggestions/profiled.ts'
export { suggestionsFor } from './suggestions/suggest.ts'
export { suggestionId, suggestionOf } from './suggestions/suggestion-id.ts'
export {
  type Comparing,
  countsRows,
  hasOwnThreshold,
  percentageProblem,
  readThreshold,
  scoreThresholdProblem,
  thresholdOfPercentage,
  thresholdProblem,
  thresholdRecordOf,
  type Verdict,
} from './threshold.ts'
export { instantOfText, parseDuration } from './times.ts'
export type { EarlierValues, Origin, PastRun } from './what-if/past-run.ts'
export { type WhatIf, whatIf } from './what-if/what-if.ts'
