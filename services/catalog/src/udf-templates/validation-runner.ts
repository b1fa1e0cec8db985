import type { SampleData } from '@assay/contracts'
import type { Documents } from '@assay/documents'
import type { CommandHandler } from '@assay/event-store'
import { type Clock, isoTime, type Logger, type NewId, type Timers, withDeadline } from '@assay/service-kit'
import { AssayError } from '@assay/service-kit/errors'
import {
  type Candidate,
  type ClaimedWork,
  type ClaimRequest,
  createRequestedWork,
  expiredSentence,
  type RequestedFiles,
  type RequestedWork,
} from '@assay/work'
import { udfValidationAggregate, udfValidations, validationWork } from '../udf-validation/aggregate.ts'
import type { KnownValidation, UdfValidationCommand } from '../udf-validation/udf-validation.ts'
import { type TemplateDeps, tryTemplate } from './try-template.ts'

const deadlineMilliseconds = 60_000
/** For ten seconds. */
const looksForData = 40
const lookMilliseconds = 250
const maxAtOnce = 2
const perTenant = 1
/** How long after its request a result can be read, like those of samples. */
export const keptMilliseconds = 24 * 3_600_000

/** Where test data and the rows of results are. */
export interface ValidationFiles {
  testData: RequestedFiles<string>
  results: RequestedFiles<SampleData>
}

/** Runs requested validations, and removes old ones. */
export function createValidationRunner(
  deps: TemplateDeps & {
    handler: CommandHandler
    documents: Documents
    files: ValidationFiles
    clock: Clock
    timers: Timers
    newId: NewId
    logger: Logger
    soleInstance?: boolean
  },
): RequestedWork {
  const { handler, documents, files, clock, timers } = deps
  return createRequestedWork({
    ...deps,
    work: {
      kind: validationWork,
      what: 'validation',
      claim: claimValidation,
      expire: async (candidate) => {
        await tell(candidate, { type: 'ExpireValidation', at: now(), error: expiredSentence('The validation') })
      },
      forgetOld,
    },
    workerId: deps.newId(),
    isSole: deps.soleInstance,
    maxAtOnce,
    perTenant,
  })

  function now(): string {
    return isoTime(clock.now())
  }

  function tell({ tenant, id }: Pick<Candidate, 'tenant' | 'id'>, command: UdfValidationCommand) {
    return handler.handle(udfValidationAggregate, { tenant, id, command, context: { actor: 'system' } })
  }

  async function claimValidation(candidate: Candidate, claim: ClaimRequest): Promise<ClaimedWork | undefined> {
    const { state, events } = await tell(candidate, { type: 'ClaimValidation', ...claim })
    if (events.length === 0 || state.status !== 'open' || state.work?.status !== 'running') return undefined
    return claimedValidation(candidate, state, state.work.claim.fence)
  }

  /** Test data is stored once the request is in the log, so a worker that takes the validation up at once waits for it. */
  async function testDataOf({ testData }: KnownValidation, signal: AbortSignal): Promise<string | null> {
    if (testData === null) return null
    for (let look = 0; look < looksForData && !signal.aborted; look++) {
      if (look > 0) await timers.sleep(lookMilliseconds, signal)
      const text = await files.testData.read(testData)
      if (text !== undefined) return text
    }
    throw new AssayError('unprocessable', 'The test data is gone. Send it again.')
  }

  function claimedValidation(candidate: Candidate, state: KnownValidation, fence: number): ClaimedWork {
    const { tenant, id: requestId } = candidate
    const say = (command: UdfValidationCommand) => tell(candidate, command)
    return {
      what: 'validation',
      about: { tenant, requestId },
      renew: async (at, until) =>
        (await say({ type: 'RenewValidation', fence, at, until })).events.length > 0 ? 'held' : 'lost',
      async carryOut({ signal, confirm }) {
        const milliseconds = deadlineMilliseconds
        const late = new AssayError(
          'timeout',
          `It took longer than ${milliseconds / 1000} s. Simplify the template, or try again.`,
        )
        const trial = { task: state.task, testData: await testDataOf(state, signal) }
        const rows = await withDeadline(timers, { milliseconds, late, signals: [signal] }, (signal) =>
          tryTemplate(deps, trial, { tenant, signal }),
        )
        await confirm()
        const artifact = await files.results.store(tenant, requestId, deps.newId(), rows)
        return {
          async succeed() {
            const { events } = await say({ type: 'SucceedValidation', fence, at: now(), artifact })
            if (events.length > 0) await files.results.removeAll(tenant, requestId, artifact)
            return events.length > 0
          },
          discard: () => files.results.remove(artifact),
        }
      },
      fail: async (at, error) => void (await say({ type: 'FailValidation', fence, at, error })),
      release: async (at) => void (await say({ type: 'ReleaseValidation', fence, at })),
    }
  }

  async function forgetOld(isRunning: () => boolean): Promise<void> {
    const requestedBefore = isoTime(clock.now() - keptMilliseconds)
    const where = [{ field: 'requestedAt', to: requestedBefore }]
    for await (const { tenant, document } of documents.scan(udfValidations, { where })) {
      if (!isRunning()) return
      if (document.status === 'open' || document.requestedAt >= requestedBefore) continue
      const { requestId } = document
      // Rows first: once the validation is removed, they could no longer be found.
      await files.results.removeAll(tenant, requestId)
      await tell({ tenant, id: requestId }, { type: 'ForgetValidation', at: now(), requestedBefore })
    }
  }
}
