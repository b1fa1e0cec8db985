import { closeSync, fdatasync, fdatasyncSync, openSync } from 'node:fs'
import { AssayError } from '@assay/service-kit/errors'

/** A flush that takes less than this many milliseconds takes longer in another thread, because of the way there and back. */
const quickMs = 0.3
/** A single writer, who waits for the disk alone, may block the event loop for this long. */
const quickForOneMs = 2
/** Weight of the latest flush in the mean duration of flushes. */
const latestWeight = 0.2

/** Flushes committed transactions to the disk. Only a disk that is quick may block the event loop. */
export interface Flushes {
  /**
   * Resolves when everything that is committed now is on the disk. Concurrent calls share flushes. `isOne`: only a single
   * writer waits. Rejects with `unknown-outcome` if the disk reports an error, and from then on always.
   */
  flushed(isOne: boolean): Promise<void>
  /** Whether a flush has failed, after which the disk is not trusted any more. */
  hasFailed(): boolean
  /** Must be called when no flush is running. */
  close(): void
}

/** For a database that need not survive a power failure. */
export const noFlushes: Flushes = { flushed: async () => {}, hasFailed: () => false, close: () => {} }

/** Both ways flush everything that was written before they are called. */
export interface Disk {
  flush(): Promise<void>
  /** Blocks until it is done. */
  flushNow(): void
  close(): void
}

export function createFlushes(disk: Disk, now = () => performance.now()): Flushes {
  let running: Promise<void> | undefined
  let next: Promise<void> | undefined
  let failure: AssayError | undefined
  /** How long a flush blocks. Another thread measures too much, so it only corrects this downwards. */
  let usualMs = 0

  function failed(cause: unknown): AssayError {
    // The system may drop what it could not write and call the next flush a success, so no later flush counts.
    failure = new AssayError(
      'unknown-outcome',
      'The disk reported an error while the write was made durable, so it may or may not have happened. Check the disk and restart Assay.',
      { cause },
    )
    return failure
  }

  function runNow(): void {
    const began = now()
    try {
      disk.flushNow()
    } catch (cause) {
      throw failed(cause)
    }
    usualMs += latestWeight * (now() - began - usualMs)
  }

  async function run(): Promise<void> {
    const began = now()
    try {
      if (failure === undefined) await disk.flush()
    } catch (cause) {
      failed(cause)
    }
    usualMs = Math.min(usualMs, now() - began)
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
    async flushed(isOne) {
      if (running === undefined && failure === undefined && usualMs < (isOne ? quickForOneMs : quickMs)) return runNow()
      if (running === undefined) {
        running = run()
        return running
      }
      // The flush that runs may have missed the latest commits.
      next ??= runAfter(running)
      return next
    },
    hasFailed: () => failure !== undefined,
    close: disk.close,
  }
}

/**
 * Flushes the write-ahead log of the SQLite file at `path`, which must have committed a transaction before the first flush.
 * SQLite checks each transaction in the log by its sum, so flushing the log is all that makes a commit durable.
 */
export function createLogFlushes(path: string): Flushes {
  let file: number | undefined
  // Its own handle of the log. Closing it releases no lock, because SQLite locks only the other files.
  function log(): number {
    file ??= openSync(`${path}-wal`, 'r+')
    return file
  }
  return createFlushes({
    flush: () =>
      new Promise((resolve, reject) => fdatasync(log(), (error) => (error === null ? resolve() : reject(error)))),
    flushNow: () => fdatasyncSync(log()),
    close() {
      if (file !== undefined) closeSync(file)
      file = undefined
    },
  })
}
