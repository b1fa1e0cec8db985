import { z } from 'zod'
import { datasetLocator } from './dataset.ts'

/** A bound: a number, numeric text, or ISO date or time, as text, with the kind of the comparison. */
export const bound = z.object({ kind: z.enum(['number', 'date', 'time', 'text']), text: z.string() })
export type Bound = z.infer<typeof bound>

/**
 * The value of `${key}`. It is a value, or `{ text }`, a user's text, or `{ column }`, a column (`fields`: the names of
 * a field within it, from the outermost inwards). A user's text counts as a number if it is the text of a JSON number,
 * as a boolean if it is `true` or `false`, and as text otherwise. `${key:text}` is always text.
 */
export const variable = z.union([
  z.string(),
  z.number(),
  z.boolean(),
  z.object({ text: z.string() }),
  z.object({ column: z.string(), fields: z.array(z.string()).optional() }),
])
export type Variable = z.infer<typeof variable>

/**
 * Users' SQL over one row (or one SELECT), in the engine's dialect. Each `${key}` is bound and never inserted into the
 * text.
 */
export const sqlText = z.object({
  sql: z.string(),
  variables: z.record(z.string(), variable).default({}),
})
export type SqlText = z.infer<typeof sqlText>

/** The different values of a column of another source, as texts. `dataType`: DuckDB's name of their type. */
const listedValues = z.object({ dataType: z.string(), values: z.array(z.string()) })
export type ListedValues = z.infer<typeof listedValues>

/**
 * A column of another dataset, which contains the allowed values. `elsewhere`: its values, or why they could not be
 * read, if the engine of the plan cannot read the dataset.
 */
export const lookup = z.object({
  dataset: datasetLocator,
  column: z.string(),
  elsewhere: z.union([listedValues, z.object({ problem: z.string() })]).exactOptional(),
})
export type Lookup = z.infer<typeof lookup>

/**
 * The condition that makes a row fail. A NULL in the column passes, except for `missing`; for `expression`, a NULL
 * result fails. `range`: NaN fails. `datatype`: text passes if it can be cast without loss (no rounding, no surrounding
 * blanks). `duplicate`: every row of a group of at least two equal rows fails, and NULL equals NULL; `columns` null
 * means all columns.
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
  /** Like `in-list`, with at most 1,000,000 distinct values of a column of another dataset; 100,000 of another source. */
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
 * A measurement. `id` is the rule item's id, a positive integer. The result of `rows` is {scanned, failed}. The result
 * of `distinct` is {scanned: non-null rows, failed: scanned - distinct values}. The result of other kinds is one value
 * as exact text (numbers without loss, times ISO 8601), or null if there is none. `filter`: the metric covers only rows
 * for which it is true.
 */
export const metric = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('rows'), id: z.number(), predicate, filter: sqlText.optional() }),
  z.object({ kind: z.literal('distinct'), id: z.number(), column: z.string(), filter: sqlText.optional() }),
  /**
   * COUNT without a column counts rows; with a column, it counts non-null values. `ofLengths`: aggregates the numbers of
   * characters of the texts in the column.
   */
  z.object({
    kind: z.literal('aggregate'),
    id: z.number(),
    fn: aggregateFunction,
    column: z.string().nullable(),
    ofLengths: z.boolean().optional(),
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
  /**
   * The newest value of a date or time column, ISO 8601 UTC. `format`: the format of a text column (`%d.%m.%Y`);
   * default: ISO 8601.
   */
  z.object({
    kind: z.literal('newest'),
    id: z.number(),
    column: z.string(),
    format: z.string().optional(),
    filter: sqlText.optional(),
  }),
  /**
   * One SELECT that returns one number. The plan's rows (after window and filter) are the table `asset`. `tables`:
   * other tables that it may read, by the names that it uses for them.
   */
  z.object({
    kind: z.literal('select'),
    id: z.number(),
    select: sqlText,
    tables: z.array(z.object({ name: z.string(), dataset: datasetLocator })).optional(),
  }),
])
export type Metric = z.infer<typeof metric>

/** The lookup of a metric that compares a column with the values of another dataset. Pure. */
export function lookupOf(metric: Metric): Lookup | undefined {
  return metric.kind === 'rows' && metric.predicate.kind === 'in-lookup' ? metric.predicate.lookup : undefined
}

export const rowFormat = z.enum(['PARQUET', 'CSV', 'JSON'])
export type RowFormat = z.infer<typeof rowFormat>

/**
 * The part of a dataset that a plan reads.
 * `column`: rows whose value is between the bounds, without NULL and NaN; `inclusive`: the bounds belong to the range.
 * `files`: files changed between the two times (ISO 8601). `dates`: rows of partitions whose date is between the times.
 * One or more columns form the date, each in its own format (`%Y`; null: by its type), without conversion of time
 * zones. `partition`: rows with exactly these values (null: none) as text; rejects with `unprocessable` if there is no
 * such partition. `offsets`: messages of a topic from a time on (ISO 8601), or after a position that an earlier plan
 * reached.
 * `follow`: the highest value (or newest change, or position) that the plan read is returned as `reached`. Rows above
 * it that are added while the plan runs are not read.
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
    kind: z.literal('offsets'),
    from: z.string().optional(),
    after: z.string().optional(),
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

/** A set of metrics over one dataset and one filter. One scan serves all row-level and aggregate metrics. */
export const measurePlan = z.object({
  dataset: datasetLocator,
  /** Default: all of the dataset. */
  window: window.optional(),
  filter: sqlText.optional(),
  metrics: z.array(metric).max(1000),
  /**
   * The rows to store. `bad`: rows that fail at least one `rows` metric, with the column `__rule_item_ids` (the ids
   * of the metrics that they fail). `good`: all others. `limit`: the maximum number of stored rows, in no guaranteed
   * order.
   */
  rows: z.object({
    bad: z.object({ format: rowFormat, limit: z.number().nullable() }).nullable(),
    good: z.object({ format: rowFormat, limit: z.number().nullable() }).nullable(),
    /** Maximum number of rows of each kind in the preview. */
    preview: z.number().default(100),
  }),
  /** Ids of metrics that are measured but do not make a row bad. */
  ignoreRowsOf: z.array(z.number()).optional(),
})
export type MeasurePlan = z.infer<typeof measurePlan>

export type MetricResult =
  | { id: number; kind: 'rows'; scanned: number; failed: number }
  /** `isText`: the value is text at the source, even if it looks like a number. */
  | { id: number; kind: 'value'; value: string | null; scanned: number; isText?: true }
  /** This metric could not be evaluated; other metrics have results. */
  | { id: number; kind: 'error'; message: string }

/** A row of a preview: values in the form of decision 46, and the ids of the metrics that it failed. */
export interface PreviewRow {
  values: { [column: string]: unknown }
  ruleItemIds: number[]
}

export interface KeptRows {
  /**
   * The number of rows of this kind, including those beyond the limit. Bad and good rows together are all scanned rows.
   */
  count: number
  /** Names of the parts that the sink received. */
  files: string[]
  preview: PreviewRow[]
}
