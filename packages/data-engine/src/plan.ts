import { z } from 'zod'
import { datasetLocator } from './dataset.ts'

/** A number, numeric text, or ISO date or time, as text, with the kind of the comparison. */
export const bound = z.object({ kind: z.enum(['number', 'date', 'time', 'text']), text: z.string() })
export type Bound = z.infer<typeof bound>

/**
 * What `${key}` stands for: a value; `{ text }`, what somebody wrote, which is a number where it is the text of a JSON
 * number, true or false where it says so, else text (`${key:text}` always is the text); or `{ column }`, a column (`fields`: a field of a structure in it,
 * by the names inwards).
 */
export const variable = z.union([
  z.string(),
  z.number(),
  z.boolean(),
  z.object({ text: z.string() }),
  z.object({ column: z.string(), fields: z.array(z.string()).optional() }),
])
export type Variable = z.infer<typeof variable>

/** Users' SQL over one row (or one SELECT), in the dialect of the engine, with `${key}` bound, never spliced. */
export const sqlText = z.object({
  sql: z.string(),
  variables: z.record(z.string(), variable).default({}),
})
export type SqlText = z.infer<typeof sqlText>

/** A column of another dataset, which holds the allowed values. */
export const lookup = z.object({ dataset: datasetLocator, column: z.string() })
export type Lookup = z.infer<typeof lookup>

/**
 * What makes a row fail. A NULL in the column passes except in `missing` (and `expression`, where NULL fails). `range`
 * fails NaN. `datatype`: text that casts without loss passes: no rounding, no blanks around it. `duplicate` fails every
 * row of a group of equal rows with more than one member, NULL equal to NULL; `null`: all columns.
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
  /** As `in-list`, with the values of a column of another dataset: at most 1,000,000 different ones. */
  z.object({ kind: z.literal('in-lookup'), column: z.string(), lookup }),
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
  /** Newest value of a date or time column, ISO 8601 UTC. `format`: how a column of text writes it (`%d.%m.%Y`); absent: ISO 8601. */
  z.object({
    kind: z.literal('newest'),
    id: z.number(),
    column: z.string(),
    format: z.string().optional(),
    filter: sqlText.optional(),
  }),
  /**
   * One SELECT that gives one number; the plan's rows (after window and filter) are the table `asset`. `tables`: others that it
   * may read, by the names that it calls them.
   */
  z.object({
    kind: z.literal('select'),
    id: z.number(),
    select: sqlText,
    tables: z.array(z.object({ name: z.string(), dataset: datasetLocator })).optional(),
  }),
])
export type Metric = z.infer<typeof metric>

export const rowFormat = z.enum(['PARQUET', 'CSV', 'JSON'])
export type RowFormat = z.infer<typeof rowFormat>

/**
 * The part of a dataset that a plan looks at. `column`: rows whose value lies between the bounds, NULL and NaN not;
 * `inclusive`: a value on a bound is between them. `files`: those changed between the two times (ISO 8601).
 * `dates`: rows of partitions whose date lies between the times; one or more columns make it, each written in a format of its own
 * (`%Y`; null: by its type), nothing moved by zones. `partition`: rows that have just these values (null: none), by their text; one that does not
 * exist rejects with `unprocessable`.
 * `follow`: the highest value (or newest change) that the plan came upon is told as `reached`; rows that come to be above it
 * while the plan runs are not looked at.
 */
export const window = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('column'),
    column: z.string(),
    min: bound.optional(),
    max: bound.optional(),
    inclusive: z.boolean(),
    follow: z.boolean(),
  }),
  z.object({
    kind: z.literal('files'),
    min: z.string().optional(),
    max: z.string().optional(),
    inclusive: z.boolean(),
    follow: z.boolean(),
  }),
  z.object({
    kind: z.literal('dates'),
    parts: z
      .array(z.object({ column: z.string(), format: z.string().nullable() }))
      .min(1)
      .max(3),
    min: z.string().optional(),
    max: z.string().optional(),
    inclusive: z.boolean(),
    follow: z.boolean(),
  }),
  z.object({
    kind: z.literal('partition'),
    values: z
      .array(z.object({ column: z.string(), value: z.string().nullable() }))
      .min(1)
      .max(100),
  }),
])
export type Window = z.infer<typeof window>

/** A set of metrics over one dataset and one filter: one scan serves all row-level and aggregate metrics. */
export const measurePlan = z.object({
  dataset: datasetLocator,
  /** Absent: all of the dataset. */
  window: window.optional(),
  filter: sqlText.optional(),
  metrics: z.array(metric).max(1000),
  /**
   * Which rows to keep. `bad`: rows that fail at least one `rows` metric, with the column `__rule_item_ids`
   * (list of the ids of the metrics that they fail). `good`: the others. `limit`: so many rows are kept, in no promised order.
   */
  rows: z.object({
    bad: z.object({ format: rowFormat, limit: z.number().nullable() }).nullable(),
    good: z.object({ format: rowFormat, limit: z.number().nullable() }).nullable(),
    /** Rows of each kind that go into the preview. */
    preview: z.number().default(100),
  }),
  /** Metrics that are measured, but do not make a row bad. */
  ignoreRowsOf: z.array(z.number()).optional(),
})
export type MeasurePlan = z.infer<typeof measurePlan>

export type MetricResult =
  | { id: number; kind: 'rows'; scanned: number; failed: number }
  /** `isText`: the value is text at the source, even where it reads as a number. */
  | { id: number; kind: 'value'; value: string | null; scanned: number; isText?: true }
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
  /** Names of the parts that the sink was given. */
  files: string[]
  preview: PreviewRow[]
}
