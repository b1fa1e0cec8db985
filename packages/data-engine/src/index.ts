export {
  type AllowedBroker,
  type BrokerAccess,
  brokerAccessOf,
  parseAllowedBroker,
} from './broker-access.ts'
export { type ColumnPath, findColumnPath } from './column-path.ts'
export type {
  AgreeingRow,
  Compared,
  ComparedPair,
  ComparedSide,
  ComparedTable,
  ComparePlan,
  Difference,
  DifferingRow,
  KeptAgreeing,
  KeptDifferences,
} from './compare.ts'
export { currentDataset } from './current-dataset.ts'
export { type AllowedHost, type HostAccess, hostAccessOf, parseAllowedHost } from './databases/host-access.ts'
export { placeOf } from './databases/place.ts'
export { databaseSecrets } from './databases/settings.ts'
export {
  type CsvOptions,
  csvOptions,
  type DatabaseSource,
  type DatasetLocator,
  type Declared,
  type Discovered,
  type DiscoveredColumn,
  datasetLocator,
  declared,
  type FileFormat,
  fileFormat,
  isDatabaseSource,
  isFileSource,
  isRemoteSource,
  isServerSource,
  isStoreSource,
  isTrinoSource,
  type LineWarning,
  type LineWarnings,
  type QueryLocator,
  type RemoteSource,
  readRemoteSource,
  type SkippedFiles,
  type Source,
  source,
  type TableLocator,
} from './dataset.ts'
export type { Described, DescribedColumn, DescribePlan } from './described.ts'
export { keptName } from './kept-rows/format.ts'
export { keptRows } from './kept-rows/lines.ts'
export { type LastChange, type LastChangePlan, nothingKnown } from './last-change.ts'
export {
  hasDatedNames,
  infersTypes,
  isOfDatabase,
  isOfFiles,
  isOfTopic,
  isSetOfFiles,
  partitionsOf,
  usesRe2,
} from './locators.ts'
export { isMasked, type Mask, maskOfTable } from './mask.ts'
export { observedEngine } from './observed.ts'
export { type AllowedFolder, type PathAccess, parseAllowedFolder, pathAccessOf } from './path-access.ts'
export { fileDateColumn, type MeasuredPeriods, maxPeriods, type PeriodPlan } from './periods.ts'
export {
  type AggregateFunction,
  aggregateFunction,
  type Bound,
  bound,
  type KeptRows,
  type Lookup,
  type MeasurePlan,
  type Metric,
  type MetricResult,
  measurePlan,
  metric,
  type Predicate,
  type PreviewRow,
  predicate,
  type RowFormat,
  rowFormat,
  type SqlText,
  sqlText,
  type Variable,
  type Window,
  window,
} from './plan.ts'
export { canBeEqual } from './planner/compared-as.ts'
export type {
  CallLimits,
  ColumnInfo,
  DatabaseEngine,
  DataEngine,
  EngineCall,
  EngineQueue,
  KeptRowFiles,
  MeasureCall,
  Measured,
  MeasuringEngine,
  PageOfItem,
  Prepared,
  ProfileCall,
  Progress,
  RewriteRequest,
  RowOrder,
  SampleRows,
} from './port.ts'
export { type DatasetProfile, type KeepValues, keptLimits, type ProfilePlan } from './profile.ts'
export { foreignSelect } from './push-down/plain-select.ts'
export { createEngineRouter, type RoutedEngines } from './router.ts'
export { noRows, type RowPart, type RowSink, rowsInto } from './row-sink.ts'
export { queryOfRows, queryOver, selectWhere } from './sql/query-over.ts'
export { endsOf, longestName } from './sql/table-names.ts'
export { quotedNames, variableKeys } from './sql/tokens.ts'
export type { Form } from './sql/tree/guard.ts'
export {
  mayReadHidden,
  otherTables,
  type Readable,
  type Touched,
  touched,
  touchedTogether,
} from './sql/tree/touched.ts'
export { type WrittenText, writtenIn } from './sql/written-in.ts'
export type { StartedStatement, StartedStatements } from './started-statements.ts'
export {
  binOf,
  type ColumnState,
  type CountedValue,
  columnState,
  histogramBins,
  type KnownColumn,
  maxPatterns,
  maxValues,
  nearestRank,
  type PositionedValue,
  type ProfileValue,
  profiledFractions,
  profiledPatterns,
  profiledTop,
  roundedShape,
  type ShapeState,
  type Spread,
  type Sums,
  spread,
  type TextType,
  textTypes,
  type ValuesState,
  type WholeColumn,
} from './states/column-state.ts'
export { type ContentSketch, contentSketch, noContent, similarityOf, sketchOf } from './states/content-sketch.ts'
export { keyOf, maxBuckets, positionOf, rankOf, registerBits, registerOf, spreadOf } from './states/sketches.ts'
export { storeSecrets } from './stores/settings.ts'
export { formatOfLetters } from './strptime.ts'
export { type TakenRows, type TakePlan, takenTable } from './take.ts'
export { checkableNames, checkableType } from './types/checkable-type.ts'
export { formatType } from './types/format-type.ts'
export {
  integerLimits,
  isNested,
  isNumeric,
  isTemporal,
  type LogicalType,
  otherWord,
} from './types/logical-type.ts'
export { parseType } from './types/parse-type.ts'
