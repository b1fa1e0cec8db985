import { z } from 'zod'
import { strictly } from '../../fields/field-rules.ts'
import { id, isoTime, optional, plainText } from '../../values/scalars.ts'
import { comparisonItemValue } from '../comparison-items.ts'
import { backingAssetRecord, engineType, labelRecord, policyFrame } from '../policy.ts'
import { backingAssetInput, labelsInput, ruleFrameInput } from '../policy-input.ts'
import { listOf, policyFamily } from './family.ts'
import { columnName, constantsOfRuns, detailsFrame, itemFrame, itemInputFrame, itemName, weather } from './frames.ts'

export const reconciliationMeasurements = [
  'EQUALITY',
  'COUNT',
  'PROFILE_EQUALITY',
  'HASHED_EQUALITY',
  'TIMELINESS',
  'CUSTOM',
  'ROW_COUNT_EQUALITY',
] as const
/** The measurement of a policy without items. */
export const wholeMeasurement: ReconciliationMeasurement = 'EQUALITY'
export type ReconciliationMeasurement = (typeof reconciliationMeasurements)[number]

export const mappingOperations = ['EQ', 'NOT_EQ', 'GTE', 'GT', 'LTE', 'LT'] as const
export const joinTypes = ['INNER', 'LEFT', 'RIGHT', 'FULL', 'CROSS'] as const

export const reconciliationItemInput = z.object({
  ...itemInputFrame,
  measurementType: z.enum(reconciliationMeasurements),
  columnName: optional(columnName),
  value: optional(strictly(comparisonItemValue)),
})
export type ReconciliationItemInput = z.infer<typeof reconciliationItemInput>

export const toleranceInput = z.object({
  absolute: optional(z.number().min(0)),
  relative: optional(z.number().min(0).max(1)),
  timeUnit: optional(z.enum(['MILLISECONDS', 'SECONDS', 'MINUTES', 'HOURS', 'DAYS'])),
  trim: optional(z.boolean()),
  ignoreCase: optional(z.boolean()),
})

export const mappingInput = z.object({
  id: optional(id),
  leftColumnName: columnName,
  rightColumnName: columnName,
  name: itemName,
  operation: optional(z.enum(mappingOperations)),
  mappingType: optional(z.enum(['AUTO', 'MANUAL'])),
  useForJoining: optional(z.boolean()),
  ignoreNullValues: optional(z.boolean()),
  isJoinColumnUsedForMeasure: optional(z.boolean()),
  isWarning: optional(z.boolean()),
  weightage: optional(z.number().min(0).max(1_000_000)),
  tolerance: optional(toleranceInput),
  businessExplanation: optional(plainText(10_000)),
  labels: optional(labelsInput),
})
export type MappingInput = z.infer<typeof mappingInput>

/** A mapping that a policy may have. */
export const suggestedMapping = z
  .object({
    leftColumnName: z.string(),
    rightColumnName: z.string(),
    useForJoining: z.boolean(),
    mappingType: z.literal('AUTO'),
  })
  .meta({ id: 'SuggestedMapping' })
export type SuggestedMapping = z.infer<typeof suggestedMapping>

const twoSidedRule = ruleFrameInput.extend({
  leftBackingAsset: optional(backingAssetInput),
  rightBackingAsset: optional(backingAssetInput),
  details: optional(z.object({ leftBackingAssetId: optional(id), rightBackingAssetId: optional(id) })),
  leftFilter: optional(plainText(100_000)),
  rightFilter: optional(plainText(100_000)),
  joinType: optional(z.enum(joinTypes)),
  timeSecondsOffset: optional(z.int().min(-31_536_000).max(31_536_000)),
  delayInMinutes: optional(z.int().min(0).max(525_600)),
})

/** An item of reconciliation and equality. `version` is the policy's, like `ruleVersion`. */
export const reconciliationItem = z
  .object({
    ...itemFrame,
    version: z.int(),
    measurementType: z.enum(reconciliationMeasurements),
    /** For TIMELINESS: a date or time column of the left table. */
    columnName: z.string().nullable(),
    /** For TIMELINESS `{maxDelay}` in seconds; for CUSTOM `{leftSql, rightSql, absolute, relative}`. */
    value: z.record(z.string(), z.unknown()).nullable(),
  })
  .meta({ id: 'ReconciliationItem' })

