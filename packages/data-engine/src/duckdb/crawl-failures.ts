import { AssayError, isAssayError, messageOf } from '@assay/service-kit/errors'
import { ChildDied, TableTimedOut } from './child-process.ts'

export const discoverTimeoutMs = 30 * 60_000
/** Maximum number of processes that may die in one crawl. */
export const maxDeaths = 20

/** The error of a crawl that exceeded its time limit. */
export function crawlTimedOut(cause: unknown): AssayError {
  const sentence = `The crawl did not end within ${discoverTimeoutMs / 60_000} minutes. Split the source into several assemblies.`
  return new AssayError('timeout', sentence, { cause })
}

/** The error when too many tables killed their processes. */
export function tooManyDeaths(at: string, cause: unknown): AssayError {
  const sentence = `${maxDeaths} tables or files of the source crashed the process that read them, the last of them ${at}. Repair them, or exclude them from the assembly.`
  return new AssayError('unprocessable', sentence, { cause })
}

/** Why the table `at` could not be read. Rethrows errors that do not concern a single table. */
export function messageAbout(at: string, error: unknown): string {
  const text = messageOf(error)
  return isAssayError(error, 'too-large') && text.startsWith(at) ? text : `${at} ${whyItEnded(error)}.`
}

function whyItEnded(error: unknown): string {
  if (error instanceof ChildDied) return 'crashed the process that read it: it is damaged or malicious'
  if (isAssayError(error, 'too-large')) return 'needs more memory than a crawl may use'
  if (error instanceof TableTimedOut) return error.message
  throw error
}
