import { createRecentlyUsed } from '../recently-used.ts'

const capacity = 10_000

/** What a bucket says to one request. Times in seconds, rounded up. */
export interface Taken {
  ok: boolean
  /** The most that a full bucket gives at once. */
  limit: number
  remaining: number
  /** Until the bucket is full again. */
  fullAfter: number
  /** Until the next token; 0 when there is one. */
  retryAfter: number
}

/**
 * Token buckets by name: each gives `burst` at once and `perSecond` in the long run. A bucket that was not used for
 * longest is forgotten when there are ten thousand others, which fills it.
 */
export function createTokenBuckets(options: { perSecond: number; burst: number }): {
  take(name: string, now: number): Taken
} {
  const { perSecond, burst } = options
  const buckets = createRecentlyUsed<{ tokens: number; at: number }>(capacity)
  return {
    take(name, now) {
      const known = buckets.get(name)
      const bucket = known ?? { tokens: burst, at: now }
      if (known === undefined) buckets.set(name, bucket)
      // A clock that was set back must not take tokens away.
      const gained = (Math.max(0, now - bucket.at) / 1000) * perSecond
      const available = Math.min(burst, bucket.tokens + gained)
      const ok = available >= 1
      const tokens = ok ? available - 1 : available
      bucket.tokens = tokens
      bucket.at = now
      return {
        ok,
        limit: burst,
        remaining: Math.floor(tokens),
        fullAfter: Math.ceil((burst - tokens) / perSecond),
        retryAfter: tokens >= 1 ? 0 : Math.max(1, Math.ceil((1 - tokens) / perSecond)),
      }
    },
  }
}
