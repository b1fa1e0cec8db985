import type { DatabaseSync } from 'node:sqlite'
import { Worker } from 'node:worker_threads'
import { numberIn } from './rows.ts'

/**
 * A checkpoint begins when 16 MB were not copied yet, in pages of 4 KiB. With a quarter of it, a burst of writes copies
 * the same pages more often.
 */
const pagesPerCheckpoint = 4000
/**
 * With this many pages (64 MB), a commit makes the checkpoint itself. Needed if the thread fails, and because the file
 * of the log only starts over when a commit finds everything copied.
 */
export const pagesPerOwnCheckpoint = 16_000

export interface Checkpoints {
  /** To be called after each commit. Never throws. */
  committed(): void
  /** Ends the thread. To be called before the connection is closed, which then removes the log's file. */
  close(): Promise<void>
}

/**
 * Copies committed pages from the write-ahead log into the database file, in a thread of its own: a commit that does it
 * blocks the event loop for as long as the disk needs. The first full log starts the thread. If it fails, commits make
 * the checkpoints.
 */
export function createCheckpoints(path: string, raw: DatabaseSync): Checkpoints {
  // Reports the size of the log without a checkpoint, which takes about 10 microseconds. Before version 3.51, SQLite takes
  // NOOP as PASSIVE: each commit would then make a checkpoint, which is slower but right.
  const state = raw.prepare('PRAGMA wal_checkpoint(NOOP)')
  let thread: Worker | undefined
  let isOver = false
  let isRunning = false

  function started(): Worker {
    const made = new Worker(new URL('./checkpoint-worker.ts', import.meta.url), { workerData: path })
    made.unref()
    made.on('message', () => {
      isRunning = false
    })
    made.on('error', () => {
      isOver = true
    })
    return made
  }

  /** Number of pages in the log that are not in the database file yet. Negative if there is no log. */
  function waiting(): number {
    try {
      const row = state.get() ?? {}
      return numberIn(row, 'log') - numberIn(row, 'checkpointed')
    } catch {
      // The log is busy for a moment, or the disk fails, which the next write reports. The next commit asks again.
      return 0
    }
  }

  return {
    committed() {
      if (isRunning || isOver) return
      if (waiting() < pagesPerCheckpoint) return
      isRunning = true
      try {
        thread ??= started()
        thread.postMessage('checkpoint')
      } catch {
        // There is no memory for a thread. The write was committed all the same.
        isOver = true
      }
    },
    async close() {
      isOver = true
      await thread?.terminate()
    },
  }
}
