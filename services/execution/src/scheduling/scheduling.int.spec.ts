import { executionKinds, executionOperations as operations } from '@assay/contracts'
import { uuidV5 } from '@assay/service-kit'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { policyFixture, tableFixture } from '../testing/fixtures.ts'
import { bodyOf, eventually, type Harness, openHarness } from '../testing/harness.ts'

let harness: Harness
beforeEach(async () => {
  harness = await openHarness()
  await harness.table(tableFixture())
})
afterEach(() => harness.close())

/** The harness clock starts at 2026-11-20T10:00:00Z. */
const hourMs = 3_600_000
const time = (text: string) => `2026-11-20T${text}.000Z`
const halfPast = { scheduled: true, schedule: '30 * * * *' }
const runs = async () => {
  const query = { sortBy: 'startedAt:asc', size: 500 }
  return bodyOf(await harness.call(operations.listExecutions, { query })).executions.map(({ execution }) => execution)
}
/** The scheduler checks repeatedly, as it does each second in production. */
const ended = (count: number) =>
  eventually(
    () => {
      harness.timers.tick()
      return runs()
    },
    (all) => all.length === count && all.every(({ finishedAt }) => finishedAt !== null),
  )
const scheduleOf = async (id = 7) => bodyOf(await harness.call(operations.getPolicySchedule, { params: { id } }))
/** Waits until the scheduler has checked after the clock was set. */
const skips = (count: number, id = 7) =>
  eventually(
    async () => {
      harness.timers.tick()
      return (await scheduleOf(id)).skipped
    },
    (skipped) => skipped.length === count,
  )

describe('a scheduled policy', () => {
  it('has a list of its next runs, and runs at these times', async () => {
    await harness.policy(policyFixture(halfPast))
    expect(await scheduleOf()).toEqual({
      scheduled: true,
      cronExpression: '30 * * * *',
      timeZone: 'UTC',
      executionType: null,
      nextRuns: [10, 11, 12, 13, 14].map((hour) => time(`${hour}:30:00`)),
      skipped: [],
    })
    harness.clock.time = Date.parse(time('10:29:59'))
    harness.timers.tick()
    harness.clock.time = Date.parse(time('10:30:00'))
    const [run] = await ended(1)
    expect(run).toMatchObject({
      executionMode: 'SCHEDULED',
      executedBy: 'scheduler',
      startedAt: time('10:30:00'),
      scheduleInstanceId: uuidV5('default', '7', time('10:30:00')),
    })
    harness.clock.time += hourMs
    harness.timers.tick()
    expect(await ended(2)).toHaveLength(2)
  })
  it.each([
    [null, 'INCREMENTAL'],
    ['FULL' as const, 'FULL'],
  ])('with a stored marker and %s in its schedule runs %s', async (scheduleExecutionType, executionType) => {
    const { backingAsset } = policyFixture().policy.rule
    const marker = { type: 'IdMarkerConfig', columnName: 'order_id' }
    await harness.policy(
      policyFixture({ ...halfPast, scheduleExecutionType, backingAsset: { ...backingAsset, marker } }),
    )
    harness.clock.time = Date.parse(time('10:30:00'))
    const [run] = await ended(1)
    expect(run).toMatchObject({ executionType, executionMode: 'SCHEDULED' })
  })

  it('does not run while it is disabled, archived or without an active schedule', async () => {
    await harness.policy(policyFixture({ schedule: '30 * * * *' }))
    await harness.policy(policyFixture({ ...halfPast, id: 8, enabled: false }))
    await harness.policy(policyFixture({ ...halfPast, id: 9 }))
    await harness.policy({ ...policyFixture({ ...halfPast, id: 9, archived: true, enabled: false }), revision: 1 })
    await harness.policy(policyFixture({ ...halfPast, id: 10 }))
    harness.clock.time = Date.parse(time('10:30:00'))
    harness.timers.tick()
    const all = await ended(1)
    expect(all.map(({ ruleId }) => ruleId)).toEqual([10])
    for (const id of [7, 8, 9]) expect(await scheduleOf(id)).toMatchObject({ nextRuns: [], skipped: [] })
  })
  it('keeps its next time when another field changes, and applies a new schedule immediately', async () => {
    await harness.policy(policyFixture(halfPast))
    harness.clock.time = Date.parse(time('10:30:00'))
    await harness.policy({ ...policyFixture({ ...halfPast, description: 'changed' }), revision: 1 })
    harness.timers.tick()
    await ended(1)
    await harness.policy({ ...policyFixture({ ...halfPast, schedule: '45 * * * *' }), revision: 2 })
    harness.clock.time = Date.parse(time('10:45:00'))
    harness.timers.tick()
    await ended(2)
  })
})

