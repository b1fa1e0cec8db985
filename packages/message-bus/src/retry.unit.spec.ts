import { AssayError } from '@assay/service-kit/errors'
import { describe, expect, it } from 'vitest'
import { afterFailure, defaultRetry, pauseAfter } from './retry.ts'

describe('pauseAfter', () => {
  it('given failed attempts, then the pause grows up to the limit and ends after the last attempt', () => {
    const retry = { attempts: 5, firstPauseMs: 10, factor: 3, maxPauseMs: 100 }
    expect([1, 2, 3, 4, 5].map((attempt) => pauseAfter(retry, attempt))).toEqual([10, 30, 90, 100, undefined])
    expect(pauseAfter(defaultRetry, 10)).toBeUndefined()
  })
})

describe('afterFailure', () => {
  const retry = { attempts: 2, firstPauseMs: 10, factor: 3, maxPauseMs: 100 }
  const unavailable = new AssayError('unavailable', 'The store is unavailable.')

  it('given the maximum number of own failures, then their number is returned', () => {
    expect(afterFailure(retry, { attempts: 1 }, new Error())).toEqual({ pauseMs: 10 })
    expect(afterFailure(retry, { attempts: 2 }, new Error())).toEqual({ failures: 2 })
  })

  it('given an unavailable store, then any number of attempts does not count', () => {
    const tries = { attempts: 0 }
    const pauses = Array.from({ length: 5 }, () => {
      tries.attempts += 1
      return afterFailure(retry, tries, unavailable)
    })
    expect(pauses.map((each) => 'pauseMs' in each && each.pauseMs)).toEqual([10, 30, 90, 100, 100])
    tries.attempts += 1
    expect(afterFailure(retry, tries, new Error())).toEqual({ pauseMs: 10 })
  })
})
