import type { Compared, ComparePlan } from './compare.ts'
import type { ComparedSources } from './compared-source.ts'
import type { DatasetLocator, Discovered, LineWarnings, SkippedFiles, Source } from './dataset.ts'
import type { Described, DescribePlan } from './described.ts'
import type { LastChange, LastChangePlan } from './last-change.ts'
import type { MeasuredPeriods, PeriodPlan } from './periods.ts'
import type { KeptRows, MeasurePlan, Metric, MetricResult, RowFormat, SqlText } from './plan.ts'
import type { DatasetProfile, ProfilePlan } from './profile.ts'
import type { RowSink } from './row-sink.ts'
import type { Touched } from './sql/tree/touched.ts'
import type { WrittenText } from './sql/written-in.ts'
import type { StartedStatements } from './started-statements.ts'
import type { TakenRows, TakePlan } from './take.ts'

export interface ColumnInfo {
  name: string
  dataType: string
}

export interface Measured {
  /** Number of rows after the plan's filter. */
  rowsScanned: number
  /** One per metric of the plan, in order. */
  metrics: MetricResult[]
  bad: KeptRows | null
  good: KeptRows | null
  /** Columns of the dataset as it was read. */
  columns: ColumnInfo[]
  warnings: LineWarnings
  /** For a `follow` window: the highest value as exact text (times ISO 8601 UTC); null if it was empty. */
  reached: string | null
  /** As in `DatasetProfile`. */
  files?: DatasetProfile['files']
  partitions?: DatasetProfile['partitions']
  /**
   * The columns and tables that users' SQL reads, by metric (`null` stands for the plan's filter). A metric has no
   * entry if it contains no SQL, or if its columns and tables are unknown.
   */
  touched: { metric: number | null; touched: Touched }[]
  /** Milliseconds in the engine. */
  elapsedMs: number
}

export interface Progress {
  /** The engine's current activity, as text for people. */
  stage: 'QUEUED' | 'READING' | 'MEASURING' | 'WRITING'
  /** 0 to 1; null if unknown. */
  fraction: number | null
}

/** The result of a check of a definition. `metrics` and `filter` are not run. */
export interface Prepared {
  columns: ColumnInfo[]
  /** Why the engine cannot prepare the filter; null if it can. */
  filterError: string | null
  /** Errors of metrics that cannot be prepared, by metric id. */
  metricErrors: { id: number; message: string }[]
}

export interface SampleRows {
  fields: { name: string; type: string; nullable: boolean }[]
  rows: { [column: string]: unknown }[]
  warnings: LineWarnings
}

/** Stored rows to write again. `file`: absolute. */
export interface RewriteRequest {
  file: string
  /** Files with the same columns and in the same format, whose rows follow (absolute, in the folder of `file`). */
  more?: readonly string[] | undefined
  from: RowFormat
  to: RowFormat
  /**
   * Columns that are masked (`null` means all). `nested`: also all columns of nested types. `known`: also all columns
   * that it does not list. The ids of failed items are never masked.
   */
  mask: { columns: readonly string[] | null; nested: boolean; known?: readonly string[] | undefined } | null
  /** The text that replaces each value of a masked column. */
  maskText: string
  /** Sorts by the written values of a column; a masked value counts as its mask. Default: stored order. */
  order?: RowOrder | undefined
  /** Only rows that failed one of these items. Ids of other items are left out. Default: all rows. */
  shownItems?: readonly number[] | undefined
  /** Default: all rows. */
  only?: PageOfItem | undefined
}

/**
 * A page (0-based) of the rows that failed an item (null: any item). `fromEnd`: pages count from the last row, but the
 * order of the rows does not change.
 */
export interface PageOfItem {
  itemId: number | null
  page: number
  size: number
  fromEnd: boolean
}

/**
 * Ties are broken by the stored order, in the same direction. NULL sorts last, and so does a value that is not a number
 * in a numeric column. Texts are compared by code points.
 */
export interface RowOrder {
  column: string
  kind: 'integer' | 'number' | 'text'
  direction: 'asc' | 'desc'
}

/** Limits of one call. They cannot exceed the engine's own. */
export interface CallLimits {
  timeoutMs: number
  memoryMb: number
  threads: number
  maxTempMb: number
}

/** The origin of a call. Each queue serves tenants round-robin. A tenant can read only allowed paths. */
export interface EngineCall {
  signal: AbortSignal
  /** Omitted for calls of Assay itself. */
  tenant?: string
  /** The access key. The keys of a tenant are served round-robin, too; calls without a key count as one key. */
  key?: string
  /**
   * For `prepare`, `sample` and `describe`. `check`: a person waits, so a busy engine rejects with `unavailable` or
   * `rate-limited`. `job`: a background job, which waits in the queue. Default: `check`; `describe` without a purpose
   * counts as a run.
   */
  purpose?: 'check' | 'job'
}

/** A long call. `limits`: the limits of this call; default: those of the engine. */
export interface MeasureCall extends EngineCall {
  limits?: CallLimits
  onProgress?: (progress: Progress) => void
  /** For engines whose statements can be continued after a worker has died. */
  statements?: StartedStatements
}

