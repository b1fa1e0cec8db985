import { closeSync, fdatasync, openSync } from 'node:fs'
import { AssayError } from '@assay/service-kit/errors'

/** Flushes committed transactions to the disk, without blocking the event loop. */
export interface Flushes {
  /**
   * Resolves when everything that is committed now is on the disk. Concurrent calls share flushes. Rejects with
   * `unknown-outcome` if the disk reports an error, and from then on always.
   */
  flushed(): Promise<void>
  /** Whether a flush has failed, after which the disk is not trusted any more. */
  hasFailed(): boolean
  /** Must be called when no flush is running. */
  close(): void
}

/** For a database that need not survive a power failure. */
export const noFlushes: Flushes = { flushed: async () => {}, hasFailed: () => false, close: () => {} }

/** `sync` flushes everything that was written before it is called. */
export function createFlushes(sync: () => Promise<void>, close = () => {}): Flushes {
  let running: Promise<void> | undefined
  let next: Promise<void> | undefined
  let failure: AssayError | undefined

  async function run(): Promise<void> {
    try {
      if (failure === undefined) await sync()
    } catch (cause) {
      // The system may drop what it could not write and call the next flush a success, so no later flush counts.
      failure = new AssayError(
        'unknown-outcome',
        'The disk reported an error while the write was made durable, so it may or may not have happened. Check the disk and restart Assay.',
        { cause },
      )
    }
    running = undefined
    if (failure !== undefined) throw failure
  }

  async function runAfter(earlier: Promise<void>): Promise<void> {
    await earlier.catch(() => {})
    next = undefined
    running = run()
    await running
  }

  return {
    flushed() {
      if (running === undefined) {
        running = run()
        return running
      }
      // The flush that runs may have missed the latest commits.
      next ??= runAfter(running)
      return next
    },
    hasFailed: () => failure !== undefined,
    close,
  }
}

/**
 * Flushes the write-ahead log of the SQLite file at `path`, which must have committed a transaction before the first flush.
 * SQLite checks each transaction in the log by its sum, so flushing the log is all that makes a commit durable.
 */
export function createLogFlushes(path: string): Flushes {
  let file: number | undefined
  const sync = () =>
    new Promise<void>((resolve, reject) => {
      // Its own handle of the log. Closing it releases no lock, because SQLite locks only the other files.
      file ??= openSync(`${path}-wal`, 'r+')
      fdatasync(file, (error) => (error === null ? resolve() : reject(error)))
    })
  return createFlushes(sync, () => {
    if (file !== undefined) closeSync(file)
    file = undefined
  })
}
