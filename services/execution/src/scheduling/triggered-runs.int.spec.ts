import { executionKinds, executionOperations as operations, profileOperations } from '@assay/contracts'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { dataDriftFixture, policyFixture, schemaDriftFixture, tableFixture } from '../testing/fixtures.ts'
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
      {
        ...{ ruleId: 7, executionMode: 'SCHEDULED', scheduleInstanceId: 'crawl-11-1', executedBy: 'crawl' },
        requestId: expect.stringMatching(/^schema-drift-/),
      },
    ])
    await harness.table({ ...wider(1), revision: 2, name: 'renamed.csv' })
    await harness.table(wider(3))
    const all = await ended(2)
    expect(all.map(({ scheduleInstanceId }) => scheduleInstanceId).toSorted()).toEqual(['crawl-11-1', 'crawl-11-3'])
  })

  it('starts a run of a policy whose message arrives after the table, and none for an older change', async () => {
    harness.clock.time += 5_000
    const second = (at: number) => `2026-11-20T10:00:0${at}.000Z`
    await harness.table({ ...wider(1), assetId: 30, schemaChangedAt: second(2) })
    const onTable = (id: number, createdAt: string) => {
      const message = schemaDriftFixture({ id, name: `${id}`, createdAt })
      const { rule } = message.policy
      if (!('backingAsset' in rule)) throw new Error('The policy has no asset.')
      rule.backingAsset.tableAssetId = 30
      return message
    }
    for (const message of [onTable(9, second(1)), onTable(9, second(1)), onTable(10, second(3))])
      await harness.policy(message)
    expect(await ended(1)).toMatchObject([{ ruleId: 9, scheduleInstanceId: 'crawl-30-1' }])
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

describe('a profile of the whole table', () => {
  const profile = (data: object) => harness.call(profileOperations.startProfile, { params: { id: 11 }, body: { data } })
  const profiled = async (data: object) => {
    const { id } = bodyOf(await profile(data)).data
    const params = { id: 11, profileId: id }
    await eventually(
      async () => bodyOf(await harness.call(profileOperations.getProfile, { params })).profileRequest.status,
      (status) => status !== 'IN_PROGRESS',
    )
    return id
  }
  beforeEach(() => harness.policy(dataDriftFixture({ id: 9, name: 'drift' })))

  it('starts one run of each policy that compares profiles, which reads nothing more', async () => {
    await harness.another().start()
    const id = await profiled({ profilingType: 'FULL' })
    expect(await ended(1)).toMatchObject([
      { ruleId: 9, executionMode: 'SCHEDULED', scheduleInstanceId: `profile-${id}`, executedBy: 'profile' },
    ])
    expect(harness.engine.profiled).toHaveLength(1)
    await profiled({ profilingType: 'FULL' })
    await ended(2)
    const states = (await harness.artifacts.list('default/profiles')).filter(({ key }) => key.endsWith('state.json'))
    expect(states).toHaveLength(1)
  })

  it('of a part of the table starts none', async () => {
    const markerConfig = { type: 'bound', idColumnName: 'order_id', fromId: 1, toId: 2 }
    await profiled({ profilingType: 'SELECTIVE', markerConfig })
    expect(await runs()).toEqual([])
  })

  it('that lacks a column of the policy starts a run that reads the column itself', async () => {
    await profiled({ profilingType: 'FULL', selectedColumns: ['order_id'] })
    await ended(1)
    expect(harness.engine.profiled).toEqual([['order_id'], ['amount']])
  })
})
