import { executionOperations as operations } from '@assay/contracts'
import { nothingKnown } from '@assay/data-engine'
import { createCommandHandler } from '@assay/event-store'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { policyRunsAggregate } from '../policy-runs/policy-runs.aggregate.ts'
import { policyRunsCollection } from '../policy-runs/policy-runs.documents.ts'
import { createFakeEngine } from '../testing/fake-engine.ts'
import { arrivalFixture, tableFixture } from '../testing/fixtures.ts'
import { bodyOf, eventually, type Harness, openHarness } from '../testing/harness.ts'

const dayMs = 86_400_000
/** Data arrived at this time on each of the twenty days before the tests. The harness clock starts an hour later. */
const newest = Date.parse('2026-11-20T09:00:00.000Z')
const times = Array.from({ length: 20 }, (_, day) => new Date(newest - (19 - day) * dayMs).toISOString())
/** A new policy runs at the latest after this time, because only a run knows a deadline. */
const firstMs = 30_000

let harness: Harness
beforeEach(async () => {
  const lastChange = async () => ({
    ...nothingKnown(1),
    ...{ at: times.at(-1) ?? '', source: 'FILE_TIME' as const, times, files: 20, bytes: 2_000, newestBytes: 100 },
  })
  harness = await openHarness({ engine: { ...createFakeEngine(), lastChange } })
  await harness.table(tableFixture())
})
afterEach(() => harness.close())

/** The runs, oldest first, once there are `count` that have ended. Services check each second, as in production. */
const ended = (count: number) =>
  eventually(
    async () => {
      harness.timers.tick()
      const answer = await harness.call(operations.listExecutions, { query: { sortBy: 'startedAt:asc' } })
      return bodyOf(answer).executions.map(({ execution }) => execution)
    },
    (runs) => runs.length === count && runs.every(({ finishedAt }) => finishedAt !== null),
  )
/** The deadline of the policy in the log, epoch milliseconds, once there is one after `after`. */
async function deadline(after: number): Promise<number> {
  const found = await eventually(
    async () => (await harness.deps.documents.get(policyRunsCollection, 'default', 7))?.document,
    (runs) => runs?.open === null && Date.parse(runs.watch?.deadline ?? '') > after,
  )
  return Date.parse(found?.watch?.deadline ?? '')
}
/** Runs the policy for the first time. Answers the deadline that the run has set. */
async function watched(type: 'DATA_CADENCE' | 'DATA_FRESHNESS'): Promise<number> {
  await harness.policy(arrivalFixture(type))
  harness.clock.time += firstMs
  await ended(1)
  const at = await deadline(harness.clock.time)
  expect(at - (newest + dayMs)).toBeGreaterThan(0)
  expect(at - (newest + dayMs)).toBeLessThan(3_600_000)
  return at
}

describe.each(['DATA_FRESHNESS', 'DATA_CADENCE'] as const)('given a %s policy whose deadline is in the log', (type) => {
  it('when the process ends and another one starts after the deadline, then it runs once for it', async () => {
    const at = await watched(type)
    await harness.service.stop()
    harness.clock.time = at + 5_000
    const [one, other] = [harness.another(), harness.another({ workerId: 'worker-3' })]
    await Promise.all([one.start(), other.start()])
    const [, run] = await ended(2)
    expect(run).toMatchObject({ executionMode: 'SCHEDULED', scheduleInstanceId: 'deadline', resultStatus: 'ERRORED' })
    expect(Date.parse(run?.startedAt ?? '') - at).toBeLessThanOrEqual(30_000)
    // The next one is that of the day after.
    const next = await deadline(harness.clock.time)
    expect(next).toBeGreaterThan(at + dayMs / 2)
    for (let later = harness.clock.time; later < next; later += dayMs / 6) {
      harness.clock.time = later
      await ended(2)
    }
  })
  it('when the process is killed between the two appends of its start, then another one repeats it', async () => {
    const at = await watched(type)
    await harness.service.stop()
    harness.clock.time = at + 1_000
    const command = {
      ...{ type: 'OpenRun' as const, executionId: 999, at: new Date(harness.clock.time).toISOString() },
      deadline: new Date(at).toISOString(),
    }
    const killed = createCommandHandler(harness.deps)
    await killed.handle(policyRunsAggregate, { tenant: 'default', id: 7, command, context: { actor: 'deadline' } })
    await harness.another().start()
    harness.clock.time += 31_000
    const [, run] = await ended(2)
    expect(run).toMatchObject({ scheduleInstanceId: 'deadline' })
    expect(run?.id).not.toBe(999)
  })
})
