import type { StartRequest } from '@assay/contracts'
import { type ErrorCode, isAssayError, messageOf } from '@assay/service-kit/errors'
import type { StartRun } from '../starting/start-run.ts'

/** Errors for which a retry is useless. */
const refusals: readonly ErrorCode[] = ['unprocessable', 'invalid', 'too-large']

/** The request of a run that is started by a schedule or a trigger. */
export const unasked: StartRequest = {
  executionType: undefined,
  includeInQualityScore: undefined,
  ruleItemSelections: undefined,
  markerConfigs: undefined,
  sparkResourceConfig: undefined,
}

type Start = Parameters<StartRun>[0]

/** Starts a due run, once. If it is refused, `skip` records the reason. Throws errors for which a retry is useful. */
export async function startDue(
  startRun: StartRun,
  start: Omit<Start, 'executionMode' | 'signal'> & { signal: AbortSignal },
  skip: (reason: string) => Promise<unknown>,
): Promise<void> {
  try {
    await startRun({ ...start, executionMode: 'SCHEDULED' })
  } catch (error) {
    if (isAssayError(error, 'taken')) return
    const isRefused = isAssayError(error) && refusals.includes(error.code)
    if (!isRefused || start.signal.aborted) throw error
    await skip(messageOf(error))
  }
}
