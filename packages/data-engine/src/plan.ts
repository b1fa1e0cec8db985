import { z } from 'zod'
import { datasetLocator } from './dataset.ts'

/** A number, numeric text, or ISO date or time, as text, with the kind it is to be compared as. */
export const bound = z.object({ kind: z.enum(['number', 'date', 'time', 'text']), text: z.string() })
export type Bound = z.infer<typeof bound>

/** People's SQL over one row (or one SELECT), in the dialect of the engine, with `${key}` bound as values. */
export const sqlText = z.object({
  sql: z.string(),
  variables: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])).default({}),
})
export type SqlText = z.infer<typeof sqlText>

/**
 * What makes a row fail. A NULL in the column passes everywhere but in `missing` (and `expression`, where NULL fails).
 * `range` fails NaN. `datatype`: text that casts without loss passes: no rounding, no blanks around it.
 * `duplicate` fails every row of a group of equal rows with more than one member, NULL equal to NULL; `null`: all columns.
 */
export const predicate = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('missing'), column: z.string(), blankToo: z.boolean() }),
  z.object({ kind: z.literal('regex'), column: z.string(), pattern: z.string(), partial: z.boolean() }),
  z.object({
    kind: z.literal('in-list'),
    column: z.string(),
    values: z.array(z.union([z.string(), z.number(), z.boolean()])),
    negate: z.boolean(),
  }),
  z.object({ kind: z.literal('datatype'), column: z.string(), dataType: z.string() }),
  z.object({
    kind: z.literal('range'),
    column: z.string(),
    min: bound.optional(),
    max: bound.optional(),
    inclusive: z.boolean(),
  }),
  z.object({
    kind: z.literal('text-length'),
    column: z.string(),
    min: z.number().optional(),
    max: z.number().optional(),
  }),
  z.object({ kind: z.literal('precision-scale'), column: z.string(), precision: z.number(), scale: z.number() }),
  z.object({ kind: z.literal('expression'), expression: sqlText }),
  z.object({ kind: z.literal('duplicate'), columns: z.array(z.string()).nullable() }),
])
export type Predicate = z.infer<typeof predicate>

export const aggregateFunction = z.enum(['SUM', 'AVG', 'MIN', 'MAX', 'COUNT'])
export type AggregateFunction = z.infer<typeof aggregateFunction>

/**
 * One thing to find out. `id` is the rule item's id, a positive integer.
 * `rows` answers {scanned, failed}; `distinct` answers {scanned: non-null rows, failed: scanned - distinct values};
 * the others answer one value as exact text (numbers without loss, times ISO 8601), null when there is none.
 * `filter`: the item looks only at rows for which it is true.
 */
export const metric = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('rows'), id: z.number(), predicate, filter: sqlText.optional() }),
  z.object({ kind: z.literal('distinct'), id: z.number(), column: z.string(), filter: sqlText.optional() }),
  /** COUNT without a column: rows. Else: non-null values. */
  z.object({
    kind: z.literal('aggregate'),
    id: z.number(),
    fn: aggregateFunction,
    column: z.string().nullable(),
    filter: sqlText.optional(),
  }),
  /** The aggregate of an expression over the row, e.g. SUM of `price * amount`. */
  z.object({
    kind: z.literal('aggregate-expression'),
    id: z.number(),
    fn: aggregateFunction,
    expression: sqlText,
    filter: sqlText.optional(),
  }),
  /** Newest value of a date or time column, ISO 8601 UTC. */
  z.object({ kind: z.literal('newest'), id: z.number(), column: z.string(), filter: sqlText.optional() }),
  /** One SELECT that gives one number; the plan's rows (after filter) are the table `asset`. */
  z.object({ kind: z.literal('select'), id: z.number(), select: sqlText }),
])
export type Metric = z.infer<typeof metric>

export const rowFormat = z.enum(['PARQUET', 'CSV', 'JSON'])
export type RowFormat = z.infer<typeof rowFormat>

/** A set of metrics over one dataset and one filter: one scan serves all row-level and aggregate metrics. */
export const measurePlan = z.object({
  dataset: datasetLocator,
  filter: sqlText.optional(),
  metrics: z.array(metric).max(1000),
  /**
   * Which rows to keep. `bad`: rows that fail at least one `rows` metric, with the column `__rule_item_ids`
   * (list of the ids of the metrics that they fail). `good`: the others. `limit`: so many rows go into the file, in no promised order.
   */
  rows: z.object({
    bad: z.object({ format: rowFormat, limit: z.number().nullable() }).nullable(),
    good: z.object({ format: rowFormat, limit: z.number().nullable() }).nullable(),
    /** Rows of each kind that go into the preview. */
    preview: z.number().default(100),
  }),
  /** Metrics that are measured, but do not make a row bad. */
  ignoreRowsOf: z.array(z.number()).optional(),
  limits: z.object({ timeoutMs: z.number(), memoryMb: z.number(), threads: z.number(), maxTempMb: z.number() }),
})
export type MeasurePlan = z.infer<typeof measurePlan>

export type MetricResult =
  | { id: number; kind: 'rows'; scanned: number; failed: number }
  | { id: number; kind: 'value'; value: string | null; scanned: number }
  /** This metric could not be evaluated; the others keep their results. */
  | { id: number; kind: 'error'; message: string }

/** A row of a preview: values as decision 46 says, and the ids of the metrics that it failed. */
export interface PreviewRow {
  values: { [column: string]: unknown }
  ruleItemIds: number[]
}

export interface KeptRows {
  /** Rows of this kind, also those beyond the limit: bad and good together are the rows scanned. */
  count: number
  /** Names relative to the output folder. */
  files: string[]
  preview: PreviewRow[]
}
