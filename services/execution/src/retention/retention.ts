import type { Artifacts } from '@assay/artifacts'
import type { DocumentId, Documents } from '@assay/documents'
import type { CommandHandler, LeaderElection } from '@assay/event-store'
import { dayMs, dayOf, keptSeriesDays } from '@assay/reliability'
import { type Clock, isoTime, type Logger, type Timers } from '@assay/service-kit'
import { isTransient, messageOf } from '@assay/service-kit/errors'
import { createPeriodicWork } from '@assay/work'
import { executionAggregate } from '../execution/execution.aggregate.ts'
import { executions } from '../execution/execution.documents.ts'
import { type EndedExecution, hasEnded } from '../execution/execution.ts'
import { earlierKeys } from '../running/result-keys.ts'
import { seriesDayAggregate } from '../series/series.aggregate.ts'
import { seriesDays, seriesRuns } from '../series/series.documents.ts'

const sweepMs = 3_600_000
const defaultDays = 30
/**
 * How long a stop waits for a removal in progress, so that a bucket that does not answer cannot delay the end of the
 * lease. The next holder of the lease may repeat the removal.
 */
const haltMs = 1_000

/** The keys of a run's results, and of results that failed attempts may have left. */
function keysOf(tenant: string, state: EndedExecution): Set<string> {
  const attempts = earlierKeys(tenant, state.run, (state.attempts ?? 1) + 1)
  if (state.status !== 'succeeded') return new Set(attempts)
  const { bad, good, metadata } = state.result.files
  return new Set([...[bad?.key, good?.key, metadata.key].flatMap((key) => key ?? []), ...attempts])
}

/**
 * Removes stored rows and metadata of runs after their retention, including files of failed attempts. Also removes
 * points of series that no look-back reaches any more. Runs and their results stay forever.
 */
export interface Retention {
  start(): void
  stop(): Promise<void>
  /** Sweeps now. Resolves when everything past its retention was removed. */
  sweep(): Promise<void>
}

export function createRetention(deps: {
  documents: Documents
  artifacts: Artifacts
  commands: CommandHandler
  clock: Clock
  timers: Timers
  logger: Logger
  election?: LeaderElection
  retentionDays?: number
}): Retention {
  const { documents, artifacts, commands, clock, timers, logger, election, retentionDays = defaultDays } = deps
  const sweeping = createPeriodicWork({
    work: removeAll,
    every: (work) => timers.every(sweepMs, () => void work()),
    failed: 'old rows could not be removed; the next sweep within the hour retries',
    haltMs,
    timers,
    logger,
    election,
  })

  async function remove(tenant: string, id: DocumentId, run: EndedExecution): Promise<void> {
    // Removes the files first: if the process dies before the event, the next sweep repeats both.
    for (const key of keysOf(tenant, run)) await artifacts.remove(key)
    const command = { type: 'RemoveExecutionRows' as const, at: isoTime(clock.now()) }
    await commands.handle(executionAggregate, { tenant, id, command, context: { actor: 'retention' } })
  }

  async function removeAll(): Promise<void> {
    try {
      await removeRows()
    } finally {
      await removePoints()
    }
  }

  /** Removes points that no look-back reaches any more. Idempotent. */
  async function removePoints(): Promise<void> {
    const limit = dayOf(clock.now()) - keptSeriesDays
    const at = isoTime(clock.now())
    const context = { actor: 'retention' }
    const old = [{ field: 'at', to: limit * dayMs - 1 }]
    const failed = 'old points of series could not be removed'
    await each(documents.scan(seriesRuns, { where: old }), failed, async ({ tenant, id }) => {
      await commands.handle(executionAggregate, {
        tenant,
        id,
        command: { type: 'RemoveExecutionPoints', at },
        context,
      })
    })
    const days = documents.scan(seriesDays, { where: [{ field: 'day', to: limit - 1 }] })
    await each(days, failed, async ({ tenant, id }) => {
      await commands.handle(seriesDayAggregate, { tenant, id, command: { type: 'RemoveSeriesDay', at }, context })
    })
  }

  async function removeRows(): Promise<void> {
    const where = [
      { field: 'rowsKept', is: true },
      { field: 'finishedAt', to: clock.now() - retentionDays * dayMs },
    ]
    const failed = 'the rows of a run could not be removed'
    await each(documents.scan(executions, { where }), failed, async ({ tenant, id, document }) => {
      if (hasEnded(document)) await remove(tenant, id, document)
    })
  }

  /** Handles documents until a stop. A failure is logged, and does not affect the other documents. */
  async function each<Found extends { tenant: string; id: DocumentId }>(
    all: AsyncIterable<Found>,
    failed: string,
    work: (found: Found) => Promise<void>,
  ): Promise<void> {
    for await (const found of all) {
      if (sweeping.stopping().aborted) return
      try {
        await work(found)
      } catch (error) {
        if (isTransient(error)) throw error
        logger.warn({ tenant: found.tenant, id: found.id, error: messageOf(error) }, failed)
      }
    }
  }

  return { sweep: sweeping.once, start: sweeping.start, stop: sweeping.stop }
}
