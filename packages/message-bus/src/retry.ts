import { isTransient } from '@assay/service-kit/errors'

/** The backoff of a message until it is parked. */
export interface Retry {
  /** Maximum number of attempts, including the first. */
  attempts: number
  firstPauseMs: number
  /** Factor between one pause and the next. */
  factor: number
  maxPauseMs: number
}

export const defaultRetry: Retry = { attempts: 10, firstPauseMs: 100, factor: 2, maxPauseMs: 30_000 }

/** Milliseconds to wait after the failed attempt number `attempt` (from 1). `undefined` if that was the last one. */
export function pauseAfter(retry: Retry, attempt: number): number | undefined {
  if (attempt >= retry.attempts) return undefined
  return growing(retry, attempt)
}

/** The attempts of one message so far; `transientFailures`: number of attempts that failed with a transient error. */
export interface Tries {
  attempts: number
  transientFailures?: number
}

/**
 * Counts a failed attempt in `tries`. Returns a pause in milliseconds or, if the message must be parked, `failures`:
 * the number of the message's own failures. Transient errors, such as a full disk, are not the message's own failures.
 * They are retried forever, with growing pauses.
 */
export function afterFailure(retry: Retry, tries: Tries, error: unknown): { pauseMs: number } | { failures: number } {
  const transientFailures = (tries.transientFailures ?? 0) + (isTransient(error) ? 1 : 0)
  tries.transientFailures = transientFailures
  if (isTransient(error)) return { pauseMs: growing(retry, transientFailures) }
  const failures = tries.attempts - transientFailures
  const pauseMs = pauseAfter(retry, failures)
  return pauseMs === undefined ? { failures } : { pauseMs }
}

function growing(retry: Retry, times: number): number {
  return Math.min(retry.maxPauseMs, retry.firstPauseMs * retry.factor ** Math.min(times - 1, 30))
}
