import type { Documents } from '@assay/documents'
import type { Exclusive } from '@assay/event-store'
import type { Clock, Logger, Timers } from '@assay/service-kit'
import { type ErrorCode, isAssayError, messageOf } from '@assay/service-kit/errors'
import { executionPolicies } from '../copies/policies.ts'
import { policyRunsCollection } from '../policy-runs/policy-runs.documents.ts'
import type { PolicyRuns } from '../policy-runs/policy-runs.ts'
import type { RunStreams } from '../policy-runs/run-streams.ts'
import type { StartRun } from '../starting/start-run.ts'
import { decideDue } from './due.ts'

/** How often the book is looked at. */
const lookMs = 1_000
/** Starts at the same time. */
const atOnce = 8
const pageSize = 200

/** What a later try would meet as well. */
const refusals: readonly ErrorCode[] = ['unprocessable', 'not-implemented', 'invalid']

const context = { actor: 'scheduler' }

/**
 * Starts the runs that are due, and notes those that are skipped. Several schedulers do no harm: each due time is taken
 * once, by an append to the policy's stream. `exclusive` spares the others the work.
 */
export interface Scheduler {
  start(): void
  stop(): Promise<void>
  /** Looks now. Resolves when all that is due was started or skipped. */
  look(): Promise<void>
}

export function createScheduler(deps: {
  documents: Documents
  streams: RunStreams
  startRun: StartRun
  clock: Clock
  timers: Timers
  logger: Logger
  exclusive?: Exclusive
}): Scheduler {
  const { documents, streams, startRun, clock, timers, logger, exclusive } = deps
  let stopping = new AbortController()
  let looking: Promise<void> | undefined
  let ticks: { stop(): void } | undefined
  let leave: (() => Promise<void>) | undefined

  async function handle(tenant: string, policyId: number, { policy, due }: PolicyRuns): Promise<void> {
    if (due === null || !policy?.schedule) return
    const decision = decideDue(policy.schedule, due, clock.now())
    const { scheduled } = decision
    const skip = (reason: string) => streams.handle(tenant, policyId, { type: 'SkipRun', scheduled, reason }, context)
    if (decision.kind === 'skip') return skip(decision.reason)
    const copy = await documents.get(executionPolicies, tenant, policyId)
    // The policy is followed before its copy is put: it comes in a moment.
    if (!copy) return
    const request = {
      executionType: undefined,
      includeInQualityScore: undefined,
      ruleItemSelections: undefined,
      markerConfigs: undefined,
      sparkResourceConfig: undefined,
    }
    const start = { tenant, copy: copy.document, request, executionMode: 'SCHEDULED' as const, scheduled, context }
    try {
      await startRun({ ...start, signal: stopping.signal })
    } catch (error) {
      if (isAssayError(error, 'taken')) return
      const isRefused = isAssayError(error) && refusals.includes(error.code)
      if (!isRefused || stopping.signal.aborted) throw error
      await skip(messageOf(error))
    }
  }

  async function lookThrough(): Promise<void> {
    const where = [{ field: 'dueAt', to: clock.now() }]
    const working = new Set<Promise<void>>()
    for await (const { tenant, id, document } of documents.scan(policyRunsCollection, { where, pageSize })) {
      if (stopping.signal.aborted) break
      const work = handle(tenant, Number(id), document)
        .catch((error: unknown) => {
          logger.warn(
            { tenant, policyId: id, error: messageOf(error) },
            'a due run could not be started; it is tried again',
          )
        })
        .finally(() => working.delete(work))
      working.add(work)
      if (working.size >= atOnce) await Promise.race(working)
    }
    await Promise.all(working)
  }

  function look(): Promise<void> {
    looking ??= lookThrough()
      .catch((error: unknown) => {
        logger.warn({ error: messageOf(error) }, 'the schedules could not be looked at; it is tried again')
      })
      .finally(() => {
        looking = undefined
      })
    return looking
  }

  function run(): void {
    stopping = new AbortController()
    ticks ??= timers.every(lookMs, () => void look())
    void look()
  }

  async function halt(): Promise<void> {
    stopping.abort()
    ticks?.stop()
    ticks = undefined
    await looking
  }

  return {
    look,
    start: () => {
      if (!exclusive) return run()
      leave ??= exclusive.join({ start: async () => run(), stop: halt })
    },
    stop: async () => {
      await leave?.()
      leave = undefined
      await halt()
    },
  }
}
