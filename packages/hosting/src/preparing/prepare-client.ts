import { type Logger, messageOf, type Timers, withDeadline } from '@assay/service-kit'
import { AssayError, type ErrorCode } from '@assay/service-kit/errors'
import { z } from 'zod'
import { createAskExecution, type ExecutionAddress } from '../internal/ask-execution.ts'
import type { Prepare } from './prepare.ts'
import { prepareAnswer, preparePath } from './wire.ts'

/** Longer than the execution service waits for the source, so that this service can report the timeout. */
const defaultDeadlineMs = 12_000

const notChecked =
  'The definition could not be checked, because the execution service does not answer. Try again in a moment.'
/** Error codes that are passed on unchanged. */
const refusals: ReadonlyMap<number, ErrorCode> = new Map([
  [400, 'invalid'],
  [422, 'unprocessable'],
  [429, 'rate-limited'],
  [503, 'unavailable'],
])

const envelope = z.object({ errors: z.array(z.object({ message: z.string() })).min(1) })

/**
 * `prepare` of the execution service, over HTTP. Throws the service's `invalid`, `unprocessable` and `rate-limited`.
 * Throws `unavailable` if the service cannot be reached, does not answer in time or gives an unknown answer: an
 * unchecked definition must not be stored.
 */
export function createPrepareClient(
  deps: ExecutionAddress & { timers: Pick<Timers, 'sleep'>; logger: Logger; deadlineMs?: number },
): Prepare {
  const { timers, logger, deadlineMs = defaultDeadlineMs } = deps
  const ask = createAskExecution(deps, preparePath)

  const unchecked = (why: string) => {
    logger.warn({ why }, 'a definition could not be checked')
    return new AssayError('unavailable', notChecked, { retryAfterSeconds: 5 })
  }

  return async ({ tenant, ...definition }) => {
    const late = new AssayError('timeout', 'The execution service took too long to answer. Try again.')
    let asked: Awaited<ReturnType<typeof ask>>
    try {
      asked = await withDeadline(timers, { milliseconds: deadlineMs, late }, (signal) =>
        ask({ tenant, user: 'system', permissions: new Set() }, definition, signal),
      )
    } catch (error) {
      throw unchecked(messageOf(error))
    }
    const errors = envelope.safeParse(asked.answer)
    const [first] = errors.success ? errors.data.errors : []
    const refusal = first && refusals.get(asked.status)
    if (refusal) throw new AssayError(refusal, first.message, { retryAfterSeconds: 5 })
    const parsed = prepareAnswer.safeParse(asked.answer)
    if (asked.status !== 200 || !parsed.success)
      throw unchecked(`The execution service answered ${asked.status} to ${preparePath}.`)
    return parsed.data.prepared ?? 'unreachable'
  }
}