/** `rows` receives the kept values, as the part `valuesPart`. Needed for plans that keep them. */
export type ProfileCall = MeasureCall & { rows?: RowSink }

/** One of the engine's queues, for metrics. Each has its own slots. */
export interface EngineQueue {
  name: 'runs' | 'crawls' | 'checks' | 'samples'
  running: number
  waiting: number
  oldestWaitMs: number
}

/**
 * Reads data and never judges it. Runs outside the calling process, one run per child.
 * Errors of every call: `unprocessable` (the source cannot be read, with the reason: missing, truncated, no permission,
 * wrong format), `timeout`, `too-large` (memory or temporary space), `unavailable` (the child died), `invalid` (an
 * impossible plan, for example its filter; an unknown column is an error of its metric), `rate-limited` (too many calls
 * of the tenant are waiting; never for jobs). If `signal` aborts, the child ends and the promise rejects with the
 * signal's reason. Messages contain no stack, and no host paths outside of the source.
 */
export interface DataEngine {
  /**
   * Emits the tables of a source as they are found. Rejects if the source cannot be opened. `sourceId`: the assembly
   * whose configuration has the connection, for tables of databases.
   */
  discover(source: Source, options: EngineCall & { sourceId?: number }): AsyncIterable<Discovered>
  /** Cheap check: opens the source and counts its tables. `invalid`: the tenant may not read it. */
  probe(source: Source, options: EngineCall): Promise<{ tables: number; skipped: SkippedFiles }>
  /**
   * The columns and tables that SQL texts name, in order, by the engine's own parser. Opens and runs nothing, and does
   * not check that they exist. `problem`: why a text cannot be parsed, or is refused whatever its tables are. The
   * columns and tables are then unknown.
   */
  touches(texts: readonly WrittenText[], options: EngineCall): Promise<(Touched | { problem: string })[]>
  prepare(
    request: { dataset: DatasetLocator; filter?: SqlText; metrics: readonly Metric[] },
    /** `onProgress`: READING while the source is opened, MEASURING as soon as it is open. */
    options: EngineCall & { onProgress?: (progress: Progress) => void },
  ): Promise<Prepared>
  /**
   * `rows` receives the stored rows once all of them are known, as parts `good/part-0.<format>` and
   * `bad/part-0.<format>`.
   */
  measure(plan: MeasurePlan, options: MeasureCall & { rows: RowSink }): Promise<Measured>
  /**
   * Compares two tables row by row; counts as measuring. `rows` receives the differing rows as
   * `differing/part-0.<format>`, and those that agree as `agreeing/part-0.<format>`. Throws `invalid` for an unknown column or an impossible filter. A message about one
   * table names its side.
   */
  compare(plan: ComparePlan, options: MeasureCall & { rows: RowSink }): Promise<Compared>
  /**
   * Stores rows of a table for a later comparison; counts as measuring. `rows` receives them as one part. See
   * `takenTable`.
   */
  take(plan: TakePlan, options: MeasureCall & { rows: RowSink }): Promise<TakenRows>
  /**
   * The columns as the source has them now, in order, with the first rows. Reads further rows only to find the types of
   * text that has changed since the crawl. Counts as measuring unless a person waits.
   */
  describe(plan: DescribePlan, options: MeasureCall): Promise<Described>
  /** When the data changed and how large it is, as the source reports without reading rows. Counts as measuring. */
  lastChange(plan: LastChangePlan, options: MeasureCall): Promise<LastChange>
  /**
   * The first rows, or the first rows for which `filter` is true. `invalid`: the filter is not a condition over one
   * row.
   */
  sample(
    request: { dataset: DatasetLocator; limit: number; filter?: SqlText },
    options: EngineCall,
  ): Promise<SampleRows>
  /** The states of the columns of a dataset. Counts as measuring. `invalid`: an unknown column. */
  profile(plan: ProfilePlan, options: ProfileCall): Promise<DatasetProfile>
  /** The metrics of each period, by one scan that groups the rows by period. Counts as measuring. */
  measurePeriods(plan: PeriodPlan, options: MeasureCall): Promise<MeasuredPeriods>
  queues(): readonly EngineQueue[]
  /** Ends all work. */
  close(): Promise<void>
}

/** The part of the port for engines that measure at the source. */
export type MeasuringEngine = Pick<
  DataEngine,
  'prepare' | 'measure' | 'measurePeriods' | 'describe' | 'lastChange' | 'sample' | 'close'
>

/** The part of the port for engines of databases. The type of `source` and of all tables is always the engine's own. */
export type DatabaseEngine = MeasuringEngine & Pick<DataEngine, 'discover' | 'probe'> & Partial<ComparedSources>

/** Works on stored rows of any engine, because they are files. */
export interface KeptRowFiles {
  /**
   * Writes stored rows in another format, or masked, to `outputFile` (absolute, in an otherwise empty folder). Rows
   * stored as CSV are text; cells that a spreadsheet would run stay quoted. Returns the total number of rows, of which
   * `only` may select a page. Throws the errors of an engine.
   */
  rewrite(request: RewriteRequest, options: EngineCall & { outputFile: string }): Promise<number | null>
}