/** An item in the record of a run, with the constants that existing clients read there. */
export const executedReconciliationItem = reconciliationItem
  .extend(constantsOfRuns)
  .meta({ id: 'ExecutedReconciliationItem' })
export type ExecutedReconciliationItem = z.infer<typeof executedReconciliationItem>

export const columnMapping = z
  .object({
    id,
    reconciliationRuleId: id,
    ruleVersion: z.int(),
    leftColumnName: z.string(),
    rightColumnName: z.string(),
    name: z.string(),
    operation: z.enum(mappingOperations),
    mappingType: z.enum(['AUTO', 'MANUAL']),
    useForJoining: z.boolean(),
    ignoreNullValues: z.boolean(),
    isJoinColumnUsedForMeasure: z.boolean(),
    isWarning: z.boolean(),
    isArchived: z.boolean(),
    weightage: z.number(),
    tolerance: z
      .object({
        absolute: z.number().nullable(),
        relative: z.number().nullable(),
        timeUnit: z.enum(['MILLISECONDS', 'SECONDS', 'MINUTES', 'HOURS', 'DAYS']).nullable(),
        trim: z.boolean(),
        ignoreCase: z.boolean(),
      })
      .nullable(),
    businessExplanation: z.string().nullable(),
    labels: z.array(labelRecord),
    deletedAt: isoTime.nullable(),
  })
  .meta({ id: 'ColumnMapping' })

const filterType = z.enum(['STATIC', 'DYNAMIC'])
const sides = {
  leftFilter: z.string().nullable(),
  rightFilter: z.string().nullable(),
  leftSparkSQLFilterType: filterType,
  rightSparkSQLFilterType: filterType,
  leftSparkFilterSelectedColumns: z.array(z.string()),
  rightSparkFilterSelectedColumns: z.array(z.string()),
  leftSparkSQLDynamicFilterVariableMapping: z.null(),
  rightSparkSQLDynamicFilterVariableMapping: z.null(),
  leftCustomSqlConfig: z.null(),
  rightCustomSqlConfig: z.null(),
  rightEngineType: engineType.nullable(),
  joinType: z.enum(joinTypes).nullable(),
  timeSecondsOffset: z.int(),
  delayInMinutes: z.int().nullable(),
}
export const reconciliationAnswer = z
  .object({
    rule: z
      .object({
        ...policyFrame,
        type: z.enum(['RECONCILIATION', 'EQUALITY']),
        leftBackingAsset: backingAssetRecord,
        rightBackingAsset: backingAssetRecord,
        ...sides,
        analyticsPipelineId: z.null(),
      })
      .meta({ id: 'ReconciliationRule' }),
    details: z.object({
      ...detailsFrame,
      ...sides,
      leftBackingAssetId: id,
      rightBackingAssetId: id,
      items: z.array(reconciliationItem),
      columnMappings: z.array(columnMapping),
      engineType: engineType.nullable(),
      leftEngineType: engineType.nullable(),
      subType: z.enum(['ASSET', 'SQL']),
    }),
  })
  .meta({ id: 'ReconciliationRuleResponse' })

const comparing = policyFamily(
  'reconciliation',
  {
    rule: twoSidedRule,
    lists: { items: listOf(reconciliationItemInput), mappings: optional(z.array(mappingInput).max(1000)) },
    answer: reconciliationAnswer,
    item: reconciliationItem,
  },
  executedReconciliationItem,
)
const example = {
  rule: {
    name: 'Weather arrives in the warehouse',
    leftBackingAsset: weather,
    rightBackingAsset: { tableAssetUid: 'warehouse.seattle-weather.csv' },
  },
  items: [{ measurementType: 'EQUALITY' }],
  mappings: [
    { leftColumnName: 'date', rightColumnName: 'date', useForJoining: true },
    { leftColumnName: 'temp_max', rightColumnName: 'temp_max', tolerance: { absolute: 0.05 } },
  ],
}

export const reconciliation = { ...comparing, example, refusesOthers: true } as const
export const equality = {
  ...comparing,
  example: { ...example, rule: { ...example.rule, name: 'The warehouse has the same weather' } },
} as const
