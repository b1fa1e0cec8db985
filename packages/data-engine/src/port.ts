import type { DatasetLocator, Discovered, LineWarnings, Source } from './dataset.ts'
import type { DistributionRequest, Distributions } from './distribution.ts'
import type { KeptRows, MeasurePlan, Metric, MetricResult, RowFormat, SqlText } from './plan.ts'
import type { DatasetProfile, ProfilePlan } from './profile.ts'

export interface ColumnInfo {
  name: string
  dataType: string
}

export interface Measured {
  /** Rows that the plan's filter left. */
  rowsScanned: number
  /** One for each metric of the plan, in its order. */
  metrics: MetricResult[]
  bad: KeptRows | null
  good: KeptRows | null
  /** Columns of the dataset as it was read. */
  columns: ColumnInfo[]
  warnings: LineWarnings
  /** Of a window that is followed: the highest value as exact text (times ISO 8601 UTC); null where it held nothing. */
  reached: string | null
  /** Milliseconds in the engine. */
  elapsedMs: number
}

export interface Progress {
  /** What the engine is doing, for people. */
  stage: 'QUEUED' | 'READING' | 'MEASURING' | 'WRITING'
  /** 0 to 1, null where it cannot be told. */
  fraction: number | null
}

/** What a definition would meet if it ran now. `metrics` and `filter` are checked, not run. */
export interface Prepared {
  columns: ColumnInfo[]
  /** A sentence where the engine cannot prepare the filter. */
  filterError: string | null
  /** By metric id; only those that cannot be prepared. */
  metricErrors: { id: number; message: string }[]
}

export interface SampleRows {
  fields: { name: string; type: string; nullable: boolean }[]
  rows: { [column: string]: unknown }[]
  warnings: LineWarnings
}

/** Kept rows to be written again. `file`: absolute. */
export interface RewriteRequest {
  file: string
  from: RowFormat
  to: RowFormat
  /** Columns that are masked (null: all), and whether all with an inner structure are. The ids of broken items never are. */
  mask: { columns: readonly string[] | null; nested: boolean } | null
  /** What stands in the place of each value of a masked column. */
  maskText: string
  /** By a column as it is written, masks and all; absent: as they were kept. */
  order?: RowOrder | undefined
  /** Absent: all rows. */
  only?: PageOfItem | undefined
}

/** A page (0-based) of the rows that broke an item. `fromEnd`: counted from the last row on, but in the same order. */
export interface PageOfItem {
  itemId: number
  page: number
  size: number
  fromEnd: boolean
}

/**
 * Ties are broken by the place among the kept rows, in the same direction. Null, and what is no number where numbers are
 * asked for, is the greatest. Texts are compared by code points.
 */
export interface RowOrder {
  column: string
  kind: 'integer' | 'number' | 'text'
  direction: 'asc' | 'desc'
}

/**
 * Looks at data; never judges it. Runs outside the process that calls it, one run per child.
 *
 * Errors of every call: `unprocessable` (the source cannot be read, with the reason: vanished, cut, no rights, not that
 * format), `timeout`, `too-large` (memory or temporary space), `unavailable` (the child died), `invalid` (a plan that
 * cannot be: its filter; an unknown column is an error of its metric). Aborting `signal` ends the child; the promise then rejects with the signal's reason.
 * Messages never hold host paths outside the source's own, and no stack.
 */
export interface DataEngine {
  /** The tables of a source, as they come to light. A source that cannot be opened at all rejects. */
  discover(source: Source, options: { signal: AbortSignal }): AsyncIterable<Discovered>
  /** Cheap: does the source open, and how many tables has it. */
  probe(source: Source, options: { signal: AbortSignal }): Promise<{ tables: number }>
  prepare(
    request: { dataset: DatasetLocator; filter?: SqlText; metrics: readonly Metric[] },
    options: { signal: AbortSignal },
  ): Promise<Prepared>
  /** Rows that are kept are written as `<outputFolder>/good/part-0.<format>` and `<outputFolder>/bad/part-0.<format>`. */
  measure(
    plan: MeasurePlan,
    options: { outputFolder: string; signal: AbortSignal; onProgress?: (progress: Progress) => void },
  ): Promise<Measured>
  /** The first rows; `filter`: of those for which it is true. `invalid`: the filter is no condition over one row. */
  sample(
    request: { dataset: DatasetLocator; limit: number; filter?: SqlText },
    options: { signal: AbortSignal },
  ): Promise<SampleRows>
  /** How the values of each column are spread. */
  distributions(
    request: DistributionRequest & { dataset: DatasetLocator },
    options: { signal: AbortSignal },
  ): Promise<Distributions>
  /** What the columns of a dataset hold; counts as measuring. `invalid`: a column that is not there. */
  profile(
    plan: ProfilePlan,
    options: { signal: AbortSignal; onProgress?: (progress: Progress) => void },
  ): Promise<DatasetProfile>
  /**
   * Writes rows that `measure` kept into `outputFile` (absolute, in a folder of its own) in another form, or masked. What was
   * kept as CSV is text; cells that a spreadsheet would run stay as they were made harmless. Answers how many rows there
   * are of which `only` is a page.
   */
  rewrite(request: RewriteRequest, options: { outputFile: string; signal: AbortSignal }): Promise<number | null>
  /** Process ids of the children that live, for the stop and for tests. */
  children(): number[]
  /** Ends all children. */
  close(): Promise<void>
}
