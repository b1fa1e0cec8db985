import { z } from 'zod'
import { optional } from '../values/scalars.ts'

/** The dimension of data quality that an item measures. */
export const dimension = z.enum([
  'UNIQUENESS',
  'VALIDITY',
  'ACCURACY',
  'CONSISTENCY',
  'COMPLETENESS',
  'TIMELINESS',
  'OTHERS',
])

/** The wire form of one kind of item. The package `reliability` plans and judges such items. */
export interface ItemKind {
  dimension: z.infer<typeof dimension>
  /** ROWS: counts rows. NUMBER: measures one number, for an operator or a threshold. FACT: passes or fails by itself. */
  measures: 'ROWS' | 'NUMBER' | 'FACT'
  /** Whether the item's own threshold takes precedence over an operator in `value`. */
  thresholdFirst?: true
  /** The schema of `value`. It refuses other keys, and treats null as absent. */
  value: z.ZodType
  /**
   * The table or template that the item uses, by id or name. The stored form has both. `sent`: the id may be absent.
   */
  refersTo?: { what: 'table' | 'template'; id: string; name: string; sent: z.ZodType }
  /** A typical item, for the documentation. */
  example: object
}

const operand = z.union([z.number(), z.string().min(1).max(1000)], 'must be a number or text')
const wholeNumber = z.int().min(0).max(Number.MAX_SAFE_INTEGER)
const scalar = 'must be text, a number, true or false'

export const aggregateFunctions = ['SUM', 'AVG', 'MIN', 'MAX', 'COUNT'] as const

const comparisonOperators = ['EQ', 'NEQ', 'GT', 'GTE', 'LT', 'LTE', 'BETWEEN'] as const
export type ComparisonOperator = (typeof comparisonOperators)[number]

export const comparison = z.object({
  operator: optional(z.enum(comparisonOperators, `must be one of ${comparisonOperators.join(', ')}`)),
  value: optional(operand),
  min: optional(operand),
  max: optional(operand),
})
/** A comparison of a number, before its operands are parsed. */
export type Comparison = z.output<typeof comparison>

const inLookup = z.object({
  lookupAssetId: z.int().min(1).max(Number.MAX_SAFE_INTEGER),
  /** One asset with two names: a definition may have either name, and the stored form has both. */
  lookupAssetUid: optional(z.string().min(1).max(10_000)),
  lookupColumnName: z.string().min(1).max(10_000),
})

const parameterValue = z.union([z.string().max(100_000), z.number(), z.boolean()], scalar)
const parameter = z.object({
  key: z.string().min(1).max(1000),
  value: optional(parameterValue),
  isColumnVariable: optional(z.boolean()),
})
const ofTemplate = z.object({
  udfId: z.int().min(1).max(Number.MAX_SAFE_INTEGER),
  udfName: optional(z.string().max(1000)),
  parameters: optional(
    z.union(
      [z.array(parameter).max(1000), z.record(z.string(), parameterValue.nullable())],
      'must be a list of {key, value} or an object',
    ),
  ),
})

