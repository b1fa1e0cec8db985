import type { Documents } from '@assay/documents'
import type { CommandHandler } from '@assay/event-store'
import {
  type Clock,
  createRequestedJobs,
  expiredSentence,
  isoTime,
  type Logger,
  type NewId,
  type RequestedJobs,
  type Timers,
  withDeadline,
} from '@assay/service-kit'
import { AssayError, messageOf } from '@assay/service-kit/errors'
import { type ClaimedWork, type ClaimRequest, claimsOf, isClaimable, workOnClaim } from '@assay/work'
import { udfValidationAggregate, udfValidations } from '../udf-validation/aggregate.ts'
import type { UdfValidationCommand, ValidationTask } from '../udf-validation/udf-validation.ts'
import { type TemplateDeps, tryTemplate } from './try-template.ts'

const deadlineMilliseconds = 60_000
const maxAtOnce = 2
const perTenant = 1
const sweepMilliseconds = 10_000
/** An open job that was requested this long ago no longer waits in any process. */
const abandonedMilliseconds = 5 * 60_000
/** How long after its request a result can be read, like those of samples. */
export const keptMilliseconds = 24 * 3_600_000

export interface OpenValidation {
  tenant: string
  requestId: string
  task: ValidationTask
  /** ISO 8601 UTC. */
  requestedAt: string
}

/** Works on validations. */
export interface ValidationRunner extends Pick<RequestedJobs<OpenValidation>, 'admit' | 'take' | 'asked'> {
  /** `first`: takes over at once everything that an earlier process left open. */
  start(options: { first: boolean }): void
  stop(): Promise<void>
}

export function createValidationRunner(
  deps: TemplateDeps & {
    handler: CommandHandler
    documents: Documents
    clock: Clock
    timers: Timers
    newId: NewId
    logger: Logger
  },
): ValidationRunner {
  const { handler, documents, clock, timers, logger } = deps
  const worker = deps.newId()
  const queue = createRequestedJobs<OpenValidation>({
    what: 'validations',
    maxAtOnce,
    perTenant,
    clock,
    timers,
    work,
    expire: async (job) => {
      await tell(job, job.tenant, { type: 'ExpireValidation', at: now(), error: expiredSentence('The validation') })
    },
    onError: (error, { requestId }) =>
      logger.error({ requestId, error: messageOf(error) }, 'the end of a validation was not written'),
  })
  let ticks: { stop(): void } | undefined
  let sweeping: Promise<void> | undefined
  const now = () => isoTime(clock.now())

  function tell({ requestId }: { requestId: string }, tenant: string, command: UdfValidationCommand) {
    return handler.handle(udfValidationAggregate, { tenant, id: requestId, command, context: { actor: 'system' } })
  }

  async function work(job: OpenValidation, stopped: AbortSignal): Promise<void> {
    await workOnClaim({ ...deps, worker }, (claim) => claimValidation(job, claim), {
      stopped,
      isStopping: () => !queue.isOpen(),
    })
  }

  async function claimValidation(job: OpenValidation, claim: ClaimRequest): Promise<ClaimedWork | undefined> {
    const { state, events } = await tell(job, job.tenant, { type: 'ClaimValidation', ...claim })
    if (events.length === 0 || state.status !== 'open' || state.work?.status !== 'running') return undefined
    return claimedValidation(job, state.work.claim.fence)
  }

  function claimedValidation(job: OpenValidation, fence: number): ClaimedWork {
    const { tenant, requestId } = job
    const say = (command: UdfValidationCommand) => tell(job, tenant, command)
    return {
      what: 'validation',
      about: { tenant, requestId },
      renew: async (at, until) =>
        (await say({ type: 'RenewValidation', fence, at, until })).events.length > 0 ? 'held' : 'lost',
      async carryOut({ signal }) {
        const milliseconds = deadlineMilliseconds
        const late = new AssayError(
          'timeout',
          `It took longer than ${milliseconds / 1000} s. Simplify the template, or try again.`,
        )
        const result = await withDeadline(timers, { milliseconds, late, signals: [signal] }, (signal) =>
          tryTemplate(deps, { ...job, signal }),
        )
        return {
          succeed: async () => (await say({ type: 'SucceedValidation', fence, at: now(), result })).events.length > 0,
        }
      },
      fail: async (at, error) => void (await say({ type: 'FailValidation', fence, at, error })),
      release: async (at) => void (await say({ type: 'ReleaseValidation', fence, at })),
    }
  }

  /** Validations that a worker released or died with, and those requested before `before`. */
  async function takeOpen(before: string): Promise<void> {
    for await (const { tenant, document } of documents.scan(udfValidations, { where: [{ field: 'open', is: true }] })) {
      const { requestId, task, requestedAt, work } = document
      if (work === null || !isClaimable(work, now())) continue
      if (claimsOf(work) > 0 || requestedAt <= before) queue.take({ tenant, requestId, task, requestedAt })
    }
  }

  async function forgetOld(): Promise<void> {
    const requestedBefore = isoTime(clock.now() - keptMilliseconds)
    const where = [{ field: 'requestedAt', to: requestedBefore }]
    for await (const { tenant, document } of documents.scan(udfValidations, { where })) {
      if (!queue.isOpen()) return
      if (document.status !== 'open')
        await tell(document, tenant, { type: 'ForgetValidation', at: now(), requestedBefore })
    }
  }

  function sweep(before: string): void {
    sweeping ??= takeOpen(before)
      .then(forgetOld)
      .catch((error: unknown) => {
        logger.warn({ error: messageOf(error) }, 'validations could not be looked over; it is tried again')
      })
      .finally(() => {
        sweeping = undefined
      })
  }

  return {
    admit: queue.admit,
    take: queue.take,
    asked: queue.asked,
    start({ first }) {
      queue.open()
      ticks = timers.every(sweepMilliseconds, () => sweep(isoTime(clock.now() - abandonedMilliseconds)))
      if (first) sweep(now())
    },
    async stop() {
      ticks?.stop()
      await Promise.all([queue.close(), sweeping])
    },
  }
}
