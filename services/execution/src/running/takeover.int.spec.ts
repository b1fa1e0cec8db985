import { executionKinds, executionOperations as operations } from '@assay/contracts'
import { createCommandHandler } from '@assay/event-store'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { executionAggregate } from '../execution/execution.aggregate.ts'
import { policyRunsAggregate } from '../policy-runs/policy-runs.aggregate.ts'
import { createFakeEngine } from '../testing/fake-engine.ts'
import { policyFixture, tableFixture } from '../testing/fixtures.ts'
import { bodyOf, createManualTimers, eventually, type Harness, idOf, openHarness } from '../testing/harness.ts'

let harness: Harness
beforeEach(async () => {
  harness = await openHarness()
  await harness.table(tableFixture())
  await harness.policy(policyFixture())
})
afterEach(() => harness.close())

const context = { actor: 'system' }
const at = '2026-11-20T10:00:00.000Z'
const start = () => harness.call(executionKinds.DATA_QUALITY.start, { params: { id: 7 } })
const read = async (id: number) => bodyOf(await harness.call(executionKinds.DATA_QUALITY.detail, { params: { id } }))
const ended = (id: number) =>
  eventually(
    () => read(id),
    ({ execution }) => execution.executionStatus !== 'RUNNING',
  )
const untilRunning = () =>
  eventually(
    async () => harness.engine.running(),
    (running) => running === 1,
  )
const startAnother = async () => {
  const timers = createManualTimers()
  const engine = createFakeEngine()
  const service = harness.another({ engine, timers })
  await service.start()
  return { service, timers, engine }
}

describe('a worker that dies', () => {
  it('given an expired claim, then another worker completes the run, and late results of the first are discarded', async () => {
    const { promise: until, resolve: finish } = Promise.withResolvers<void>()
    harness.engine.behave({ kind: 'wait', until })
    const id = idOf(await start())
    await untilRunning()
    harness.clock.time += 21_000
    const { engine } = await startAnother()
    const finished = await ended(id)
    expect(finished.execution.executionStatus).toBe('SUCCESSFUL')
    expect(engine.measured).toHaveLength(1)
    finish()
    await eventually(
      async () => harness.engine.running(),
      (running) => running === 0,
    )
    await harness.service.stop()
    expect(await read(id)).toEqual(finished)
    const rows = bodyOf(await harness.call(executionKinds.DATA_QUALITY.rows, { params: { id } }))
    expect(rows.meta.count).toBe(3)
    const keys = (await harness.deps.artifacts.list('default')).map(({ key }) => key)
    expect(keys.length).toBeGreaterThan(0)
    expect(keys.filter((key) => !key.includes('.attempt-2/'))).toEqual([])
  })

  it('given it noted a statement, then the next worker gets it, and the first can no longer note or cancel', async () => {
    const { promise: until, resolve: finish } = Promise.withResolvers<void>()
    harness.engine.behave({ kind: 'wait', until })
    const id = idOf(await start())
    await untilRunning()
    const first = harness.engine.statements()
    const noted = (reference: string) => ({ digest: 'd', reference })
    await first?.note(noted('key-1'))
    await first?.note(noted('key-2'))
    expect(await first?.isOurs()).toBe(true)
    harness.clock.time += 21_000
    const { engine, service } = await startAnother()
    await ended(id)
    const next = engine.statements()
    expect(next?.left()).toEqual([noted('key-2')])
    expect(first?.left()).toEqual([])
    await expect(first?.note(noted('key-3'))).rejects.toMatchObject({ code: 'unavailable' })
    expect(JSON.stringify([await read(id), harness.bus.published])).not.toContain('key-')
    finish()
    await service.stop()
  })

  it('given the worker pauses while it stores results, then these results do not count', async () => {
    const { promise: pause, resolve: resume } = Promise.withResolvers<void>()
    const { promise: isPaused, resolve: paused } = Promise.withResolvers<void>()
    const { artifacts } = harness.deps
    const pausing = {
      ...artifacts,
      stage: async (tenant: string) => {
        const stage = await artifacts.stage(tenant)
        const commit = async (key: string) => {
          paused()
          await pause
          await stage.commit(key)
        }
        return { ...stage, commit }
      },
    }
    await harness.service.stop()
    const first = harness.another({ artifacts: pausing, timers: createManualTimers() })
    await first.start()
    const id = idOf(await harness.call(executionKinds.DATA_QUALITY.start, { params: { id: 7 } }, first))
    await isPaused
    harness.clock.time += 21_000
    const { service: second } = await startAnother()
    const finished = await ended(id)
    const stored = () => artifacts.list('default')
    const before = await stored()
    resume()
    await first.stop()
    expect(await stored()).toEqual(before)
    expect(await read(id)).toEqual(finished)
    await second.stop()
  })

  it('given a valid claim, then no other worker claims the run', async () => {
    harness.engine.behave({ kind: 'hang' })
    const id = idOf(await start())
    await untilRunning()
    harness.clock.time += 10_000
    harness.timers.tick()
    await eventually(
      () => read(id),
      ({ execution }) => execution.lastHealthUpdateAt === '2026-11-20T10:00:10.000Z',
    )
    harness.clock.time += 19_000
    const { engine } = await startAnother()
    await eventually(
      async () => engine.measured.length,
      (runs) => runs === 0,
    )
    expect((await read(id)).execution).toMatchObject({ executionStatus: 'RUNNING', jobState: 'DQ_BATCH_RULES' })
  })

  it('given three lost claims, then the run fails', async () => {
    const commands = createCommandHandler(harness.deps)
    harness.engine.behave({ kind: 'hang' })
    const id = idOf(await start())
    await untilRunning()
    for (const seconds of [31, 62]) {
      const now = Date.parse(at) + seconds * 1000
      const [claimedAt, until] = [new Date(now).toISOString(), new Date(now + 30_000).toISOString()]
      const command = { type: 'ClaimExecution' as const, worker: 'w', at: claimedAt, until }
      await commands.handle(executionAggregate, { tenant: 'default', id, command, context })
    }
    harness.clock.time += 93_000
    await startAnother()
    const { execution } = await ended(id)
    expect(execution).toMatchObject({
      executionStatus: 'FAILED',
      executionError: 'The run ended unexpectedly three times.',
    })
  })
})

