import { createRecentlyUsed } from '../recently-used.ts'

const capacity = 10_000

/** A bucket's answer to one request. Times in seconds, rounded up. */
export interface Taken {
  ok: boolean
  /** Capacity of the bucket. */
  limit: number
  remaining: number
  /** Seconds until the bucket is full again. */
  fullAfter: number
  /** Seconds until the next token; 0 if there is one. */
  retryAfter: number
}

/**
 * Token buckets by name: each allows bursts of `burst` and `perSecond` on average. Keeps ten thousand buckets; the
 * least recently used one is dropped, which refills it.
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
      // A clock that is set back must not take tokens away.
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
