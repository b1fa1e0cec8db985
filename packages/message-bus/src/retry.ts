import { isTransient } from '@assay/service-kit/errors'

/** How often and how slowly a message is tried again before it is parked. */
export interface Retry {
  /** Tries in all, the first included. */
  attempts: number
  firstPauseMs: number
  /** Each pause is so many times the one before. */
  factor: number
  maxPauseMs: number
}

export const defaultRetry: Retry = { attempts: 10, firstPauseMs: 100, factor: 2, maxPauseMs: 30_000 }

/** Milliseconds to wait after the failed try number `attempt` (from 1); `undefined` when it was the last one. */
export function pauseAfter(retry: Retry, attempt: number): number | undefined {
  if (attempt >= retry.attempts) return undefined
  return growing(retry, attempt)
}

/** The tries of one message so far; `passing`: how many of them failed for a reason that lies outside of it. */
export interface Tries {
  attempts: number
  passing?: number
}

/**
 * What follows from a failed try, which is counted in `tries`: a pause in milliseconds, or `failures`, those of the
 * message's own, when there were enough of them to park it. A full disk or a store that is away says nothing about the
 * message: it is tried for ever, ever more slowly.
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
