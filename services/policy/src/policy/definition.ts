import type {
  AnomalyStrength,
  ArrivalMeasurement,
  DriftMeasure,
  DriftMetric,
  MeasurementType,
  PolicyType,
  ProfileMetric,
  ReconciliationMeasurement,
  ScheduledExecutionType,
  ScoreStrategy,
  VerdictBasis,
} from '@assay/contracts'
import type { JsonObject, JsonValue } from '@assay/event-store'
import { type StoredThreshold, thresholdOfScore } from './stored-threshold.ts'

type Label = { key: string; value: string }

/**
 * An item of data quality. `value`: the parameters of its measurement. `isDimension`, `labels` and `businessExplanation` are
 * only shown.
 */
export type ItemDefinition = {
  id: number
  name: string
  measurementType: MeasurementType
  columnName: string | null
  executionOrder: number
  value: JsonObject | null
  ruleExpression: string | null
  /** In percent. */
  resultThreshold: number
  thresholdConfig: StoredThreshold
  weightage: number
  aggregateType: 'SUM' | 'AVG' | 'MIN' | 'MAX' | 'COUNT' | 'RULE' | 'CUSTOM'
  isWarning: boolean
  isDimension: boolean
  filter: string | null
  businessExplanation: string | null
  labels: Label[]
}

/** `thresholdConfig`: `null` means the default of the type. */
type CommonItem = { id: number; executionOrder: number; thresholdConfig: StoredThreshold | null }

export type ReconciliationItem = CommonItem & {
  measurementType: ReconciliationMeasurement
  columnName: string | null
  value: JsonObject | null
}

/** A pair of columns to compare. `null` in `tolerance` means none. */
export type Mapping = {
  id: number
  leftColumnName: string
  rightColumnName: string
  name: string
  operation: 'EQ' | 'NOT_EQ' | 'GTE' | 'GT' | 'LTE' | 'LT'
  mappingType: 'AUTO' | 'MANUAL'
  useForJoining: boolean
  ignoreNullValues: boolean
  isJoinColumnUsedForMeasure: boolean
  isWarning: boolean
  weightage: number
  tolerance: {
    absolute: number | null
    relative: number | null
    timeUnit: 'MILLISECONDS' | 'SECONDS' | 'MINUTES' | 'HOURS' | 'DAYS' | null
    trim: boolean
    ignoreCase: boolean
  } | null
  businessExplanation: string | null
  labels: Label[]
}

export type DataDriftItem = CommonItem & {
  name: string
  columnName: string | null
  metricType: DriftMetric
  /** In percent. */
  driftThreshold: number
  /** `null` means the change of the metric. */
  measure: DriftMeasure | null
  weightage: number
  value: JsonObject | null
}

export type SchemaDriftItem = CommonItem & {
  assetId: number
  schemaDriftRuleConfig: {
    assetAddition: boolean
    assetDeletion: boolean
    assetMetaData: boolean
    metaDataConfigs: string[]
    assetRelationChange: boolean | null
    dataType: boolean | null
  } | null
}

export type AnomalyItem = CommonItem & {
  name: string
  /** `null` means all columns. */
  monitorColumns: string[] | null
  /** `null` means all metrics that the policy's type watches. */
  metrics: ProfileMetric[] | null
}

export type ArrivalItem = CommonItem & {
  displayName: string
  measurementType: ArrivalMeasurement
  columnName: string | null
  /** ISO 8601 duration; `null` means the usual age. */
  value: { maxAge: string } | null
}

export type Target = {
  assetId: number
  uid: string
  marker: { type: string; [key: string]: JsonValue } | null
}

/** The common part of a version of a policy. It includes `enabled`: changing that makes a new version. */
export type DefinitionFrame = {
  name: string
  description: string
  enabled: boolean
  /** For reconciliation and equality: the left one. */
  target: Target
  thresholdLevel: StoredThreshold
  verdictBy: VerdictBasis
  policyScoreStrategy: ScoreStrategy
  scoreItems: string[]
  includeInQualityScore: boolean
  treatZeroRowsAsSuccess: boolean
  /** For RECONCILIATION and EQUALITY: the filter of the left side. */
  filter: string | null
  scheduled: boolean
  schedule: string | null
  timeZone: string
  /** `null` means INCREMENTAL if there is a stored marker, otherwise FULL. */
  scheduleExecutionType: ScheduledExecutionType | null
  executionTimeoutInMinutes: number | null
  labels: Label[]
  /** Absent in older definitions. */
  notificationChannels?: JsonObject | null
}

/** Periods of the past that runs also measure. `columnName`: the column with the time of a row. `from`: ISO 8601. */
type Backfill = {
  enabled: boolean
  columnName: string | null
  granularity: 'DAY' | 'HOUR'
  from: string | null
}

