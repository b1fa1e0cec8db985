import { setImmediate as nextTurn } from 'node:timers/promises'
import { AssayError } from '@assay/service-kit/errors'
import { translated } from './errors.ts'
import { type Flushes, noFlushes } from './flushes.ts'
import { synchronously, type Transactions } from './transactions.ts'

/** Limits of one transaction, so that it does not block the event loop for long. */
const maxPieces = 256
const maxMilliseconds = 6
/** After this number of turns of the event loop without a queued write, a burst is over. */
const quietTurns = 4

interface Piece {
  /** Does the work within the transaction. */
  run(): void
  /** Resolves the caller's promise when the commit is durable. */
  resolve(): void
  reject(error: unknown): void
}

export interface GroupCommit {
  write<T>(work: () => T): Promise<T>
  /** Resolves when no writes are queued, at the latest after `maxMilliseconds`. */
  quiet(maxMilliseconds: number): Promise<void>
  /** Refuses new work and resolves when all queued work is done. */
  close(): Promise<void>
}

/**
 * Group commit: writes that are queued while the process is busy or flushes earlier writes share one transaction, and
 * therefore one flush to the disk. A lone writer does not wait: the queue is drained in the next turn of the event loop,
 * after everything that is ready has been queued. Others may read a write while it is being flushed; its writer waits.
 */
export function createGroupCommit(
  transactions: Transactions,
  flushes: Flushes = noFlushes,
  now = () => performance.now(),
): GroupCommit {
  let queue: Piece[] = []
  let scheduled = false
  let closed = false
  /** Number of transactions that are being flushed. */
  let flushing = 0
  const idle: (() => void)[] = []
  const isBusy = () => scheduled || flushing > 0 || queue.length > 0

  function drain(): void {
    scheduled = false
    const batch = queue.length > maxPieces ? queue.slice(0, maxPieces) : queue
    queue = queue.slice(batch.length)
    const rest = runBatch(batch)
    queue = [...rest, ...queue]
    // A transaction that was full is followed by another one at once, so the disk does not limit a burst.
    if (queue.length > 0) schedule()
    else rested()
  }

  function schedule(): void {
    if (scheduled) return
    scheduled = true
    setImmediate(drain)
  }

  function rested(): void {
    if (!isBusy()) for (const resolve of idle.splice(0)) resolve()
  }

  /** Runs as much of `batch` as fits into the time limit, and commits it. Returns the remaining pieces. */
  function runBatch(batch: readonly Piece[]): readonly Piece[] {
    const done: Piece[] = []
    if (flushes.hasFailed()) {
      const sentence = 'The disk failed, so nothing more is written. Check the disk and restart Assay.'
      for (const piece of batch) piece.reject(new AssayError('unavailable', sentence))
      return []
    }
    const started = now()
    let taken = 0
    try {
      transactions.begin()
      while (taken < batch.length && (taken === 0 || now() - started < maxMilliseconds)) {
        const piece = batch[taken++]
        if (piece !== undefined) runPiece(piece, batch.length > 1, done)
      }
      transactions.commit()
    } catch (error) {
      transactions.rollback()
      const failed = taken === 0 ? batch : done
      for (const piece of failed) piece.reject(error)
      return taken === 0 ? [] : batch.slice(taken)
    }
    if (done.length > 0) void settle(done)
    return batch.slice(taken)
  }

  /** Answers the writers of a committed transaction when it is durable. */
  async function settle(done: readonly Piece[]): Promise<void> {
    flushing += 1
    try {
      await flushes.flushed(done.length === 1)
      for (const piece of done) piece.resolve()
    } catch (error) {
      for (const piece of done) piece.reject(error)
    }
    flushing -= 1
    if (queue.length > 0) schedule()
    else rested()
  }

  /** A piece that throws rejects immediately. None of its writes are stored, whatever happens to the other pieces. */
  function runPiece(piece: Piece, several: boolean, done: Piece[]): void {
    try {
      if (several) transactions.savepoint(piece.run)
      else piece.run()
    } catch (error) {
      piece.reject(translated(error))
      if (!several) transactions.rollback()
      // The engine has rolled back by itself (full disk, I/O error), so earlier pieces of this transaction are lost,
      // too.
      if (!transactions.open()) throw translated(error)
      return
    }
    done.push(piece)
  }

  return {
    write(work) {
      if (closed) return Promise.reject(new AssayError('unavailable', 'The database is closed.'))
      return new Promise((resolve, reject) => {
        let finish = (): void => {}
        queue.push({
          run: () => {
            const result = synchronously(work)
            finish = () => resolve(result)
          },
          resolve: () => finish(),
          reject,
        })
        if (flushing === 0) schedule()
      })
    },
    async quiet(maxMilliseconds) {
      const end = now() + maxMilliseconds
      // Several turns, because writers that have just succeeded queue their next writes only afterwards.
      for (let turns = 0; turns < quietTurns && now() < end; ) {
        await nextTurn()
        turns = isBusy() ? 0 : turns + 1
      }
    },
    async close() {
      closed = true
      if (isBusy()) await new Promise<void>((resolve) => idle.push(resolve))
    },
  }
}
