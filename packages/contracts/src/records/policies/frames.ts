import { z } from 'zod'
import { strictly } from '../../fields/field-rules.ts'
import { id, optional, plainText } from '../../values/scalars.ts'
import { scoreStrategy } from '../policy-types.ts'
import { thresholdInput, thresholdRecord } from '../threshold.ts'

/** Fields of an item in every family except data quality. */
export const itemInputFrame = {
  id: optional(id),
  executionOrder: optional(z.int().min(0)),
  thresholdConfig: optional(strictly(thresholdInput)),
}
export const itemName = optional(plainText(255).trim().min(1))
export const columnName = plainText(10_000).min(1)

/** Fields of `details` in addition to its items, for every policy type except data quality. */
export const detailsFrame = {
  id,
  ruleId: id,
  version: z.int(),
  ruleVersion: z.int(),
  isCompositeRule: z.boolean(),
  isSegmented: z.boolean(),
  segments: z.array(z.unknown()),
  continueExecutionOnFailure: z.boolean(),
  executionSequence: z.int(),
  policyScoreStrategy: scoreStrategy,
  treatZeroRowsAsSuccess: z.boolean(),
  filter: z.string().nullable(),
  tenantId: z.string(),
}

/** Fields of the record of an item in every family except data quality. */
export const itemFrame = {
  id,
  ruleId: id,
  ruleVersion: z.int(),
  executionOrder: z.int(),
  thresholdConfig: thresholdRecord.nullable(),
}

/**
 * The highest number of false alarms to expect from all thresholds that learn, if each judges one value a day. Absent
 * if no threshold learns.
 */
export const expectedFalseAlarmsPerMonth = z.number().exactOptional()

/** Constants that existing clients read in the item of a run. */
export const constantsOfRuns = {
  name: z.string(),
  resultThreshold: z.literal(100),
  weightage: z.literal(1),
  aggregateType: z.literal('RULE'),
  isWarning: z.literal(false),
  isDimension: z.literal(false),
  isArchived: z.literal(false),
  labels: z.array(z.never()),
}

/** A table of the first start, for examples. */
export const weather = { tableAssetUid: 'samples.seattle-weather.csv' }
