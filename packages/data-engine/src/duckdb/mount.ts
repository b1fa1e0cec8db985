import type { DuckDBConnection } from '@duckdb/node-api'
import type { BrokerAccess } from '../broker-access.ts'
import type { LineWarnings } from '../dataset.ts'
import type { PathGuard } from '../path-access.ts'
import type { Window } from '../plan.ts'
import type { ColumnInfo } from '../port.ts'
import type { CrawlPosition } from './sources/crawl-position.ts'
import type { Copies } from './sources/files/copies.ts'
import type { RunObjects } from './sources/objects/objects.ts'
import type { Stores } from './sources/objects/stores.ts'

/** The context for mounting a dataset. The connection is not locked down yet, and users' SQL has not run on it. */
export interface MountContext {
  connection: DuckDBConnection
  /** Absolute path. The folder is empty when the run starts, and is removed when it ends. */
  tempFolder: string
  /** Epoch milliseconds; the value of `now()` in the run. */
  startedAt: number
  copies: Copies
  /** Checks whether a path may be read, before anything of a source is opened. */
  guard: PathGuard
  /** Checks whether a broker may be read, before a connection to it. */
  brokers: BrokerAccess
  /** The object stores that the work reads. */
  stores: Stores
  objects: RunObjects
  /** The assembly that is crawled, for locators. */
  sourceId?: number | undefined
  /** The position of a crawl. */
  crawl: CrawlPosition
  signal: AbortSignal
  onProgress?: (fraction: number | null) => void
  /** Only files changed between these times are read. */
  filesWindow?: Extract<Window, { kind: 'files' }>
  /** Rows get the date in the name of their file. Only files with dates from `from` until before `to` are read; with `asksOlder`, those before as well. */
  fileDates?: { from: string; to: string; asksOlder: boolean }
  /** Only these messages are read. */
  topicWindow?: Extract<Window, { kind: 'offsets' }>
  /** Whether a part of the rows suffices. For a topic, only the newest messages are then read. */
  isLook?: true
}

/** A dataset that can be read by SQL. */
export interface Mounted {
  /** SQL for FROM, with quoted literals. It remains valid after the lock-down. */
  relation: string
  columns: ColumnInfo[]
  /** Names of the columns that are never NULL. Omitted if none are known. */
  required?: () => Promise<ReadonlySet<string>>
  /**
   * Present if the relation contains users' SQL, so that its columns can only be determined after the lock-down: adds the
   * place in this SQL to a message.
   */
  placed?: (message: string) => string
  warnings: LineWarnings
  /** Absolute folders that the relation must read after the lock-down. None if all data is already in the database. */
  allowedDirectories: string[]
  /** Absolute files that the relation must read after the lock-down. */
  allowedPaths?: string[]
  /** All files of the relation (absolute), if all of them are Parquet. Their footers can answer metrics. */
  parquetFiles?: string[]
  /** For a topic: the position after the messages that were read. */
  reached?: string
  /** As in `LastChange`; absent if the source does not say. */
  state?: string
  /**
   * For a window on files: whether none of its files has rows (`relation` then has all files), the newest change of its
   * files (ISO 8601; null if it has none), and hashes of all files and of the files outside of the window.
   */
  files?: { none: boolean; newest: string | null; all: string; outside: string }
  /** How many files the dataset has, and how many of them the relation reads. */
  partitions?: { total: number; scanned: number }
  /**
   * Rejects with `unprocessable` if the files of the relation have changed since; absent if they cannot change.
   * `mayGrow`: text files may have become longer, and the result says whether one has.
   */
  assertUnchanged?: (mayGrow: boolean) => Promise<boolean>
  /**
   * Columns whose values are in folder names. These values take precedence over columns in the files. Footers do not
   * describe them.
   */
  partitionColumns?: string[]
}