/** Every kind of item, by its measurement type. */
export const itemKinds = {
  MISSING_VALUES: {
    dimension: 'COMPLETENESS',
    measures: 'ROWS',
    value: z.object({ addEmptyCheck: optional(z.boolean()) }),
    example: { columnName: 'email', value: { addEmptyCheck: true } },
  },
  REGEX_MATCH: {
    dimension: 'VALIDITY',
    measures: 'ROWS',
    value: z.object({ pattern: z.string().min(1).max(10_000), partial: optional(z.boolean()) }),
    example: { columnName: 'email', value: { pattern: '[^@]+@[^@]+' } },
  },
  VALUES_IN_LIST: {
    dimension: 'VALIDITY',
    measures: 'ROWS',
    value: z.object({
      values: z
        .array(z.union([z.string(), z.number(), z.boolean()], scalar))
        .min(1, 'must hold at least one value')
        .max(100_000),
      negate: optional(z.boolean()),
    }),
    example: { columnName: 'status', value: { values: ['open', 'paid'] } },
  },
  VALUES_IN_LOOKUP: {
    dimension: 'CONSISTENCY',
    measures: 'ROWS',
    value: inLookup,
    refersTo: {
      what: 'table',
      id: 'lookupAssetId',
      name: 'lookupAssetUid',
      sent: inLookup.partial({ lookupAssetId: true }),
    },
    example: { columnName: 'country', value: { lookupAssetId: 42, lookupColumnName: 'code' } },
  },
  DATATYPE_MATCH: {
    dimension: 'VALIDITY',
    measures: 'ROWS',
    value: z.object({ dataType: z.string().min(1).max(100) }),
    example: { columnName: 'zip', value: { dataType: 'INTEGER' } },
  },
  RANGE_MATCH: {
    dimension: 'VALIDITY',
    measures: 'ROWS',
    value: z.object({ min: optional(operand), max: optional(operand), inclusive: optional(z.boolean()) }),
    example: { columnName: 'amount', value: { min: 0, max: 1000 } },
  },
  SIZE_CHECK: {
    dimension: 'VALIDITY',
    measures: 'ROWS',
    value: z.object({ min: optional(wholeNumber), max: optional(wholeNumber) }),
    example: { columnName: 'country', value: { min: 2, max: 2 } },
  },
  PRECISION_SCALE_CHECK: {
    dimension: 'VALIDITY',
    measures: 'ROWS',
    value: z.object({ precision: z.int().min(1).max(38), scale: z.int().min(0).max(38) }),
    example: { columnName: 'price', value: { precision: 10, scale: 2 } },
  },
  DISTINCTNESS_CHECK: {
    dimension: 'UNIQUENESS',
    measures: 'ROWS',
    value: z.object({}),
    example: { columnName: 'customer_id' },
  },
  DUPLICATE_ROWS_CHECK: {
    dimension: 'UNIQUENESS',
    measures: 'ROWS',
    value: z.object({
      columns: optional(z.array(z.string().min(1)).min(1, 'must name at least one column').max(1000)),
    }),
    example: { value: { columns: ['order_id', 'line'] } },
  },
  FRESHNESS_CHECK: {
    dimension: 'TIMELINESS',
    measures: 'FACT',
    value: z.object({ maxAge: z.string().max(100), format: optional(z.string().min(1).max(100)) }),
    example: { columnName: 'loaded_at', value: { maxAge: 'PT36H' } },
  },
  TAG_MATCH: {
    dimension: 'OTHERS',
    measures: 'FACT',
    value: z.object({ tag: z.string().trim().min(1).max(1000) }),
    example: { columnName: 'email', value: { tag: 'pii' } },
  },
  AGGREGATES: {
    dimension: 'ACCURACY',
    measures: 'NUMBER',
    value: comparison,
    example: { aggregateType: 'COUNT', value: { operator: 'GTE', value: 1000 } },
  },
  BUSINESS_MEASURE: {
    dimension: 'ACCURACY',
    measures: 'NUMBER',
    value: comparison,
    example: {
      aggregateType: 'SUM',
      ruleExpression: 'price * quantity',
      value: { operator: 'BETWEEN', min: 1000, max: 2000 },
    },
  },
  /** Its condition is the `ruleExpression`. */
  CUSTOM: {
    dimension: 'OTHERS',
    measures: 'ROWS',
    value: z.object({}),
    example: { ruleExpression: 'shipped_at IS NULL OR shipped_at >= ordered_at' },
  },
  SQL_METRIC: {
    dimension: 'OTHERS',
    measures: 'NUMBER',
    thresholdFirst: true,
    value: z.object({ sql: z.string().trim().min(1).max(100_000), ...comparison.shape }),
    example: { value: { sql: 'SELECT count(DISTINCT country) FROM asset', operator: 'GTE', value: 20 } },
  },
  UDF_PREDICATE: {
    dimension: 'OTHERS',
    measures: 'ROWS',
    value: ofTemplate,
    refersTo: { what: 'template', id: 'udfId', name: 'udfName', sent: ofTemplate.partial({ udfId: true }) },
    example: { value: { udfId: 7, parameters: [{ key: 'column', value: 'amount', isColumnVariable: true }] } },
  },
} satisfies Record<string, ItemKind>

export type MeasurementType = keyof typeof itemKinds
const isMeasurementType = (text: string): text is MeasurementType => Object.hasOwn(itemKinds, text)
export const measurementTypes = Object.keys(itemKinds).filter(isMeasurementType)
/** `NULL_VALUES` is the older name of MISSING_VALUES. */
export const measurementType = z.preprocess(
  (value) => (value === 'NULL_VALUES' ? 'MISSING_VALUES' : value),
  z.enum(measurementTypes),
)

/** The kind of item with a measurement type. */
export function itemKindOf(type: MeasurementType): ItemKind {
  return itemKinds[type]
}
