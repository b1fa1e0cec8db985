import { describe, expect, it } from 'vitest'
import { encodedMessage } from './message.ts'
import { defaultRetry, pauseAfter } from './retry.ts'
import { testMessage } from './testing/index.ts'

describe('pauseAfter', () => {
  it('given failed tries, when asked for the pause, then it grows up to the limit and ends after the last try', () => {
    const retry = { attempts: 5, firstPauseMs: 10, factor: 3, maxPauseMs: 100 }
    expect([1, 2, 3, 4, 5].map((attempt) => pauseAfter(retry, attempt))).toEqual([10, 30, 90, 100, undefined])
    expect(pauseAfter(defaultRetry, 10)).toBeUndefined()
  })
})

describe('encodedMessage', () => {
  it('given a message without an id, when encoded, then it is refused and the part is named', () => {
    expect(() => encodedMessage({ ...testMessage('k', ''), id: '' })).toThrow(/its id/)
  })
})
