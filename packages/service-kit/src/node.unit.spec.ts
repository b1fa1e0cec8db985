import { getEventListeners } from 'node:events'
import { expect, test } from 'vitest'
import { systemTimers } from './node.ts'

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