describe('a worker that stops', () => {
  it('releases its run, and another worker claims it immediately', async () => {
    harness.engine.behave({ kind: 'hang' })
    const id = idOf(await start())
    await untilRunning()
    await harness.service.stop()
    expect((await read(id)).execution).toMatchObject({ executionStatus: 'RUNNING', jobState: 'QUEUED' })
    await startAnother()
    expect((await ended(id)).execution.executionStatus).toBe('SUCCESSFUL')
  })
})

describe('more runs than the limit', () => {
  it('wait until others have ended', async () => {
    for (const id of [8, 9]) await harness.policy(policyFixture({ id, name: `p${id}` }))
    harness.engine.behave({ kind: 'hang' })
    const ids: number[] = []
    for (const id of [7, 8, 9]) {
      ids.push(idOf(await harness.call(executionKinds.DATA_QUALITY.start, { params: { id } })))
      harness.clock.time += 1
    }
    await eventually(
      async () => harness.engine.running(),
      (running) => running === 2,
    )
    const [first = 0, , last = 0] = ids
    expect((await read(last)).execution).toMatchObject({ executionStatus: 'RUNNING', jobState: 'QUEUED' })
    harness.engine.behave({ kind: 'end' })
    await harness.call(operations.cancelExecution, { params: { id: first } })
    expect((await ended(last)).execution.executionStatus).toBe('SUCCESSFUL')
  })
})

describe('an interrupted start', () => {
  const open = () => {
    const command = { type: 'OpenRun' as const, executionId: 990, at }
    return createCommandHandler(harness.deps).handle(policyRunsAggregate, {
      tenant: 'default',
      id: 7,
      command,
      context,
    })
  }

  it('given the start is recent, then another start is refused', async () => {
    await open()
    await expect(start()).rejects.toMatchObject({ code: 'unprocessable' })
  })
  it('given the start is old, then the next start succeeds, and the old one can no longer complete', async () => {
    await open()
    harness.clock.time += 31_000
    const id = idOf(await start())
    expect((await ended(id)).execution.executionStatus).toBe('SUCCESSFUL')
    const { state } = await createCommandHandler(harness.deps).load(executionAggregate, 'default', 990)
    expect(state.status).toBe('abandoned')
  })
  it('given the start is old, then the sweep closes it', async () => {
    await open()
    harness.clock.time += 31_000
    harness.timers.tick()
    const { state } = await eventually(
      () => createCommandHandler(harness.deps).load(policyRunsAggregate, 'default', 7),
      ({ state }) => state.open === null,
    )
    expect(state.open).toBeNull()
  })
})

describe('an interrupted end', () => {
  it('does not block the next start', async () => {
    harness.engine.behave({ kind: 'hang' })
    const id = idOf(await start())
    const command = { type: 'CancelExecution' as const, at, by: 'ann' }
    await createCommandHandler(harness.deps).handle(executionAggregate, { tenant: 'default', id, command, context })
    harness.engine.behave({ kind: 'end' })
    expect((await ended(idOf(await start()))).execution.executionStatus).toBe('SUCCESSFUL')
  })
})
