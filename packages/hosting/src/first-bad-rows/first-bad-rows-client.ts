import { AssayError } from '@assay/service-kit/errors'
import { createAskExecution, type ExecutionAddress } from '../internal/ask-execution.ts'
import type { FirstBadRows } from './first-bad-rows.ts'
import { firstBadRowsAnswer, firstBadRowsPath } from './wire.ts'

/** The first bad rows of a run, over HTTP. Throws `unavailable` if the execution service does not answer with them. */
export function createFirstBadRowsClient(deps: ExecutionAddress): FirstBadRows {
  const ask = createAskExecution(deps, firstBadRowsPath)
  return async ({ tenant, user, permissions, executionId, signal }) => {
    const asked = await ask({ tenant, user, permissions }, { executionId }, signal).catch((cause: unknown) => {
      throw new AssayError('unavailable', 'The execution service does not answer.', { cause })
    })
    const parsed = firstBadRowsAnswer.safeParse(asked.answer)
    if (asked.status !== 200 || !parsed.success)
      throw new AssayError('unavailable', `The execution service answered ${asked.status} to ${firstBadRowsPath}.`)
    return parsed.data.badRows ?? undefined
  }
}
