import { z } from 'zod'
import { withFieldRules } from '../fields/field-rules.ts'
import { optional } from '../values/scalars.ts'

const lookBack = z.object({ window: z.int().positive(), windowType: z.enum(['RUNS', 'DAYS', 'HOURS', 'MINUTES']) })
const sensitivity = z.enum(['HIGH', 'MEDIUM', 'LOW'])

/**
 * Why a number is probably not meant as a percentage: some people write 0.95 for 95. `undefined` if it is plausible.
 * Pure.
 */
export function shareProblem(number: number): string | undefined {
  if (number <= 0 || number >= 1) return undefined
  const meant = Number((number * 100).toPrecision(12))
  return `must be a percentage from 0 to 100: ${number} is less than one percent; write ${meant} for a share of ${number}`
}

export const percentageInput = z
  .number()
  .min(0)
  .max(100)
  .refine((number) => shareProblem(number) === undefined, { error: ({ input }) => shareProblem(Number(input)) })

/**
 * ROWS: judges the number of failed rows; only for items that count rows. If absent, the percentage or the measured
 * number is judged.
 */
const absoluteUnit = z.literal('ROWS').nullish()

const absolute = z.object({
  type: z.literal('ABSOLUTE'),
  config: z.discriminatedUnion('direction', [
    z.object({ direction: z.literal('ABOVE'), unit: absoluteUnit, success: z.number(), warning: optional(z.number()) }),
    z.object({ direction: z.literal('BELOW'), unit: absoluteUnit, success: z.number(), warning: optional(z.number()) }),
    z.object({
      direction: z.literal('RANGE'),
      unit: absoluteUnit,
      lowerSuccess: z.number(),
      upperSuccess: z.number(),
      lowerWarning: optional(z.number()),
      upperWarning: optional(z.number()),
    }),
  ]),
})
/** INCREASED_BY judges only rises, DECREASED_BY only falls, CHANGES_BY both. */
const direction = z.enum(['CHANGES_BY', 'DECREASED_BY', 'INCREASED_BY'])
const anomaly = z.object({
  type: z.literal('ANOMALY'),
  config: z.object({
    successSensitivityLevel: sensitivity,
    warningSensitivityLevel: optional(sensitivity),
    /** If absent, values fire in both directions. */
    direction: direction.nullish(),
  }),
})
const relative = z.object({
  type: z.literal('RELATIVE'),
  config: z.object({
    direction,
    operator: z.enum(['LEGACY', 'EQ', 'NEQ', 'GT', 'GTE', 'LT', 'LTE']),
    unit: z.enum(['PERCENTAGE', 'ABSOLUTE']),
    isDirectional: z.boolean().default(false),
    success: z.number(),
    warning: optional(z.number()),
  }),
  operationalConfig: z.object({ lookBack }),
})
const timeBased = z.object({
  type: z.literal('TIME_BASED'),
  config: z.object({
    lookBackWindowType: z.enum(['RUNS', 'DAYS', 'HOURS', 'MINUTES']),
    successLookBackWindow: z.int().positive(),
    warningLookBackWindow: optional(z.int().positive()),
  }),
})

export const threshold = z.discriminatedUnion('type', [absolute, anomaly, relative, timeBased])
export type Threshold = z.output<typeof threshold>

/** From the least to the most sensitive. */
const bySensitivity = ['LOW', 'MEDIUM', 'HIGH'] as const

/**
 * Values that fire only at the warning sensitivity are WARNING. If the warning sensitivity is not the more sensitive
 * one, there are no such values.
 */
function refuseUselessWarning(given: Threshold, context: z.RefinementCtx): void {
  if (given.type !== 'ANOMALY') return
  const { successSensitivityLevel: success, warningSensitivityLevel: warning } = given.config
  if (warning === undefined || bySensitivity.indexOf(warning) > bySensitivity.indexOf(success)) return
  context.addIssue({
    code: 'custom',
    path: ['config', 'warningSensitivityLevel'],
    message: `must be more sensitive than successSensitivityLevel (${success}), else nothing is a warning; HIGH is the most sensitive`,
  })
}

/**
 * The forms that clients send: the complete one or, from older clients, only `{success, warning}`, which means ABSOLUTE
 * ABOVE.
 */
const eitherForm = z.preprocess((value) => {
  if (typeof value !== 'object' || value === null || 'config' in value || !('success' in value)) return value
  const type = 'type' in value && value.type != null ? value.type : 'ABSOLUTE'
  return type === 'ABSOLUTE'
    ? {
        type,
        config: { direction: 'ABOVE', success: value.success, warning: 'warning' in value ? value.warning : undefined },
      }
    : value
}, threshold.superRefine(refuseUselessWarning))
/** Clients send the record back, which combines both forms. */
export const thresholdInput = withFieldRules(eitherForm, { also: ['success', 'warning', 'operationalConfig'] })

const optionalMembers: Readonly<Record<string, readonly string[]>> = {
  ABOVE: ['warning'],
  BELOW: ['warning'],
  RANGE: ['lowerWarning', 'upperWarning'],
  ANOMALY: ['warningSensitivityLevel'],
  RELATIVE: ['warning'],
  TIME_BASED: ['warningLookBackWindow'],
}

/** The threshold, with null for each member of its config that is not set. Pure. */
export function wholeThreshold(record: ThresholdRecord): ThresholdRecord {
  const { type, config } = record
  if (typeof config !== 'object' || config === null) return record
  const kind = type === 'ABSOLUTE' && 'direction' in config ? String(config.direction) : type
  const unset = Object.fromEntries((optionalMembers[kind] ?? []).map((name) => [name, null]))
  return {
    ...record,
    config: { ...config, ...Object.fromEntries(Object.entries(unset).filter(([name]) => !(name in config))) },
  }
}

/** A threshold in records: `success` and `warning` at the top level, in addition to `type` and `config`. */
export const thresholdRecord = z
  .looseObject({
    type: z.enum(['ABSOLUTE', 'ANOMALY', 'RELATIVE', 'TIME_BASED']),
    success: z.number().nullable(),
    warning: z.number().nullable(),
  })
  .meta({ id: 'RuleThresholdConfiguration' })
export type ThresholdRecord = z.infer<typeof thresholdRecord>
