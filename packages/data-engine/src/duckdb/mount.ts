import type { DuckDBConnection } from '@duckdb/node-api'
import type { BrokerAccess } from '../broker-access.ts'
import type { LineWarnings } from '../dataset.ts'
import type { PathGuard } from '../path-access.ts'
import type { Window } from '../plan.ts'
import type { ColumnInfo } from '../port.ts'
import type { CrawlPosition } from './sources/crawl-position.ts'
import type { Copies } from './sources/files/copies.ts'

/**
 * The context for mounting a dataset. The connection is not locked down yet, and no users' SQL has run on it.
 */
export interface MountContext {
  connection: DuckDBConnection
  /** Absolute, empty when the run starts, removed when it ends. */
  tempFolder: string
  /** Epoch milliseconds; the value of `now()` in the run. */
  startedAt: number
  copies: Copies
  /** Checked before anything of a source is opened. */
  guard: PathGuard
  /** Checked before a connection to a broker. */
  brokers: BrokerAccess
  /** The position of a crawl. */
  crawl: CrawlPosition
  signal: AbortSignal
  onProgress?: (fraction: number | null) => void
  /**
   * Whether a view may have another definition than at its crawl. Otherwise it is refused, because who may see its
   * values depends on the tables that it read at the crawl.
   */
  mayBeRedefined?: true
  /** Only files changed between these times are read. */
  filesWindow?: Extract<Window, { kind: 'files' }>
  /** Only these messages are read. */
  topicWindow?: Extract<Window, { kind: 'offsets' }>
  /** Part of the rows suffices. For a topic, only the newest messages are read. */
  isLook?: true
}

/** A dataset that can be read by SQL. */
export interface Mounted {
  /** SQL for FROM, with literals quoted. Still valid after the lock-down. */
  relation: string
  columns: ColumnInfo[]
  /** Names of the columns that are never NULL. Omitted if none are known. */
  required?: () => Promise<ReadonlySet<string>>
  /** The relation contains users' SQL, so its columns are determined after the lock-down only. */
  isQuery?: true
  warnings: LineWarnings
  /** Absolute folders that the relation must read after the lock-down; none if all data is in the database already. */
  allowedDirectories: string[]
  /** Absolute files that the relation must read after the lock-down. */
  allowedPaths?: string[]
  /** All files of the relation, absolute, if all are Parquet: their footers can answer metrics. */
  parquetFiles?: string[]
  /** For a topic: the position after the messages that were read. */
  reached?: string
  /** As in `LastChange`; absent if the source does not say. */
  state?: string
  /**
   * For a window on files: whether it contains none (`relation` then has all files), their newest change (ISO 8601), and
   * the hashes of all files and of those outside of it.
   */
  files?: { none: boolean; newest: string; all: string; outside: string }
  /**
   * Rejects with `unprocessable` if the files of the relation have changed since; absent if they cannot. `mayGrow`:
   * text files may have become longer, and the result says whether one has.
   */
  assertUnchanged?: (mayGrow: boolean) => Promise<boolean>
  /**
   * Columns whose values are in folder names, which take precedence over columns in the files. Footers do not describe
   * them.
   */
  partitionColumns?: string[]
}