export type QualityDefinition = DefinitionFrame & {
  type: 'DATA_QUALITY'
  /** Absent: as by default. */
  backfill?: Backfill
  items: ItemDefinition[]
}
export type ReconciliationDefinition = DefinitionFrame & {
  type: 'RECONCILIATION' | 'EQUALITY'
  rightTarget: Target
  rightFilter: string | null
  joinType: 'INNER' | 'LEFT' | 'RIGHT' | 'FULL' | 'CROSS' | null
  timeSecondsOffset: number
  delayInMinutes: number | null
  items: ReconciliationItem[]
  mappings: Mapping[]
}
export type DataDriftDefinition = DefinitionFrame & {
  type: 'DATA_DRIFT'
  interval: string
  baseline:
    | { type: 'PREVIOUS' }
    | { type: 'WINDOW'; window: number; windowType: 'RUNS' | 'DAYS' | 'HOURS' | 'MINUTES' }
    | { type: 'REFERENCE'; referenceAssetId: number; referenceAssetUid: string }
    | { type: 'EXECUTION'; executionId: number }
  items: DataDriftItem[]
}
export type SchemaDriftDefinition = DefinitionFrame & {
  type: 'SCHEMA_DRIFT'
  severity: Record<
    'added' | 'removed' | 'renamed' | 'typeWidened' | 'typeChanged' | 'nullability' | 'order',
    'ERROR' | 'WARNING' | 'IGNORE'
  >
  items: SchemaDriftItem[]
}
export type AnomalyDefinition = DefinitionFrame & {
  type: 'PROFILE_ANOMALY' | 'AUTO_ANOMALY'
  anomalyStrengthThreshold: AnomalyStrength
  /** Absent: as by default. */
  backfill?: Backfill
  items: AnomalyItem[]
}
export type ArrivalDefinition = DefinitionFrame & {
  type: 'DATA_CADENCE' | 'DATA_FRESHNESS'
  anomalyStrengthThreshold: AnomalyStrength
  items: ArrivalItem[]
}

/** The content of a version of a policy. */
export type Definition =
  | QualityDefinition
  | ReconciliationDefinition
  | DataDriftDefinition
  | SchemaDriftDefinition
  | AnomalyDefinition
  | ArrivalDefinition

type RowsTemplate = { suffixTemplate: string; format: 'PARQUET' | 'CSV' | 'JSON' }
/** The templates of the keys of stored results. */
export type Categories = { good: RowsTemplate; bad: RowsTemplate; metadata: { suffixTemplate: string } }

type Handling = { storeResult: boolean; sampleOnly: boolean }

/** Where results of runs are stored and which rows are kept. */
export type Configuration = {
  prefix: string | null
  categories:
    | { type: 'DEFAULT' }
    | { type: 'SAVED'; configId: number }
    | { type: 'CUSTOM'; categoriesConfig: Categories }
  handling: { good: Handling; bad: Handling }
}

/** The defaults of a policy. `right`: the second target, for types that compare two. */
export function defaultDefinition<T extends PolicyType>(
  type: T,
  name: string,
  target: Target,
  right: Target = target,
): Definition & { type: T } {
  // The compiler cannot follow a type parameter through a switch; each branch returns the definition of its type.
  return definitionOf(type, frameOf(name, target), right) as Definition & { type: T }
}

function frameOf(name: string, target: Target): DefinitionFrame {
  return {
    name,
    description: '',
    enabled: true,
    target,
    thresholdLevel: thresholdOfScore(100),
    verdictBy: 'ITEMS',
    policyScoreStrategy: 'WEIGHTAGE',
    scoreItems: [],
    includeInQualityScore: true,
    treatZeroRowsAsSuccess: false,
    filter: null,
    scheduled: false,
    schedule: null,
    timeZone: 'UTC',
    scheduleExecutionType: null,
    executionTimeoutInMinutes: null,
    labels: [],
  }
}

function definitionOf(type: PolicyType, frame: DefinitionFrame, rightTarget: Target): Definition {
  switch (type) {
    case 'DATA_QUALITY':
      return { ...frame, type, items: [] }
    case 'RECONCILIATION':
    case 'EQUALITY':
      return {
        ...frame,
        type,
        rightTarget,
        rightFilter: null,
        joinType: null,
        timeSecondsOffset: 0,
        delayInMinutes: null,
        items: [],
        mappings: [],
      }
    case 'DATA_DRIFT':
      return { ...frame, type, interval: '1d', baseline: { type: 'PREVIOUS' }, items: [] }
    case 'SCHEMA_DRIFT':
      return { ...frame, type, severity: defaultSeverity, items: [] }
    case 'PROFILE_ANOMALY':
    case 'AUTO_ANOMALY':
      return { ...frame, type, anomalyStrengthThreshold: 'MEDIUM', items: [] }
    case 'DATA_CADENCE':
    case 'DATA_FRESHNESS':
      return { ...frame, type, anomalyStrengthThreshold: 'MEDIUM', items: [] }
    default:
      return type satisfies never
  }
}

/** A policy of a type that learns measures by period unless it says otherwise. */
export const defaultBackfill: Backfill = { enabled: true, columnName: null, granularity: 'DAY', from: null }

/** A change that breaks readers is an error, one that may surprise them a warning; the order of columns is ignored. */
const defaultSeverity: SchemaDriftDefinition['severity'] = {
  added: 'WARNING',
  removed: 'ERROR',
  renamed: 'ERROR',
  typeWidened: 'WARNING',
  typeChanged: 'ERROR',
  nullability: 'WARNING',
  order: 'IGNORE',
}

/** Bad rows and metadata are kept, good rows only on request (decision 77). */
export const defaultConfiguration: Configuration = {
  prefix: null,
  categories: { type: 'DEFAULT' },
  handling: { good: { storeResult: false, sampleOnly: false }, bad: { storeResult: true, sampleOnly: false } },
}
