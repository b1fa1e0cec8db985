import { expect, it } from 'vitest'
import { createLiveness } from './liveness.ts'

it('given a member whose session has expired, then only a heartbeat or a join confirms it again, not a poll', () => {
  let now = 0
  const liveness = createLiveness({ now: () => now }, { abandonAfterMs: 60_000, sessionTimeoutMs: 6000 })
  expect(liveness.isConfirmed()).toBe(false)
  liveness.joined()
  now = 5999
  expect(liveness.isConfirmed()).toBe(true)
  now = 6000
  liveness.polled()
  expect(liveness.isConfirmed()).toBe(false)
  liveness.confirmed()
  expect(liveness.isConfirmed()).toBe(true)
})
