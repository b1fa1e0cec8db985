import type { Documents } from '@assay/documents'
import type { Exclusive } from '@assay/event-store'
import type { Clock, Logger, Timers } from '@assay/service-kit'
import { type ErrorCode, isAssayError, messageOf } from '@assay/service-kit/errors'
import { createPeriodicWork } from '@assay/work'
import { executionPolicies } from '../copies/policies.ts'
import { dueTenant, dueTimes } from '../policy-runs/policy-runs.documents.ts'
import type { RunStreams } from '../policy-runs/run-streams.ts'
import type { StartRun } from '../starting/start-run.ts'
import { decideDue } from './due.ts'

/** How often the book is looked at. */
const lookMs = 1_000
/** Starts at the same time. */
const atOnce = 8
const pageSize = 200

/** What a later try would meet as well. */
const refusals: readonly ErrorCode[] = ['unprocessable', 'not-implemented', 'invalid', 'too-large']

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
  const looking = createPeriodicWork({
    work: lookThrough,
    everyMs: lookMs,
    failed: 'the schedules could not be looked at; it is tried again',
    timers,
    logger,
    exclusive,
  })

  /** Starts or skips a policy's due run. Answers whether its due time has moved on. */
  async function handle(tenant: string, policyId: number): Promise<boolean> {
    const { policy, due } = await streams.load(tenant, policyId)
    if (due === null || !policy?.schedule || Date.parse(due) > clock.now()) return true
    const decision = decideDue(policy.schedule, due, clock.now())
    const { scheduled } = decision
    const skip = (reason: string) => streams.handle(tenant, policyId, { type: 'SkipRun', scheduled, reason }, context)
    if (decision.kind === 'skip') {
      await skip(decision.reason)
      return true
    }
    const copy = await documents.get(executionPolicies, tenant, policyId)
    // The policy is followed before its copy is put: it comes in a moment.
    if (!copy) return false
    const request = {
      executionType: copy.document.policy.rule.scheduleExecutionType ?? undefined,
      includeInQualityScore: undefined,
      ruleItemSelections: undefined,
      markerConfigs: undefined,
      sparkResourceConfig: undefined,
    }
    const start = { tenant, copy: copy.document, request, executionMode: 'SCHEDULED' as const, scheduled, context }
    try {
      await startRun({ ...start, signal: looking.stopping() })
    } catch (error) {
      if (isAssayError(error, 'taken')) return true
      const isRefused = isAssayError(error) && refusals.includes(error.code)
      if (!isRefused || looking.stopping().aborted) throw error
      await skip(messageOf(error))
    }
    return true
  }

  async function attempt(tenant: string, policyId: number): Promise<boolean> {
    try {
      return await handle(tenant, policyId)
    } catch (error) {
      logger.warn({ tenant, policyId, error: messageOf(error) }, 'a due run could not be started; it is tried again')
      return false
    }
  }

  /** Earliest first. Those that could not be handled stay due: the others are found behind them. */
  async function lookThrough(): Promise<void> {
    const where = [{ field: 'dueAt', to: clock.now() }]
    const sort = [{ field: 'dueAt', direction: 'asc' as const }]
    const seen = new Set<string>()
    let left = 0
    for (;;) {
      const page = Math.floor(left / pageSize)
      const { documents: due } = await documents.find(dueTimes, dueTenant, { where, sort, page, size: pageSize })
      const fresh = due.filter(({ tenant, policyId }) => !seen.has(`${tenant}/${policyId}`))
      if (fresh.length === 0) return
      for (let start = 0; start < fresh.length; start += atOnce) {
        if (looking.stopping().aborted) return
        const some = fresh.slice(start, start + atOnce)
        const done = await Promise.all(some.map(({ tenant, policyId }) => attempt(tenant, policyId)))
        left += done.filter((isDone) => !isDone).length
      }
      for (const { tenant, policyId } of fresh) seen.add(`${tenant}/${policyId}`)
    }
  }

  return { look: looking.once, start: looking.start, stop: looking.stop }
}
