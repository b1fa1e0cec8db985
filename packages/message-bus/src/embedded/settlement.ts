import type { Clock } from '@assay/service-kit'
import type { Database } from '@assay/sqlite'
import type { Log, Settled } from './log.ts'
import type { Progress } from './progress.ts'

/**
 * A batcher that records handled messages of a group. Each write includes the messages added during the previous one.
 */
export interface Settlement {
  add(settled: Settled): void
  /** Within a transaction: writes the queued settlements. Returns a function to call after the commit. */
  persistNow(): () => void
  /** Resolves when everything added is written, or when a write has failed. */
  flushed(): Promise<void>
  /** Whether the last write failed. */
  failing(): boolean
  /** Milliseconds for which the current write has had no answer; 0 if there is none. */
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
   * Messages and checkpoint are taken together: a checkpoint newer than the messages could pass one that is parked only
   * in memory.
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
      // Reset in the same turn as the last check of the queue: `add` then starts the next write.
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