describe('a missed time', () => {
  it('is made up for once within an hour', async () => {
    await harness.policy(policyFixture(halfPast))
    harness.clock.time = Date.parse(time('15:10:00'))
    const [run] = await ended(1)
    expect(run?.scheduleInstanceId).toBe(uuidV5('default', '7', time('14:30:00')))
    expect(await scheduleOf()).toMatchObject({ skipped: [], nextRuns: expect.arrayContaining([time('15:30:00')]) })
  })
  it('is skipped with the reason after an hour', async () => {
    await harness.policy(policyFixture({ scheduled: true, schedule: '30 10 * * *' }))
    harness.clock.time = Date.parse(time('12:00:00'))
    expect(await skips(1)).toEqual([
      { nominalTime: time('10:30:00'), reason: expect.stringContaining('within an hour') },
    ])
    expect(await runs()).toEqual([])
  })
  it('is skipped while the previous run is open', async () => {
    harness.engine.behave({ kind: 'hang' })
    await harness.policy(policyFixture(halfPast))
    await harness.call(executionKinds.DATA_QUALITY.start, { params: { id: 7 } })
    harness.clock.time = Date.parse(time('10:30:00'))
    expect(await skips(1)).toEqual([
      { nominalTime: time('10:30:00'), reason: expect.stringContaining('not completed') },
    ])
    expect(await runs()).toHaveLength(1)
  })
})

describe('a clock that is set wrong', () => {
  const nominalTimes = async () => (await runs()).map(({ scheduleInstanceId }) => scheduleInstanceId)
  const idOf = (nominal: string) => uuidV5('default', '7', time(nominal))

  it('forward by hours and back again, then each time has one run, and what is due next stays due', async () => {
    await harness.policy(policyFixture(halfPast))
    harness.clock.time = Date.parse(time('13:10:00'))
    await ended(1)
    for (const minute of ['10:05:00', '10:30:00', '11:30:00', '12:30:00', '13:29:59']) {
      harness.clock.time = Date.parse(time(minute))
      harness.timers.tick()
    }
    expect(await nominalTimes()).toEqual([idOf('12:30:00')])
    harness.clock.time = Date.parse(time('13:30:00'))
    await ended(2)
    expect(await nominalTimes()).toEqual([idOf('12:30:00'), idOf('13:30:00')])
    expect(await scheduleOf()).toMatchObject({ skipped: [] })
  })
})

describe('a run of a definition that is too large for an event', () => {
  it('is skipped with the reason, without retries', async () => {
    await harness.policy(policyFixture({ ...halfPast, filter: 'x'.repeat(1_200_000) }))
    harness.clock.time = Date.parse(time('10:30:00'))
    expect(await skips(1)).toEqual([{ nominalTime: time('10:30:00'), reason: expect.stringMatching(/large|MiB/) }])
    const opened = async () => {
      const { events } = await harness.deps.store.read('default/policyruns-7')
      return events.filter(({ type }) => type === 'RunOpened').length
    }
    expect(await opened()).toBe(0)
  })
})

describe('two schedulers over one log', () => {
  it('start each due run once', async () => {
    const other = harness.another()
    await other.start()
    for (let id = 20; id < 30; id += 1) await harness.policy(policyFixture({ ...halfPast, id, name: `policy ${id}` }))
    for (const minute of ['10:30:00', '11:30:00']) {
      harness.clock.time = Date.parse(time(minute))
      harness.timers.tick()
      await ended(minute === '10:30:00' ? 10 : 20)
    }
    const all = await runs()
    expect(new Set(all.map(({ scheduleInstanceId }) => scheduleInstanceId)).size).toBe(20)
    for (let id = 20; id < 30; id += 1) expect(await scheduleOf(id)).toMatchObject({ skipped: [] })
  })
})

describe('after a restart', () => {
  it('runs that became due during the downtime are started', async () => {
    await harness.policy(policyFixture(halfPast))
    await harness.service.stop()
    harness.clock.time = Date.parse(time('10:45:00'))
    await harness.another().start()
    expect(await ended(1)).toMatchObject([{ scheduleInstanceId: uuidV5('default', '7', time('10:30:00')) }])
  })
})
