import type { Clock } from '@assay/service-kit'
import type { Database } from '@assay/sqlite'
import type { Log, Settled } from './log.ts'
import type { Progress } from './progress.ts'

/**
 * A batcher that records handled messages of a group. Each write contains the messages that were added during the
 * previous write.
 */
export interface Settlement {
  add(settled: Settled): void
  /** Writes the queued settlements. Call it within a transaction. Returns a function to call after the commit. */
  persistNow(): () => void
  /** Resolves when everything added so far is written, or when a write has failed. */
  flushed(): Promise<void>
  /** Whether the last write failed. */
  failing(): boolean
  /** How long the current write has been without an answer, in milliseconds; 0 if there is none. */
  unansweredMs(): number
}

export function createSettlement(options: {
  database: Database
  clock: Clock
  log: Log
  group: string
  progress: ReadonlyMap<string, Progress>
  /** Called when a write has failed. The next `add` or `flushed` retries its settlements. */
  onError: (error: unknown) => void
}): Settlement {
  const { database, clock, log, group, progress } = options
  let gathered: Settled[] = []
  let writing: Promise<void> | undefined
  let failing = false
  let askedAt: number | undefined

  /**
   * Messages and checkpoint are taken together. A checkpoint that is newer than the messages could pass a message whose
   * parking is not written yet.
   */
  function taken(): { write(): void; written(): void } {
    const batch = new Set(gathered)
    const topics = new Set(gathered.map(({ topic }) => topic))
    const checkpoints = new Map<string, number>()
    for (const topic of topics) checkpoints.set(topic, progress.get(topic)?.checkpoint() ?? 0)
    return {
      write: () => log.settle(group, [...batch], checkpoints),
      written: () => {
        gathered = gathered.filter((settled) => !batch.has(settled))
      },
    }
  }

  async function write(): Promise<void> {
    failing = false
    try {
      while (gathered.length > 0) {
        const { write, written } = taken()
        askedAt = clock.now()
        await database.write(write)
        written()
      }
    } catch (error) {
      failing = true
      options.onError(error)
    } finally {
      // Reset without yielding after the last check of the queue, so that `add` then starts the next write.
      writing = undefined
      askedAt = undefined
    }
  }

  async function start(): Promise<void> {
    if (gathered.length === 0) return
    writing ??= write()
    await writing
  }

  return {
    add(settled) {
      gathered.push(settled)
      void start()
    },
    persistNow() {
      const { write, written } = taken()
      write()
      return written
    },
    async flushed() {
      do await start()
      while (gathered.length > 0 && !failing)
    },
    failing: () => failing,
    unansweredMs: () => (askedAt === undefined ? 0 : clock.now() - askedAt),
  }
}
