/** Seconds between attempts: after the last one, a delivery is parked. */
export const defaultRetries: readonly number[] = [
  2,
  10,
  60,
  5 * 60,
  30 * 60,
  3_600,
  2 * 3_600,
  4 * 3_600,
  8 * 3_600,
  8 * 3_600,
]
const jitter = 0.2

/**
 * When a delivery is retried (epoch milliseconds), up to 20 % earlier or later; `null` to park it. `failures`: failed
 * attempts so far; `random`: 0 to 1. Pure.
 */
export function nextAttempt(of: {
  failures: number
  retries: readonly number[]
  now: number
  random: number
}): number | null {
  const seconds = of.retries[of.failures - 1]
  if (seconds === undefined) return null
  return Math.round(of.now + seconds * 1_000 * (1 - jitter + 2 * jitter * of.random))
}

/**
 * Whether a receiver that asks to wait is obeyed, which is no failed attempt. It is for as long as all retries together
 * last, since the first attempt of the message, and since the receiver first asked without taking any message. `since`:
 * these times, ISO 8601 UTC. Pure.
 */
export function isHoldObeyed(of: {
  since: readonly (string | undefined)[]
  retries: readonly number[]
  now: number
}): boolean {
  const longestMs = of.retries.reduce((sum, seconds) => sum + seconds * 1_000, 0)
  return of.since.every((time) => time === undefined || of.now - Date.parse(time) < longestMs)
}
