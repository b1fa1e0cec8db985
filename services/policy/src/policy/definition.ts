import type { PolicyType, ScheduledExecutionType, ScoreStrategy, VerdictBasis } from '@assay/contracts'
import type { JsonObject, JsonValue } from '@assay/event-store'
import type { families } from '../families/table.ts'
import type { StoredThreshold } from './stored-threshold.ts'

export type Label = { key: string; value: string }

/** `thresholdConfig`: `null` means the default of the type. */
export type CommonItem = { id: number; executionOrder: number; thresholdConfig: StoredThreshold | null }

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
export type Backfill = {
  enabled: boolean
  columnName: string | null
  granularity: 'DAY' | 'HOUR'
  from: string | null
}

/** The fields that only the types of a family have. */
export type OwnOf<Type extends PolicyType> = ReturnType<(typeof families)[Type]['defaults']>
/** The content of a version of a policy of a type. */
export type DefinitionOf<Type extends PolicyType> = { [T in Type]: DefinitionFrame & { type: T } & OwnOf<T> }[Type]
/** The content of a version of a policy. */
export type Definition = DefinitionOf<PolicyType>

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

/** A policy of a type that learns measures by period unless it says otherwise. */
export const defaultBackfill: Backfill = { enabled: true, columnName: null, granularity: 'DAY', from: null }

/** Bad rows and metadata are kept, good rows only on request (decision 77). */
export const defaultConfiguration: Configuration = {
  prefix: null,
  categories: { type: 'DEFAULT' },
  handling: { good: { storeResult: false, sampleOnly: false }, bad: { storeResult: true, sampleOnly: false } },
}
