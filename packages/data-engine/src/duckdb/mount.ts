import type { DuckDBConnection } from '@duckdb/node-api'
import type { LineWarnings } from '../dataset.ts'
import type { Gate } from '../fence.ts'
import type { Window } from '../plan.ts'
import type { ColumnInfo } from '../port.ts'
import type { CrawlPlace } from './sources/crawl-place.ts'
import type { Copies } from './sources/files/copies.ts'

/** What a source may use to make a dataset readable. The connection is not locked yet; what people wrote has not run on it. */
export interface MountContext {
  connection: DuckDBConnection
  /** Absolute, empty at the start, removed with the run. */
  tempFolder: string
  /** Epoch milliseconds: what `now()` means in the run. */
  startedAt: number
  copies: Copies
  /** Asked before anything of a source is opened. */
  gate: Gate
  /** How far a crawl is. */
  crawl: CrawlPlace
  signal: AbortSignal
  onProgress?: (fraction: number | null) => void
  /** Only files changed between these times are read. */
  filesWindow?: Extract<Window, { kind: 'files' }>
}

/** A dataset that can be read by SQL. */
export interface Mounted {
  /** SQL that can stand after FROM, literals quoted; still good after the lock-down. */
  relation: string
  columns: ColumnInfo[]
  /** What people wrote is in the relation: its columns are only asked for after the lock-down. */
  isQuery?: true
  warnings: LineWarnings
  /** Absolute folders that the relation needs to read after the lock-down; none where everything is in the database already. */
  allowedDirectories: string[]
  /** Absolute files that the relation needs to read after the lock-down. */
  allowedPaths?: string[]
  /** All files behind the relation, absolute, where all are Parquet: their footers can answer metrics. */
  parquetFiles?: string[]
  /**
   * Of a window on files: whether none lies in it (`relation` then stands for all), the newest change in it (ISO 8601), and the
   * hashes of all files and of those outside of it.
   */
  files?: { none: boolean; newest: string; all: string; outside: string }
  /**
   * Rejects with `unprocessable` when the files behind the relation have changed since; absent where nothing can come between.
   * `mayGrow`: files of text may have got longer, and the answer is whether one has.
   */
  assertUnchanged?: (mayGrow: boolean) => Promise<boolean>
  /** Columns whose values stand in folder names, whatever the files hold under that name: footers cannot speak for them. */
  partitionColumns?: string[]
}
