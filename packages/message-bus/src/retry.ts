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

/** Milliseconds to wait after the `times`th trouble that is not the message's own: for ever, ever slower. */
export function passingPause(retry: Retry, times: number): number {
  return growing(retry, times)
}

function growing(retry: Retry, times: number): number {
  return Math.min(retry.maxPauseMs, retry.firstPauseMs * retry.factor ** Math.min(times - 1, 30))
}
