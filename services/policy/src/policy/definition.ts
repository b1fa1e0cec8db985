import type {
  AnomalyAnswer,
  AnomalyStrength,
  BackfillRecord,
  CadenceAnswer,
  CategoriesConfig,
  DataDriftAnswer,
  ItemRecord,
  PolicyType,
  ReconciliationAnswer,
  ScheduledExecutionType,
  SchemaDriftAnswer,
  ScoreStrategy,
  VerdictBasis,
} from '@assay/contracts'
import type { JsonObject, JsonValue } from '@assay/event-store'
import { type StoredThreshold, thresholdOfScore } from './stored-threshold.ts'

/** An item as stored: its record without the fields that follow from its policy. */
export type ItemDefinition = Omit<
  ItemRecord,
  | 'ruleId'
  | 'ruleVersion'
  | 'isArchived'
  | 'executionInputs'
  | 'associatedDQRecommendationId'
  | 'bulkPolicyDqRuleId'
  | 'value'
  | 'thresholdConfig'
> & {
  value: JsonObject | null
  thresholdConfig: StoredThreshold
}

type Derived = 'ruleId' | 'ruleVersion' | 'version' | 'isArchived' | 'thresholdConfig' | 'value'
type Own = { thresholdConfig: StoredThreshold | null }
type ItemOf<Answer extends { details: { items: unknown[] } }> = Answer['details']['items'][number]

/** `columnName` and `value` are absent in policies stored by older versions. */
export type ReconciliationItem = Omit<ItemOf<ReconciliationAnswer>, Derived | 'columnName'> &
  Own & { columnName?: string | null; value?: JsonObject | null }
export type Mapping = Omit<
  ReconciliationAnswer['details']['columnMappings'][number],
  'reconciliationRuleId' | 'ruleVersion' | 'isArchived' | 'deletedAt'
>
export type DataDriftItem = Omit<ItemOf<DataDriftAnswer>, Derived> & Own & { value: JsonObject | null }
export type SchemaDriftItem = Omit<ItemOf<SchemaDriftAnswer>, Derived> & Own
export type AnomalyItem = Omit<ItemOf<AnomalyAnswer>, Derived> & Own
export type ArrivalItem = Omit<ItemOf<CadenceAnswer>, Derived> & Own & { value: { maxAge: string } | null }

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
  labels: { key: string; value: string }[]
}

export type QualityDefinition = DefinitionFrame & { type: 'DATA_QUALITY'; items: ItemDefinition[] }
export type ReconciliationDefinition = DefinitionFrame & {
  type: 'RECONCILIATION' | 'EQUALITY'
  rightTarget: Target
  rightFilter: string | null
  joinType: ReconciliationAnswer['rule']['joinType']
  timeSecondsOffset: number
  delayInMinutes: number | null
  items: ReconciliationItem[]
  mappings: Mapping[]
}
export type DataDriftDefinition = DefinitionFrame & {
  type: 'DATA_DRIFT'
  interval: string
  baseline: DataDriftAnswer['rule']['baseline']
  items: DataDriftItem[]
}
export type SchemaDriftDefinition = DefinitionFrame & {
  type: 'SCHEMA_DRIFT'
  severity: SchemaDriftAnswer['rule']['severity']
  items: SchemaDriftItem[]
}
export type AnomalyDefinition = DefinitionFrame & {
  type: 'PROFILE_ANOMALY' | 'AUTO_ANOMALY'
  anomalyStrengthThreshold: AnomalyStrength
  /** Absent: as by default. */
  backfill?: BackfillRecord
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

type Handling = { storeResult: boolean; sampleOnly: boolean }

/** Where results of runs are stored and which rows are kept. */
export type Configuration = {
  prefix: string | null
  categories:
    | { type: 'DEFAULT' }
    | { type: 'SAVED'; configId: number }
    | { type: 'CUSTOM'; categoriesConfig: CategoriesConfig }
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
export const defaultBackfill: BackfillRecord = { enabled: true, columnName: null, granularity: 'DAY', from: null }

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
