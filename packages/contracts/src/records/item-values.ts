import { z } from 'zod'
import { optional } from '../values/scalars.ts'
import type { MeasurementType } from './policy-types.ts'

const operand = z.union([z.number(), z.string().min(1).max(1000)], 'must be a number or text')
const wholeNumber = z.int().min(0).max(Number.MAX_SAFE_INTEGER)
export const comparisonOperators = ['EQ', 'NEQ', 'GT', 'GTE', 'LT', 'LTE', 'BETWEEN'] as const
export type ComparisonOperator = (typeof comparisonOperators)[number]

const parameterValue = z.union(
  [z.string().max(100_000), z.number(), z.boolean()],
  'must be text, a number, true or false',
)

const comparison = {
  operator: optional(z.enum(comparisonOperators, `must be one of ${comparisonOperators.join(', ')}`)),
  value: optional(operand),
  min: optional(operand),
  max: optional(operand),
}

/** The `value` of an item by its measurement type. Other keys are refused; null is as absent. */
export const itemValues = {
  MISSING_VALUES: z.object({ addEmptyCheck: optional(z.boolean()) }),
  REGEX_MATCH: z.object({ pattern: z.string().min(1).max(10_000), partial: optional(z.boolean()) }),
  VALUES_IN_LIST: z.object({
    values: z
      .array(z.union([z.string(), z.number(), z.boolean()], 'must be text, a number, true or false'))
      .min(1, 'must hold at least one value')
      .max(100_000),
    negate: optional(z.boolean()),
  }),
  VALUES_IN_LOOKUP: z.object({
    lookupAssetId: z.int().min(1).max(Number.MAX_SAFE_INTEGER),
    /** The same asset; definitions are written with either, and stored with both. */
    lookupAssetUid: optional(z.string().min(1).max(10_000)),
    lookupColumnName: z.string().min(1).max(10_000),
  }),
  TAG_MATCH: z.object({ tag: z.string().trim().min(1).max(1000) }),
  UDF_PREDICATE: z.object({
    udfId: z.int().min(1).max(Number.MAX_SAFE_INTEGER),
    udfName: optional(z.string().min(1).max(1000)),
    parameters: optional(
      z.union(
        [
          z
            .array(
              z.object({
                key: z.string().min(1).max(1000),
                value: optional(parameterValue),
                isColumnVariable: optional(z.boolean()),
              }),
            )
            .max(1000),
          z.record(z.string(), parameterValue.nullable()),
        ],
        'must be a list of {key, value} or an object',
      ),
    ),
  }),
  DATATYPE_MATCH: z.object({ dataType: z.string().min(1).max(100) }),
  RANGE_MATCH: z.object({ min: optional(operand), max: optional(operand), inclusive: optional(z.boolean()) }),
  SIZE_CHECK: z.object({ min: optional(wholeNumber), max: optional(wholeNumber) }),
  PRECISION_SCALE_CHECK: z.object({ precision: z.int().min(1).max(38), scale: z.int().min(0).max(38) }),
  DISTINCTNESS_CHECK: z.object({}),
  DUPLICATE_ROWS_CHECK: z.object({
    columns: optional(z.array(z.string().min(1)).min(1, 'must name at least one column').max(1000)),
  }),
  FRESHNESS_CHECK: z.object({ maxAge: z.string().max(100), format: optional(z.string().min(1).max(100)) }),
  /** What it checks is its `ruleExpression`. */
  CUSTOM: z.object({}),
  AGGREGATES: z.object(comparison),
  BUSINESS_MEASURE: z.object(comparison),
  SQL_METRIC: z.object({ sql: z.string().trim().min(1).max(100_000), ...comparison }),
} as const satisfies Record<MeasurementType, z.ZodType>

export type ItemValues = typeof itemValues
/** What a comparison of a number says, before its operands are read. */
export type Comparison = z.output<ItemValues['AGGREGATES']>
