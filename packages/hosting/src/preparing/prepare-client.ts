import {
  currentTraceparent,
  type IdentitySigner,
  identityHeader,
  type Logger,
  messageOf,
  type Timers,
  withDeadline,
} from '@assay/service-kit'
import { AssayError } from '@assay/service-kit/errors'
import { z } from 'zod'
import type { Prepare } from './prepare.ts'
import { internalAccessKey, prepareAnswer, preparePath } from './wire.ts'

/** Longer than the execution service waits for the source, so that it is the one who says that it took too long. */
const defaultDeadlineMs = 12_000

const envelope = z.object({ errors: z.array(z.object({ message: z.string() })).min(1) })

/**
 * `prepare` of the execution service, over HTTP. Answers 'unreachable' when the service cannot be asked, does not answer
 * in time or gives an unknown answer: that is no reason to refuse a definition, as its run will show what is wrong.
 * Error: `invalid` for what the engine finds wrong with the definition itself.
 */
export function createPrepareClient(deps: {
  /** Of the execution service. */
  url: string
  /** The one that asks. */
  service: string
  signer: Pick<IdentitySigner, 'sign'>
  timers: Pick<Timers, 'sleep'>
  logger: Logger
  deadlineMs?: number
}): Prepare {
  const { url, service, signer, timers, logger, deadlineMs = defaultDeadlineMs } = deps

  const unreachable = (why: string) => {
    logger.warn({ why }, 'a definition was taken without a look at its source')
    return 'unreachable' as const
  }

  async function ask(tenant: string, body: object, signal: AbortSignal) {
    const identity = { tenant, user: 'system', accessKey: internalAccessKey(service), permissions: new Set<never>() }
    const traceparent = currentTraceparent()
    const response = await fetch(`${url}${preparePath}`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        [identityHeader]: signer.sign(identity),
        ...(traceparent ? { traceparent } : {}),
      },
      body: JSON.stringify(body),
      signal,
    })
    return { status: response.status, answer: await response.json() }
  }

  return async ({ tenant, ...definition }) => {
    const late = new AssayError('timeout', 'The execution service took too long to answer. Try again.')
    let asked: Awaited<ReturnType<typeof ask>>
    try {
      asked = await withDeadline(timers, { milliseconds: deadlineMs, late }, (signal) =>
        ask(tenant, definition, signal),
      )
    } catch (error) {
      return unreachable(messageOf(error))
    }
    const told = envelope.safeParse(asked.answer)
    if (asked.status === 400 && told.success)
      throw new AssayError('invalid', told.data.errors[0]?.message ?? 'The definition cannot be.')
    const parsed = prepareAnswer.safeParse(asked.answer)
    if (asked.status !== 200 || !parsed.success)
      return unreachable(`The execution service answered ${asked.status} to ${preparePath}.`)
    return parsed.data.prepared ?? 'unreachable'
  }
}
