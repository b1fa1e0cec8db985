import { AssayError } from '@assay/service-kit/errors'

/** A statement is limited by the rest of the run's time and by the source's `statementTimeoutSeconds`. */
export function timedOut(cause: unknown): AssayError {
  const sentence =
    'A statement exceeded the time limit of the run, or statementTimeoutSeconds of its source. Raise the limit or read fewer rows.'
  return new AssayError('timeout', sentence, { cause })
}
