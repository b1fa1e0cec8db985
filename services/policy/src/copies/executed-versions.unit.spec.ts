import { expect, it } from 'vitest'
import { executedVersionPut } from './executed-versions.ts'

const revisionOf = (executionId: number, finishedAt?: string) =>
  executedVersionPut('t', { policyId: 7, version: 1, executionId, ...(finishedAt ? { finishedAt } : {}) }, '1').source
    .revision

it('given runs of two replicas, with numbers from different blocks, then the one that ended later counts', () => {
  const first = revisionOf(51, '2026-11-20T10:00:00.000Z')
  expect(revisionOf(2, '2026-11-20T10:00:01.000Z')).toBeGreaterThan(first)
})
it('given messages without an end time, then the higher number counts, and any time takes precedence', () => {
  expect(revisionOf(3)).toBeGreaterThan(revisionOf(2))
  expect(revisionOf(2, '2026-11-20T10:00:00.000Z')).toBeGreaterThan(revisionOf(1_000_000_000))
})
