import { DatabaseSync } from 'node:sqlite'
import { createCheckpoints, pagesPerOwnCheckpoint } from './checkpoints.ts'
import { translated } from './errors.ts'
import { createLogFlushes, noFlushes } from './flushes.ts'
import { createGroupCommit } from './group-commit.ts'
import { createStatement, type Statement } from './statement.ts'
import { createTransactions, synchronously } from './transactions.ts'

/**
 * One connection to one SQLite file. Everything but `write` is synchronous. Throws `unavailable` if the disk is full,
 * fails or is read-only, or if the file is locked or damaged. Violated constraints remain driver errors (`sqliteCode`,
 * `isUniqueViolation`). Errors of `work` pass unchanged.
 */
export interface Database {
  /** The path of the file, for further connections to it. */
  readonly path: string
  /** Prepares a statement. Each text is prepared only once. */
  prepare(sql: string): Statement
  /** Runs one or more statements without parameters. */
  exec(sql: string): void
  /**
   * Runs `work` within a transaction that it may share with other writes. Resolves when the transaction is durable. Others
   * may read it before: it is committed, and being flushed to the disk.
   * Each `work` is all or nothing: if it throws, only its own writes are undone. `work` must be synchronous.
   */
  write<T>(work: () => T): Promise<T>
  /**
   * Runs `work` immediately in its own transaction. If a transaction is already open (also one of `write`), runs it in
   * a savepoint.
   */
  transaction<T>(work: () => T): T
  /** Whether a transaction is open. If so, reads may see writes that are undone later. */
  isWithinTransaction(): boolean
  /** Runs `work` after the commit of the open transaction, or immediately if there is none. Must not throw. */
  afterCommit(work: () => void): void
  /**
   * Resolves when no writes are queued, at the latest after `maxMilliseconds`. For work that should let a burst of
   * writes finish first.
   */
  quiet(maxMilliseconds: number): Promise<void>
  /** Finishes the queued writes, then closes. May be called twice. */
  close(): Promise<void>
}

/** Maximum number of prepared statements. Queries have few forms, so this only guards against accidents. */
const maxPrepared = 1000

function opened(path: string): DatabaseSync {
  try {
    const raw = new DatabaseSync(path, { timeout: 5000, enableForeignKeyConstraints: true })
    raw.exec(
      `PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA temp_store = MEMORY;
       PRAGMA cache_size = -16000; PRAGMA journal_size_limit = 67108864; PRAGMA wal_autocheckpoint = ${pagesPerOwnCheckpoint}`,
    )
    return raw
  } catch (error) {
    throw translated(error)
  }
}

/**
 * Opens or creates the file at `path` (its folder must exist), in write-ahead mode. `synchronous`: with FULL (default),
 * commits survive a power failure; with NORMAL, they survive only a crash of the process.
 */
export function openDatabase(options: { path: string; synchronous?: 'FULL' | 'NORMAL' }): Database {
  const isDurable = options.synchronous !== 'NORMAL' && options.path !== ':memory:'
  const raw = opened(options.path)
  // SQLite would flush within the commit, and so block the event loop. Commits of `write` are flushed after it instead.
  const flushes = isDurable ? createLogFlushes(options.path) : noFlushes
  const checkpoints = createCheckpoints(options.path, raw)
  const transactions = createTransactions(raw, checkpoints.committed)
  const group = createGroupCommit(transactions, flushes)
  const prepared = new Map<string, Statement>()
  let closing: Promise<void> | undefined

  function prepare(sql: string): Statement {
    const known = prepared.get(sql)
    if (known !== undefined) return known
    try {
      const statement = createStatement(raw.prepare(sql), sql)
      const oldest = prepared.size < maxPrepared ? undefined : prepared.keys().next().value
      if (oldest !== undefined) prepared.delete(oldest)
      prepared.set(sql, statement)
      return statement
    } catch (error) {
      throw translated(error)
    }
  }

  function transaction<T>(work: () => T): T {
    if (transactions.open()) return transactions.savepoint(work)
    if (isDurable) raw.exec('PRAGMA synchronous = FULL')
    try {
      transactions.begin()
      let result: T
      try {
        result = synchronously(work)
      } catch (error) {
        transactions.rollback()
        throw translated(error)
      }
      transactions.commit()
      return result
    } finally {
      if (isDurable) raw.exec('PRAGMA synchronous = NORMAL')
    }
  }

  return {
    path: options.path,
    prepare,
    exec(sql) {
      try {
        raw.exec(sql)
      } catch (error) {
        throw translated(error)
      }
    },
    write: group.write,
    transaction,
    isWithinTransaction: transactions.open,
    afterCommit: transactions.afterCommit,
    quiet: group.quiet,
    close() {
      closing ??= group
        .close()
        .then(checkpoints.close)
        .then(flushes.close)
        .then(() => raw.close())
      return closing
    },
  }
}
