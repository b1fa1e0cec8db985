import { executionKinds, executionOperations as operations } from '@assay/contracts'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { policyFixture, schemaDriftFixture, tableFixture } from '../testing/fixtures.ts'
import { bodyOf, eventually, type Harness, openHarness } from '../testing/harness.ts'

let harness: Harness
beforeEach(async () => {
  harness = await openHarness()
  await harness.table(tableFixture())
  await harness.policy(schemaDriftFixture())
  await harness.policy(policyFixture({ id: 8, name: 'of another type' }))
})
afterEach(() => harness.close())

const { columns: before } = tableFixture()
const wider = (revision: number) => {
  const added = Array.from({ length: revision }, (_, index) => {
    const name = `c${index}`
    return { id: 50 + index, uid: `sales.orders.csv.${name}`, name, dataType: 'DATE' }
  })
  return tableFixture({ revision, columns: [...before, ...added] })
}
const runs = async () => {
  harness.timers.tick()
  return bodyOf(await harness.call(operations.listExecutions, {})).executions.map(({ execution }) => execution)
}
const ended = (count: number) =>
  eventually(runs, (all) => all.length === count && all.every(({ finishedAt }) => finishedAt !== null))
const skipped = async () => {
  harness.timers.tick()
  return bodyOf(await harness.call(operations.getPolicySchedule, { params: { id: 7 } })).skipped
}

describe('a crawl that changed the schema', () => {
  it('starts one run of each policy that depends on it, with several replicas and repeated messages', async () => {
    await harness.another().start()
    for (let times = 0; times < 3; times += 1) await harness.table(wider(1))
    expect(await ended(1)).toMatchObject([
      { ruleId: 7, executionMode: 'SCHEDULED', scheduleInstanceId: 'crawl-11-1', executedBy: 'crawl' },
    ])
    await harness.table({ ...wider(1), revision: 2, name: 'renamed.csv' })
    await harness.table(wider(3))
    const all = await ended(2)
    expect(all.map(({ scheduleInstanceId }) => scheduleInstanceId).toSorted()).toEqual(['crawl-11-1', 'crawl-11-3'])
  })

  it('is recorded as skipped while another run is open', async () => {
    harness.engine.behave({ kind: 'hang' })
    await harness.call(executionKinds.SCHEMA_DRIFT.start, { params: { id: 7 } })
    await harness.table(wider(1))
    expect(await eventually(skipped, (all) => all.length === 1)).toEqual([
      { nominalTime: '2026-11-20T10:00:00.000Z', reason: expect.stringContaining('not completed') },
    ])
    expect(await runs()).toHaveLength(1)
  })

  it('starts its run after a restart, if the process ended before', async () => {
    await harness.table(wider(1))
    await harness.service.stop()
    await harness.another().start()
    await ended(1)
  })
})
