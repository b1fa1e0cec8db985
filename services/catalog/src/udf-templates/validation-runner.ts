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
/** Maximum number of reads of test data: a worker waits up to ten seconds for it. */
const testDataReads = 40
const readIntervalMilliseconds = 250
const maxAtOnce = 2
const perTenant = 1
/** Milliseconds after its request during which a result can be read, as for samples. */
export const keptMilliseconds = 24 * 3_600_000

/** The files of test data and of result rows. */
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
        await sendTo(candidate, { type: 'ExpireValidation', at: now(), error: expiredSentence('The validation') })
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

  function sendTo({ tenant, id }: Pick<Candidate, 'tenant' | 'id'>, command: UdfValidationCommand) {
    return handler.handle(udfValidationAggregate, { tenant, id, command, context: { actor: 'system' } })
  }

  async function claimValidation(candidate: Candidate, claim: ClaimRequest): Promise<ClaimedWork | undefined> {
    const { state, events } = await sendTo(candidate, { type: 'ClaimValidation', ...claim })
    if (events.length === 0 || state.status !== 'open' || state.work?.status !== 'running') return undefined
    return claimedValidation(candidate, state, state.work.claim.fence)
  }

  /** Test data is stored after the request is in the log, so a worker that claims the validation may wait for it. */
  async function testDataOf({ testData }: KnownValidation, signal: AbortSignal): Promise<string | null> {
    if (testData === null) return null
    for (let reads = 0; reads < testDataReads && !signal.aborted; reads++) {
      if (reads > 0) await timers.sleep(readIntervalMilliseconds, signal)
      const text = await files.testData.read(testData)
      if (text !== undefined) return text
    }
    throw new AssayError('unprocessable', 'The test data is gone. Send it again.')
  }

  function claimedValidation(candidate: Candidate, state: KnownValidation, fence: number): ClaimedWork {
    const { tenant, id: requestId } = candidate
    const send = (command: UdfValidationCommand) => sendTo(candidate, command)
    return {
      what: 'validation',
      about: { tenant, requestId },
      renew: async (at, until) =>
        (await send({ type: 'RenewValidation', fence, at, until })).events.length > 0 ? 'held' : 'lost',
      async carryOut({ signal, confirm }) {
        const milliseconds = deadlineMilliseconds
        const late = new AssayError(
          'timeout',
          `The validation took longer than ${milliseconds / 1000} s. Simplify the template, or try again.`,
        )
        const trial = { task: state.task, testData: await testDataOf(state, signal) }
        const rows = await withDeadline(timers, { milliseconds, late, signals: [signal] }, (signal) =>
          tryTemplate(deps, trial, { tenant, signal }),
        )
        await confirm()
        const artifact = await files.results.store(tenant, requestId, deps.newId(), rows)
        return {
          async succeed() {
            const { events } = await send({ type: 'SucceedValidation', fence, at: now(), artifact })
            if (events.length > 0) await files.results.removeAll(tenant, requestId, artifact)
            return events.length > 0
          },
          discard: () => files.results.remove(artifact),
        }
      },
      fail: async (at, error) => void (await send({ type: 'FailValidation', fence, at, error })),
      release: async (at) => void (await send({ type: 'ReleaseValidation', fence, at })),
    }
  }

  async function forgetOld(isRunning: () => boolean): Promise<void> {
    const requestedBefore = isoTime(clock.now() - keptMilliseconds)
    const where = [{ field: 'requestedAt', to: requestedBefore }]
    for await (const { tenant, document } of documents.scan(udfValidations, { where })) {
      if (!isRunning()) return
      if (document.status === 'open' || document.requestedAt >= requestedBefore) continue
      const { requestId } = document
      // The rows are removed first: once the validation is removed, nothing names them.
      await files.results.removeAll(tenant, requestId)
      await sendTo({ tenant, id: requestId }, { type: 'RemoveValidation', at: now(), requestedBefore })
    }
  }
}
