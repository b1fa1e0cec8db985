import { setImmediate as nextTurn } from 'node:timers/promises'
import { AssayError } from '@assay/service-kit/errors'
import { translated } from './errors.ts'
import { synchronously, type Transactions } from './transactions.ts'

/** Limits of one transaction, so that it does not block the event loop for long. */
const maxPieces = 256
const minMilliseconds = 10
const maxMilliseconds = 40
/** Longest time that a transaction and its commit should block the event loop, unless the disk is too slow for it. */
const maxBlockedMilliseconds = 20
/**
 * Minimum duration of the work in a transaction, as a multiple of the duration of a commit. A commit waits for the
 * disk; longer transactions keep this wait below about a third of a burst's time.
 */
const workPerCommit = 2
/** After this number of turns of the event loop without a queued write, a burst is over. */
const quietTurns = 4
/** Weight of the latest commit in the mean duration of commits. */
const latestWeight = 0.2

/** The time for the work in a transaction, if its commit takes `commitMilliseconds`. Pure. */
function workLimit(commitMilliseconds: number): number {
  const wanted = workPerCommit * commitMilliseconds
  const left = maxBlockedMilliseconds - commitMilliseconds
  // If the commit alone takes too long, short transactions would only lower the throughput.
  return left > 0 ? Math.max(minMilliseconds, Math.min(wanted, left)) : Math.min(maxMilliseconds, wanted)
}

interface Piece {
  /** Does the work within the transaction. */
  run(): void
  /** Resolves the caller's promise after the commit. */
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
 * Group commit: writes that are queued while the process is busy share one transaction, and therefore one flush to the
 * disk. A lone writer does not wait: the queue is drained in the next turn of the event loop, after everything that is
 * ready has been queued.
 */
export function createGroupCommit(transactions: Transactions, now = () => performance.now()): GroupCommit {
  let queue: Piece[] = []
  let scheduled = false
  let closed = false
  let commitMilliseconds = 0
  const idle: (() => void)[] = []

  function drain(): void {
    scheduled = false
    const batch = queue.length > maxPieces ? queue.slice(0, maxPieces) : queue
    queue = queue.slice(batch.length)
    const rest = runBatch(batch)
    if (rest.length > 0) queue = [...rest, ...queue]
    if (queue.length > 0) schedule()
    else for (const resolve of idle.splice(0)) resolve()
  }

  function schedule(): void {
    if (scheduled) return
    scheduled = true
    setImmediate(drain)
  }

  /** Runs as much of `batch` as fits into the time limit, and commits it. Returns the remaining pieces. */
  function runBatch(batch: readonly Piece[]): readonly Piece[] {
    const done: Piece[] = []
    const started = now()
    const limit = workLimit(commitMilliseconds)
    let taken = 0
    try {
      transactions.begin()
      while (taken < batch.length && (taken === 0 || now() - started < limit)) {
        const piece = batch[taken++]
        if (piece !== undefined) runPiece(piece, batch.length > 1, done)
      }
      const committing = now()
      transactions.commit()
      commitMilliseconds += latestWeight * (now() - committing - commitMilliseconds)
    } catch (error) {
      transactions.rollback()
      const failed = taken === 0 ? batch : done
      for (const piece of failed) piece.reject(error)
      return taken === 0 ? [] : batch.slice(taken)
    }
    for (const piece of done) piece.resolve()
    return batch.slice(taken)
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
        schedule()
      })
    },
    async quiet(maxMilliseconds) {
      const end = now() + maxMilliseconds
      // Several turns, because writers that have just succeeded queue their next writes only afterwards.
      for (let turns = 0; turns < quietTurns && now() < end; ) {
        await nextTurn()
        turns = queue.length > 0 ? 0 : turns + 1
      }
    },
    async close() {
      closed = true
      if (scheduled) await new Promise<void>((resolve) => idle.push(resolve))
    },
  }
}
