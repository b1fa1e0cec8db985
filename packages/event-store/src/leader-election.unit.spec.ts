import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { createLeaderElection } from './leader-election.ts'
import type { Leases } from './lease.ts'

test('given a lease that has expired when the answer arrives, then no work starts before it is acquired again', async () => {
  const clock = { time: 1_000, now: () => clock.time }
  const seen: string[] = []
  const leases: Leases = {
    async acquire() {
      const isFirst = seen.length === 0
      seen.push('asked')
      // The answer took longer than the lease lasts, so another process may hold it.
      if (isFirst) clock.time += 5_000
      return { fence: 1, renew: async () => true, release: async () => {} }
    },
  }
  const started = Promise.withResolvers<void>()
  const election = createLeaderElection({
    leases,
    name: 'late',
    owner: 'one',
    timers: { sleep: () => setImmediate(), every: () => ({ stop() {} }) },
    clock,
    onError() {},
  })
  const leave = election.join({
    async start() {
      seen.push('started')
      started.resolve()
    },
    async stop() {},
  })
  await started.promise
  await leave()
  expect(seen).toEqual(['asked', 'asked', 'started'])
})
