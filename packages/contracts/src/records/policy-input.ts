import { z } from 'zod'
import { strictly, withFieldRules } from '../fields/field-rules.ts'
import { freeObject, id, isPathSegment, notPathSegment, optional, plainText } from '../values/scalars.ts'
import {
  aggregateFunctions,
  itemKindOf,
  type MeasurementType,
  measurementType,
  measurementTypes,
} from './item-kinds.ts'
import { notificationPayload } from './notification-payload.ts'
import { policyType, scheduledExecutionType, scoreStrategy, verdictBasis } from './policy-types.ts'
import { storedMarkerInput } from './stored-marker.ts'
import { percentageInput, thresholdInput } from './threshold.ts'

/**
 * Policy names: 1 to 255 characters. A name must be neither an id nor a part of a route, because paths contain names.
 */
export const policyName = plainText(1000)
  .trim()
  .min(1, 'must not be empty')
  .max(255)
  .refine((name) => !/^\d+$/.test(name), 'must not be only digits')
  .refine(
    (name) => !['executions', 'byName', 'byAsset'].includes(name) && !name.includes('/'),
    "must not be 'executions', 'byName' or 'byAsset', nor contain '/'",
  )
  .refine(isPathSegment, notPathSegment)

export const backingAssetInput = z.object({
  tableAssetId: optional(id),
  tableAssetUid: optional(plainText(10_000).min(1)),
  marker: optional(storedMarkerInput),
})
export type BackingAssetInput = z.infer<typeof backingAssetInput>

export const labelsInput = z.array(z.object({ key: plainText(255), value: plainText(1000) })).max(100)

const itemFields = {
  id: optional(id),
  columnName: optional(plainText(10_000).min(1)),
  name: optional(plainText(255).trim().min(1)),
  executionOrder: optional(z.int().min(0)),
  /** Older clients send it next to `value.pattern`. */
  pattern: optional(plainText(100_000)),
  ruleExpression: optional(plainText(100_000)),
  // If an item aggregates nothing, its record has RULE or CUSTOM, and clients send these values back.
  aggregateType: optional(
    z.enum([...aggregateFunctions, 'RULE', 'CUSTOM'], `must be one of ${aggregateFunctions.join(', ')}`),
  ),
  resultThreshold: optional(percentageInput),
  thresholdConfig: optional(strictly(thresholdInput)),
  weightage: optional(z.number().min(0).max(1_000_000)),
  isWarning: optional(z.boolean()),
  isDimension: optional(z.boolean()),
  filter: optional(plainText(100_000)),
  businessExplanation: optional(plainText(10_000)),
  labels: optional(labelsInput),
}

function itemOf(type: MeasurementType) {
  const { value, refersTo, example } = itemKindOf(type)
  return z
    .object({
      measurementType: z.literal(type),
      ...itemFields,
      value: optional(strictly(refersTo?.sent ?? value)),
    })
    .meta({ title: type, examples: [{ measurementType: type, ...example }] })
}
const [firstType = 'MISSING_VALUES', ...otherTypes] = measurementTypes
/** An item of any kind, with the `value` of its kind. */
const itemsByType = z.discriminatedUnion('measurementType', [itemOf(firstType), ...otherTypes.map(itemOf)])

/**
 * Settable fields of an item. Absent fields of a new item get defaults. `value` is checked later, together with the
 * asset.
 */
export const itemInput = withFieldRules(z.object({ measurementType, ...itemFields, value: optional(freeObject) }), {
  names: itemsByType,
  synonyms: { NULL_VALUES: { kind: 'MISSING_VALUES', also: [] } },
}).register(z.globalRegistry, { id: 'DataQualityItemInput' })
export type ItemInput = z.infer<typeof itemInput>

/**
 * Settable fields of a policy of any type. All but the name have defaults. In an update, absent fields keep their
 * value.
 */
export const ruleFrameInput = z.object({
  name: optional(policyName),
  type: optional(policyType),
  description: optional(plainText(10_000)),
  enabled: optional(z.boolean()),
  thresholdLevel: optional(thresholdInput),
  /** If absent, it is SCORE if a new `thresholdLevel` is sent, else ITEMS. */
  verdictBy: optional(verdictBasis),
  policyScoreStrategy: optional(scoreStrategy),
  scoreItems: optional(z.array(plainText(255)).max(1000)),
  includeInQualityScore: optional(z.boolean()),
  treatZeroRowsAsSuccess: optional(z.boolean()),
  filter: optional(plainText(100_000)),
  scheduled: optional(z.boolean()),
  schedule: optional(plainText(255)),
  timeZone: optional(plainText(64)),
  scheduleExecutionType: optional(scheduledExecutionType),
  executionTimeoutInMinutes: optional(z.int().min(1).max(1440)),
  labels: optional(labelsInput),
  /** An empty object removes it. */
  notificationChannels: optional(notificationPayload),
})
export type RuleFrameInput = z.infer<typeof ruleFrameInput>

/**
 * Lists that existing clients send empty. Entries are refused, because they would change which rows are checked, and
 * how.
 */
export const emptyLists = {
  transformUDFs: optional(
    z.array(z.json()).max(0, 'is not supported: create a SQL view that transforms the rows, and a policy on the view'),
  ),
  childRules: optional(z.array(z.json()).max(0, 'is not supported: create a policy for each of them')),
}

const sqlNotSupported = 'is not supported: create a SQL view of the query, and a policy on the view'

/**
 * A policy on one table, view or file. Clients send `subType` and `customSqlConfig` back as they read them. SQL in
 * these fields is refused instead of ignored, because the verdict would be about other rows than intended.
 */
export const ruleInput = ruleFrameInput.extend({
  backingAsset: optional(backingAssetInput),
  details: optional(z.object({ backingAssetId: optional(id) })),
  subType: optional(z.literal('ASSET', { error: sqlNotSupported })),
  customSqlConfig: optional(z.null({ error: sqlNotSupported })),
  ...emptyLists,
})
export type RuleInput = z.infer<typeof ruleInput>

/** Fields of a schedule call; at least one is required. */
export const scheduleRequest = z.object({
  scheduled: optional(z.boolean()),
  cronExpression: optional(plainText(255)),
  timeZone: optional(plainText(64)),
  /** If it is absent and was never set: INCREMENTAL if the policy has a stored marker, else FULL. */
  executionType: optional(scheduledExecutionType),
})
export type ScheduleRequest = z.infer<typeof scheduleRequest>
