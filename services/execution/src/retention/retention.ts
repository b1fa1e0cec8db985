import type { Artifacts } from '@assay/artifacts'
import type { DocumentId, Documents } from '@assay/documents'
import {
  type Checkpoints,
  type CommandHandler,
  type EventStore,
  type LeaderElection,
  streamName,
} from '@assay/event-store'
import { dayMs, dayOf, keptSeriesDays } from '@assay/reliability'
import { type Clock, isoTime, type Logger, type Timers } from '@assay/service-kit'
import { isTransient, messageOf } from '@assay/service-kit/errors'
import { createPeriodicWork } from '@assay/work'
import { executionPolicies } from '../copies/policies.ts'
import { executionAggregate } from '../execution/execution.aggregate.ts'
import { executions } from '../execution/execution.documents.ts'
import { type EndedExecution, hasEnded } from '../execution/execution.ts'
import { policyRunsCollection } from '../policy-runs/policy-runs.documents.ts'
import { earlierKeys, earlierReads } from '../running/result-keys.ts'
import { seriesDayAggregate } from '../series/series.aggregate.ts'
import { seriesDays, seriesRuns } from '../series/series.documents.ts'
import { keptVersions, versionAggregate } from '../versions/version.ts'
import { createProfileStates } from './profile-states.ts'

const sweepMs = 3_600_000
const defaultDays = 30
/**
 * How long a stop waits for a removal in progress, so that a bucket that does not answer cannot delay the end of the
 * lease. The next holder of the lease may repeat the removal.
 */
const haltMs = 1_000

/** The keys of a run's results, and of results that failed attempts may have left. */
function keysOf(tenant: string, state: EndedExecution): Set<string> {
  const count = state.attempts ?? 1
  const read = state.readFirst === undefined ? [] : [state.readFirst.key]
  // Only a run that was claimed again can have lost what it read before it waited.
  const reads = count > 1 ? earlierReads(tenant, state.run, count + 1) : read
  const attempts = [...earlierKeys(tenant, state.run, count + 1), ...reads]
  if (state.status !== 'succeeded') return new Set(attempts)
  const { bad, good, metadata } = state.result.files
  return new Set([...[bad?.key, good?.key, metadata.key].flatMap((key) => key ?? []), ...attempts])
}

/**
 * Removes stored rows and metadata of runs after their retention, including files of failed attempts, except those of
 * runs whose profile later runs compare with. Also removes points of series that are older than any look-back, learned
 * versions that no later run starts with, and states that no later profile continues. Runs and their results stay
 * forever.
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
  store: Pick<EventStore, 'truncate'>
  commands: CommandHandler
  checkpoints: Pick<Checkpoints, 'get' | 'set'>
  clock: Clock
  timers: Timers
  logger: Logger
  election?: LeaderElection
  retentionDays?: number
}): Retention {
  const { documents, artifacts, store, commands, checkpoints, clock, timers, logger, election } = deps
  const { retentionDays = defaultDays } = deps
  const sweeping = createPeriodicWork({
    work: removeAll,
    every: (work) => timers.every(sweepMs, () => void work()),
    failed: 'old rows could not be removed; the next sweep within the hour retries',
    haltMs,
    timers,
    logger,
    election,
  })

  const states = createProfileStates({
    ...{ documents, artifacts, commands, checkpoints, clock, retentionDays },
    fence: () => election?.fence() ?? 0,
    each,
  })

  async function remove(tenant: string, id: DocumentId, run: EndedExecution): Promise<void> {
    // Removes the files first: if the process dies before the event, the next sweep repeats both.
    for (const key of keysOf(tenant, run)) await artifacts.remove(key)
    const command = { type: 'RemoveExecutionRows' as const, at: isoTime(clock.now()) }
    await commands.handle(executionAggregate, { tenant, id, command, context: { actor: 'retention' } })
  }

  /** A failure of one step does not affect the others. */
  async function removeAll(): Promise<void> {
    const errors: unknown[] = []
    for (const step of [removeRows, removePoints, removeVersions, states.remove])
      await step().catch((error: unknown) => errors.push(error))
    if (errors.length > 0) throw errors[0]
  }

  /** Removes what runs learned long ago, also from the log. A later run replaced it, or its policy was not stored. */
  async function removeVersions(): Promise<void> {
    const where = [{ field: 'learnedAt', to: clock.now() - retentionDays * dayMs }]
    const failed = 'a version that runs learned could not be removed'
    await each(documents.scan(keptVersions, { where }), failed, async ({ tenant, id }) => {
      if (await isUsed(tenant, id)) return
      const command = { type: 'RemoveVersion' as const, at: isoTime(clock.now()) }
      await commands.handle(versionAggregate, { tenant, id, command, context: { actor: 'retention' } })
      await store.truncate?.(streamName(tenant, versionAggregate.category, id), 1)
    })
  }

  /** Whether a run can still start with a version. */
  async function isUsed(tenant: string, key: DocumentId): Promise<boolean> {
    const current = { where: [{ field: 'learned', is: key }], size: 1 }
    if ((await documents.find(policyRunsCollection, tenant, current)).documents.length > 0) return true
    const created = { where: [{ field: 'baseline', is: key }], size: 1 }
    return (await documents.find(executionPolicies, tenant, created)).documents.length > 0
  }

  /** Removes points that are older than any look-back. Idempotent. */
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
      if (hasEnded(document) && !(await isBaseline(tenant, document))) await remove(tenant, id, document)
    })
  }

  /** Whether later runs compare with the profile of this one: it is the last of its policy, or a policy names it. */
  async function isBaseline(tenant: string, ended: EndedExecution): Promise<boolean> {
    if (ended.status !== 'succeeded' || ended.result.profileScope === undefined) return false
    const { executionId, policy } = ended.run
    const where = [
      { field: 'comparesWith', is: executionId },
      { field: 'archived', is: false },
    ]
    if ((await documents.find(executionPolicies, tenant, { where, size: 1 })).documents.length > 0) return true
    const found = await documents.find(executions, tenant, {
      where: [
        { field: 'policyId', is: policy.id },
        { field: 'executionStatus', is: 'SUCCESSFUL' },
      ],
      sort: [{ field: 'startedAt', direction: 'desc' }],
      size: 1,
    })
    return found.documents[0]?.run.executionId === executionId
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
