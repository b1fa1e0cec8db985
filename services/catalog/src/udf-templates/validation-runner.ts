import type { Documents } from '@assay/documents'
import type { CommandHandler } from '@assay/event-store'
import {
  type Clock,
  createRequestedJobs,
  expiredSentence,
  isoTime,
  type Logger,
  type RequestedJobs,
  type Timers,
  withDeadline,
} from '@assay/service-kit'
import { AssayError, isAssayError, messageOf } from '@assay/service-kit/errors'
import { udfValidationAggregate, udfValidations } from '../udf-validation/aggregate.ts'
import type { UdfValidationCommand, ValidationTask } from '../udf-validation/udf-validation.ts'
import { type TemplateDeps, tryTemplate } from './try-template.ts'

const deadlineMilliseconds = 60_000
const maxAtOnce = 2
const perTenant = 1
const sweepMilliseconds = 60_000
/** An open job that was requested so long ago was left behind by a process that died. */
const abandonedMilliseconds = 5 * 60_000
/** How long after its request a result can be read, like the jobs of samples. */
export const keptMilliseconds = 24 * 3_600_000

export interface OpenValidation {
  tenant: string
  requestId: string
  task: ValidationTask
  /** ISO 8601 UTC. */
  requestedAt: string
}

/** Works on validations. Trying a template twice does no harm, so they are not claimed: the first end counts. */
export interface ValidationRunner extends Pick<RequestedJobs<OpenValidation>, 'admit' | 'take' | 'asked'> {
  /** `first`: all that an earlier process left open is taken up at once. */
  start(options: { first: boolean }): void
  stop(): Promise<void>
}

export function createValidationRunner(
  deps: TemplateDeps & {
    handler: CommandHandler
    documents: Documents
    clock: Clock
    timers: Timers
    logger: Logger
  },
): ValidationRunner {
  const { handler, documents, clock, timers, logger } = deps
  const queue = createRequestedJobs<OpenValidation>({
    what: 'validations',
    maxAtOnce,
    perTenant,
    clock,
    timers,
    work,
    expire: async (job) => {
      await tell(job, job.tenant, { type: 'FailValidation', at: now(), error: expiredSentence('The validation') })
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
    const milliseconds = deadlineMilliseconds
    const late = new AssayError(
      'timeout',
      `It took longer than ${milliseconds / 1000} s. Simplify the template, or try again.`,
    )
    try {
      const result = await withDeadline(timers, { milliseconds, late, signals: [stopped] }, (signal) =>
        tryTemplate(deps, { ...job, signal }),
      )
      await tell(job, job.tenant, { type: 'SucceedValidation', at: now(), result })
    } catch (error) {
      // A stop is no failure of the job: the next start takes it up again.
      if (stopped.aborted) return
      logger.info({ requestId: job.requestId, error: messageOf(error) }, 'a template could not be applied')
      const isPublished = isAssayError(error) && error.code !== 'internal'
      const sentence = isPublished
        ? error.message
        : 'It failed for an internal reason; the log of the server tells more.'
      await tell(job, job.tenant, { type: 'FailValidation', at: now(), error: sentence })
    }
  }

  async function takeOpen(before: string): Promise<void> {
    for await (const { tenant, document } of documents.scan(udfValidations, { where: [{ field: 'open', is: true }] })) {
      const { requestId, task, requestedAt } = document
      if (requestedAt <= before) queue.take({ tenant, requestId, task, requestedAt })
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
