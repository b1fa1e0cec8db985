import type { Compared, ComparePlan } from './compare.ts'
import type { DatasetLocator, Discovered, LineWarnings, SkippedFiles, Source } from './dataset.ts'
import type { KeptRows, MeasurePlan, Metric, MetricResult, RowFormat, SqlText } from './plan.ts'
import type { DatasetProfile, ProfilePlan } from './profile.ts'
import type { RowSink } from './row-sink.ts'
import type { Touched } from './sql/tree/touched.ts'
import type { WrittenText } from './sql/written-in.ts'

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
  /** What the SQL of people in the plan touches, by metric; null: its filter. Absent where there is none or it is not known. */
  touched: { metric: number | null; touched: Touched }[]
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
  /**
   * Columns that are masked (null: all), and whether all with an inner structure are, and all that are not among `known`. The
   * ids of broken items never are.
   */
  mask: { columns: readonly string[] | null; nested: boolean; known?: readonly string[] | undefined } | null
  /** What stands in the place of each value of a masked column. */
  maskText: string
  /** By a column as it is written, masks and all; absent: as they were kept. */
  order?: RowOrder | undefined
  /** Only rows that broke one of these items, without the ids of others. Absent: all. */
  shownItems?: readonly number[] | undefined
  /** Absent: all rows. */
  only?: PageOfItem | undefined
}

/** A page (0-based) of the rows that broke an item (null: any). `fromEnd`: counted from the last row on, but in the same order. */
export interface PageOfItem {
  itemId: number | null
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

/** What one call may use. An engine cuts it to what it has itself. */
export interface CallLimits {
  timeoutMs: number
  memoryMb: number
  threads: number
  maxTempMb: number
}

/** For whom the engine works. Tenants take turns in each of its queues, and read only what their fence allows. */
export interface EngineCall {
  signal: AbortSignal
  /** Absent: Assay itself. */
  tenant?: string
  /** Who of the tenant asks; keys take turns too. Absent: all such calls share one. */
  key?: string
  /**
   * Of `prepare` and `sample`: `check` where a person waits for the answer, who is told `unavailable` or `rate-limited` if the
   * engine is busy; `look` for jobs, which wait. Absent: `check`.
   */
  purpose?: 'check' | 'look'
}

/** A call that may take its time. `limits` absent: the engine's own. */
export interface MeasureCall extends EngineCall {
  limits?: CallLimits
  onProgress?: (progress: Progress) => void
}

/** One of the engine's queues, for metrics. Each has slots of its own. */
export interface EngineQueue {
  name: 'runs' | 'crawls' | 'checks' | 'looks'
  running: number
  waiting: number
  oldestWaitMs: number
}

/**
 * Looks at data; never judges it. Runs outside the process that calls it, one run per child.
 *
 * Errors of every call: `unprocessable` (the source cannot be read, with the reason: vanished, cut, no rights, not that
 * format), `timeout`, `too-large` (memory or temporary space), `unavailable` (the child died), `invalid` (a plan that
 * cannot be: its filter; an unknown column is an error of its metric), `rate-limited` (too many calls of the tenant wait; never of jobs). Aborting `signal` ends the child; the promise then rejects with the signal's reason.
 * Messages never hold host paths outside the source's own, and no stack.
 */
export interface DataEngine {
  /** The tables of a source, as they come to light. A source that cannot be opened at all rejects. */
  discover(source: Source, options: EngineCall): AsyncIterable<Discovered>
  /** Cheap: does the source open, and how many tables has it. `invalid`: the tenant may not read there. */
  probe(source: Source, options: EngineCall): Promise<{ tables: number; skipped: SkippedFiles }>
  /**
   * Which columns and tables texts of SQL name, in their order, by the engine's own parser; nothing is opened or run. Whether
   * they exist is not asked. `problem`: a sentence about a text that cannot be parsed, or that nobody may write whatever the
   * tables are; nothing about what it touches is known then.
   */
  touches(texts: readonly WrittenText[], options: EngineCall): Promise<(Touched | { problem: string })[]>
  prepare(
    request: { dataset: DatasetLocator; filter?: SqlText; metrics: readonly Metric[] },
    /** `onProgress`: READING while the source is opened, MEASURING as soon as it is open. */
    options: EngineCall & { onProgress?: (progress: Progress) => void },
  ): Promise<Prepared>
  /** `rows` is given the rows that the plan keeps, once all of them are known: parts `good/part-0.<format>` and `bad/part-0.<format>`. */
  measure(plan: MeasurePlan, options: MeasureCall & { rows: RowSink }): Promise<Measured>
  /**
   * Compares two tables row by row; counts as measuring. `rows` is given the rows that differ, as `differing/part-0.<format>`.
   * `invalid`: a column that is not there, or a filter that cannot be. Messages about one table name its side.
   */
  compare(plan: ComparePlan, options: MeasureCall & { rows: RowSink }): Promise<Compared>
  /** The first rows; `filter`: of those for which it is true. `invalid`: the filter is no condition over one row. */
  sample(
    request: { dataset: DatasetLocator; limit: number; filter?: SqlText },
    options: EngineCall,
  ): Promise<SampleRows>
  /** States of the columns of a dataset; counts as measuring. `invalid`: a column that is not there. */
  profile(plan: ProfilePlan, options: MeasureCall): Promise<DatasetProfile>
  queues(): readonly EngineQueue[]
  /** Ends all work. */
  close(): Promise<void>
}

/** What an engine needs that measures where the data lies. */
export type MeasuringEngine = Pick<DataEngine, 'prepare' | 'measure' | 'sample' | 'close'>

/** Works on rows that an engine has kept, whichever it was: they are files by then. */
export interface KeptRowFiles {
  /**
   * Writes rows that `measure` kept into `outputFile` (absolute, in a folder of its own) in another form, or masked. What was
   * kept as CSV is text; cells that a spreadsheet would run stay as they were made harmless. Answers how many rows there
   * are of which `only` is a page. Errors as those of an engine.
   */
  rewrite(request: RewriteRequest, options: EngineCall & { outputFile: string }): Promise<number | null>
}
