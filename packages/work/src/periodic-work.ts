import type { LeaderElection } from '@assay/event-store'
import type { Logger, Timers } from '@assay/service-kit'
import { messageOf } from '@assay/service-kit/errors'

/** Work that is repeated, never concurrently. */
export interface PeriodicWork {
  start(): void
  stop(): Promise<void>
  /** Does the work now, or waits for the work in progress. Resolves also after a failure, which is logged. */
  once(): Promise<void>
  /** Aborts when the work must stop. Each start creates a new signal. */
  stopping(): AbortSignal
}

/**
 * Does `work` when started and whenever `every` calls it. With `election`, only the process that holds the lease does
 * it. `failed`: log line of a failure. `haltMs`: maximum time that a stop waits for work in progress; default: no
 * limit.
 */
export function createPeriodicWork(deps: {
  work: () => Promise<void>
  /** Calls `work` repeatedly until it is stopped. */
  every(work: () => Promise<void>): { stop(): void }
  failed: string
  haltMs?: number
  timers: Timers
  logger: Logger
  election?: LeaderElection | undefined
}): PeriodicWork {
  const { work, every, failed, haltMs, timers, logger, election } = deps
  let stopping = new AbortController()
  let inProgress: Promise<void> | undefined
  let ticks: { stop(): void } | undefined
  let leave: (() => Promise<void>) | undefined

  function once(): Promise<void> {
    inProgress ??= work()
      .catch((error: unknown) => {
        logger.warn({ error: messageOf(error) }, failed)
      })
      .finally(() => {
        inProgress = undefined
      })
    return inProgress
  }

  function run(): void {
    stopping = new AbortController()
    ticks ??= every(once)
    void once()
  }

  async function halt(): Promise<void> {
    stopping.abort()
    ticks?.stop()
    ticks = undefined
    if (haltMs === undefined) return await inProgress
    const isOver = new AbortController()
    await Promise.race([inProgress, timers.sleep(haltMs, isOver.signal)])
    isOver.abort()
  }

  return {
    once,
    stopping: () => stopping.signal,
    start() {
      if (!election) return run()
      leave ??= election.join({ start: async () => run(), stop: halt })
    },
    async stop() {
      await leave?.()
      leave = undefined
      await halt()
    },
  }
}
