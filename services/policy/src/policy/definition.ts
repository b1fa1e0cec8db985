import type { CategoriesConfig, ItemRecord, ScoreStrategy } from '@assay/contracts'
import type { JsonObject, JsonValue } from '@assay/event-store'
import { type StoredThreshold, thresholdOfScore } from './stored-threshold.ts'

/** An item as it is stored: its record without what follows from the policy around it. */
export type ItemDefinition = Omit<
  ItemRecord,
  'ruleId' | 'ruleVersion' | 'isArchived' | 'executionInputs' | 'value' | 'thresholdConfig'
> & {
  value: JsonObject | null
  thresholdConfig: StoredThreshold
}

export type Target = {
  assetId: number
  uid: string
  marker: { type: string; [key: string]: JsonValue } | null
}

/** All that a version of a policy consists of. `enabled` is part of it: a change of it is a new version. */
export type Definition = {
  name: string
  description: string
  enabled: boolean
  target: Target
  thresholdLevel: StoredThreshold
  policyScoreStrategy: ScoreStrategy
  scoreItems: string[]
  includeInQualityScore: boolean
  treatZeroRowsAsSuccess: boolean
  filter: string | null
  scheduled: boolean
  schedule: string | null
  timeZone: string
  executionTimeoutInMinutes: number | null
  labels: { key: string; value: string }[]
  items: ItemDefinition[]
}

type Handling = { storeResult: boolean; sampleOnly: boolean }

/** Where results of runs go and which rows are kept. */
export type Configuration = {
  prefix: string | null
  categories: { type: 'DEFAULT' } | { type: 'CUSTOM'; categoriesConfig: CategoriesConfig }
  handling: { good: Handling; bad: Handling }
}

/** What a policy has where nothing was said. */
export function defaultDefinition(name: string, target: Target): Definition {
  return {
    name,
    description: '',
    enabled: true,
    target,
    thresholdLevel: thresholdOfScore(100),
    policyScoreStrategy: 'WEIGHTAGE',
    scoreItems: [],
    includeInQualityScore: true,
    treatZeroRowsAsSuccess: false,
    filter: null,
    scheduled: false,
    schedule: null,
    timeZone: 'UTC',
    executionTimeoutInMinutes: null,
    labels: [],
    items: [],
  }
}

/** Bad rows and metadata are kept, good rows only on request (decision 77). */
export const defaultConfiguration: Configuration = {
  prefix: null,
  categories: { type: 'DEFAULT' },
  handling: { good: { storeResult: false, sampleOnly: false }, bad: { storeResult: true, sampleOnly: false } },
}
