import { type ErrorCode, isAssayError } from '@assay/service-kit/errors'

/** Codes whose messages the engine and the artifacts write for the people who read a failed run. */
const toldToPeople: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'unprocessable',
  'timeout',
  'too-large',
  'unavailable',
  'invalid',
])

/** Why a run failed, as a sentence without stack or host path; undefined where that is only for the log. */
export function failureSentence(error: unknown): string | undefined {
  return isAssayError(error) && toldToPeople.has(error.code) && error.message !== '' ? error.message : undefined
}

/** For what nobody foresaw; the log has the details. */
export const unforeseenFailure = 'The run failed for an internal reason; the log of the server tells more.'
