import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createTokenBuckets } from './token-buckets.ts'

test('given any arrivals, when they take tokens, then no window exceeds the burst and the rate', () => {
  const arrivals = fc.array(fc.integer({ min: 0, max: 500 }), { maxLength: 200 })
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 50 }),
      fc.integer({ min: 1, max: 100 }),
      arrivals,
      (perSecond, burst, gaps) => {
        const buckets = createTokenBuckets({ perSecond, burst })
        let now = 0
        const given: number[] = []
        for (const gap of gaps) {
          now += gap
          const taken = buckets.take('a', now)
          expect(taken.remaining).toBeGreaterThanOrEqual(0)
          if (taken.ok) given.push(now)
          else expect(taken.retryAfter).toBeGreaterThanOrEqual(1)
        }
        const first = given[0] ?? 0
        expect(given.length).toBeLessThanOrEqual(burst + ((now - first) / 1000) * perSecond + 1e-6)
      },
    ),
  )
})

test('given an empty bucket, when its retry time has passed, then it has a token, and other names were never limited', () => {
  const buckets = createTokenBuckets({ perSecond: 0.5, burst: 1 })
  expect(buckets.take('a', 0)).toMatchObject({ ok: true, remaining: 0, retryAfter: 2, fullAfter: 2 })
  expect(buckets.take('a', 1000)).toMatchObject({ ok: false, retryAfter: 1 })
  expect(buckets.take('b', 1000).ok).toBe(true)
  expect(buckets.take('a', 2000).ok).toBe(true)
})

test('given a clock that is set back, then a bucket neither loses nor gains tokens', () => {
  const buckets = createTokenBuckets({ perSecond: 1, burst: 2 })
  buckets.take('a', 10_000)
  expect(buckets.take('a', 0).ok).toBe(true)
  expect(buckets.take('a', 0).ok).toBe(false)
})
