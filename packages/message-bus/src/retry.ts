import { isTransient } from '@assay/service-kit/errors'

/** How often and how slowly a message is retried before it is parked. */
export interface Retry {
  /** Attempts in all, including the first. */
  attempts: number
  firstPauseMs: number
  /** Factor from one pause to the next. */
  factor: number
  maxPauseMs: number
}

export const defaultRetry: Retry = { attempts: 10, firstPauseMs: 100, factor: 2, maxPauseMs: 30_000 }

/** Milliseconds to wait after the failed attempt number `attempt` (from 1); `undefined` if it was the last one. */
export function pauseAfter(retry: Retry, attempt: number): number | undefined {
  if (attempt >= retry.attempts) return undefined
  return growing(retry, attempt)
}

/** The attempts of one message so far; `passing`: those that failed with a transient error. */
export interface Tries {
  attempts: number
  passing?: number
}

/**
 * The consequence of a failed attempt, which is counted in `tries`: a pause in milliseconds, or `failures`, the number
 * of the message's own failures, if it must be parked. A full disk or a store that is down says nothing about the
 * message: it is retried forever, with growing pauses.
 */
export function afterFailure(retry: Retry, tries: Tries, error: unknown): { pauseMs: number } | { failures: number } {
  const passing = (tries.passing ?? 0) + (isTransient(error) ? 1 : 0)
  tries.passing = passing
  if (isTransient(error)) return { pauseMs: growing(retry, passing) }
  const failures = tries.attempts - passing
  const pauseMs = pauseAfter(retry, failures)
  return pauseMs === undefined ? { failures } : { pauseMs }
}

function growing(retry: Retry, times: number): number {
  return Math.min(retry.maxPauseMs, retry.firstPauseMs * retry.factor ** Math.min(times - 1, 30))
}
