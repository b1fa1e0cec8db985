import { getEventListeners } from 'node:events'
import { validate, version } from 'uuid'
import { expect, test } from 'vitest'
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
