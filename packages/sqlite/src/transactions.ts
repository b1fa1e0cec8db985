import type { DatabaseSync } from 'node:sqlite'
import { translated, translatedCommit } from './errors.ts'

export interface Transactions {
  begin(): void
  commit(): void
  /** Ends a transaction that the engine may already have ended (full disk, I/O error). */
  rollback(): void
  /** Whether a transaction is open. */
  open(): boolean
  /** Runs `work` in a savepoint. If `work` throws, the savepoint is undone. */
  savepoint<T>(work: () => T): T
  /**
   * Runs `work` after the open transaction was committed. Does not run it if the transaction or the savepoint is
   * undone.
   */
  afterCommit(work: () => void): void
}

function refusePromise<T>(result: T): T {
  const thenable = typeof result === 'object' && result !== null && 'then' in result
  if (thenable) throw new TypeError('Work within a transaction must be synchronous: it returned a promise.')
  return result
}

/** Runs `work`, and refuses a promise, because its later part would run outside of the transaction. */
export function synchronously<T>(work: () => T): T {
  return refusePromise(work())
}

/** `onCommit` is called after each commit, before other hooks. Must not throw. */
export function createTransactions(raw: DatabaseSync, onCommit: () => void = () => {}): Transactions {
  const statements = {
    begin: raw.prepare('BEGIN IMMEDIATE'),
    commit: raw.prepare('COMMIT'),
    savepoint: raw.prepare('SAVEPOINT piece'),
    release: raw.prepare('RELEASE piece'),
    undo: raw.prepare('ROLLBACK TO piece'),
  }
  let committed: (() => void)[] = []

  function rollback(): void {
    committed = []
    // If the engine has rolled back by itself, another ROLLBACK would be an error.
    if (raw.isTransaction) raw.exec('ROLLBACK')
  }

  return {
    begin() {
      try {
        statements.begin.run()
      } catch (error) {
        throw translated(error)
      }
    },
    commit() {
      try {
        statements.commit.run()
      } catch (error) {
        rollback()
        throw translatedCommit(error)
      }
      onCommit()
      const work = committed
      committed = []
      // An error of a hook must not reach the writers, because their writes have already succeeded.
      for (const each of work) {
        try {
          each()
        } catch (error) {
          queueMicrotask(() => {
            throw error
          })
        }
      }
    },
    rollback,
    open: () => raw.isTransaction,
    savepoint(work) {
      statements.savepoint.run()
      const hooks = committed.length
      try {
        const result = synchronously(work)
        statements.release.run()
        return result
      } catch (error) {
        if (raw.isTransaction) {
          committed.length = hooks
          statements.undo.run()
          statements.release.run()
        }
        throw translated(error)
      }
    },
    afterCommit(work) {
      if (raw.isTransaction) committed.push(work)
      else work()
    },
  }
}
