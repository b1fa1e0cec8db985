import { getEventListeners } from 'node:events'
import { validate, version } from 'uuid'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { systemTimers, uuidV7 } from './node.ts'

test('given a sleep, when its signal aborts, then it ends without an error, and no listener is left', async () => {
  const over = new AbortController()
  const sleeping = systemTimers.sleep(3_600_000, over.signal)
  expect(getEventListeners(over.signal, 'abort')).toHaveLength(1)
  over.abort()
  await expect(sleeping).resolves.toBeUndefined()
  expect(getEventListeners(over.signal, 'abort')).toHaveLength(0)
  await expect(systemTimers.sleep(3_600_000, over.signal)).resolves.toBeUndefined()
})

test('given a signal that never aborts, when sleeps end, then they leave no listener on it', async () => {
  const { signal } = new AbortController()
  await Promise.all([systemTimers.sleep(1, signal), systemTimers.sleep(0, signal), systemTimers.sleep(1)])
  expect(getEventListeners(signal, 'abort')).toHaveLength(0)
})

test('given many ids of one process, then each is a version 7 UUID that is greater than the one before', () => {
  const ids = Array.from({ length: 5_000 }, () => uuidV7())
  expect(ids.every((id) => validate(id) && version(id) === 7)).toBe(true)
  expect(ids.toSorted()).toEqual(ids)
  expect(new Set(ids).size).toBe(ids.length)
})

describe('given work at each second', () => {
  const hourMs = 3_600_000

  /** Starts the work on a fake clock. `count` answers the calls within the next `seconds`. */
  function started() {
    vi.useFakeTimers({ now: Date.parse('2026-11-20T10:00:00.500Z') })
    let calls = 0
    const ticks = systemTimers.everySecond(async () => {
      calls += 1
    })
    onTestFinished(() => {
      ticks.stop()
      vi.useRealTimers()
    })
    return async (seconds: number) => {
      calls = 0
      await vi.advanceTimersByTimeAsync(seconds * 1000)
      return calls
    }
  }

  test('then it is called once a second', async () => {
    expect(await started()(10)).toBe(10)
  })
  test.each([
    ['back by an hour', -hourMs],
    ['back by a second', -1000],
    ['forward by a second', 1000],
    ['forward by three hours', 3 * hourMs],
    ['forward by a month', 30 * 24 * hourMs],
  ])('when the clock is set %s, then it is called each second as before, without catching up', async (_, jumpMs) => {
    const count = started()
    await count(3)
    vi.setSystemTime(Date.now() + jumpMs)
    const called = await count(10)
    expect(called).toBeGreaterThanOrEqual(8)
    expect(called).toBeLessThanOrEqual(11)
  })
})
