import { executionKinds, executionOperations } from '@assay/contracts'
import { createCommandHandler } from '@assay/event-store'
import { keptSeriesDays } from '@assay/reliability'
import { AssayError } from '@assay/service-kit/errors'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { executions } from '../execution/execution.documents.ts'
import { resultKeys } from '../running/result-keys.ts'
import { seriesRuns } from '../series/series.documents.ts'
import { dataDriftFixture, policyFixture, schemaDriftFixture, tableFixture } from '../testing/fixtures.ts'
import { bodyOf, eventually, type Harness, idOf, openHarness } from '../testing/harness.ts'
import { createRetention } from './retention.ts'

let harness: Harness
beforeEach(async () => {
  harness = await openHarness()
  await harness.table(tableFixture())
  await harness.policy(policyFixture())
})
afterEach(() => harness.close())
const dayMs = 86_400_000
const { start, result } = executionKinds.DATA_QUALITY

/** Runs a policy, and returns the id of the run. */
async function succeeded(policyId: number): Promise<number> {
  const id = idOf(await harness.call(start, { params: { id: policyId } }))
  await eventually(
    async () => bodyOf(await harness.call(result, { params: { id } })),
    ({ result }) => result.executionStatus === 'SUCCESSFUL',
  )
  return id
}

describe('rows of a run', () => {
  it('are removed after the retention, and the run stays', async () => {
    const id = await succeeded(7)
    const read = async () => bodyOf(await harness.call(result, { params: { id } }))
    const done = await read()
    const retention = createRetention({
      ...harness.deps,
      commands: createCommandHandler(harness.deps),
      retentionDays: 2,
    })
    const kept = (await harness.artifacts.list('default')).length
    expect(kept).toBeGreaterThan(0)

    harness.clock.time += 2 * dayMs - 1
    await retention.sweep()
    expect(await harness.artifacts.list('default')).toHaveLength(kept)

    harness.clock.time += 1
    await retention.sweep()
    expect(await harness.artifacts.list('default')).toEqual([])
    await expect(harness.call(executionKinds.DATA_QUALITY.rows, { params: { id } })).rejects.toMatchObject({
      message: expect.stringContaining('no longer'),
    })
    expect((await read()).result).toEqual(done.result)
    await retention.sweep()
  })
  it('stay for runs whose profile later runs compare with', async () => {
    await harness.policy(dataDriftFixture({ id: 9, name: 'drift' }))
    const { start, detail } = executionKinds.DATA_DRIFT
    const run = async () => {
      const id = idOf(await harness.call(start, { params: { id: 9 } }))
      return eventually(
        async () => bodyOf(await harness.call(detail, { params: { id } })),
        ({ execution }) => execution.executionStatus === 'SUCCESSFUL',
      )
    }
    const first = await run()
    harness.clock.time += 1000
    const named = await run()
    await harness.policy({
      ...dataDriftFixture({ id: 10, name: 'other' }, { type: 'EXECUTION', executionId: named.execution.id }),
    })
    harness.clock.time += 1000
    await run()
    harness.clock.time += 60 * dayMs
    await createRetention({ ...harness.deps, commands: createCommandHandler(harness.deps) }).sweep()
    const kept = (await harness.artifacts.list('default')).filter(({ key }) => key.endsWith('profile-state.json'))
    expect(kept).toHaveLength(2)
    const third = await run()
    expect(first.items).toMatchObject([{ state: 'LEARNING' }])
    expect(third.items).toMatchObject([{ state: 'JUDGED', driftPercent: 0 }])
  })
  it('that cannot be removed do not prevent the removal of rows of other runs', async () => {
    await harness.policy(policyFixture({ id: 8, name: 'other' }))
    const ids = [await succeeded(7), await succeeded(8)]
    const stored = await harness.deps.documents.get(executions, 'default', ids[0] ?? 0)
    const stuck = stored?.document.status === 'succeeded' ? stored.document.result.files.metadata.key : ''
    const warned: object[] = []
    const retention = createRetention({
      ...harness.deps,
      commands: createCommandHandler(harness.deps),
      artifacts: {
        ...harness.artifacts,
        remove: async (key) => {
          if (key === stuck) throw new Error('may not be removed')
          await harness.artifacts.remove(key)
        },
      },
      logger: { ...harness.deps.logger, warn: (fields) => warned.push(fields) },
    })
    harness.clock.time += 31 * dayMs
    await retention.sweep()
    const left = (await harness.artifacts.list('default')).map(({ key }) => key.startsWith(stuck))
    expect(left).toEqual([true])
    expect(warned).toEqual([expect.objectContaining({ id: ids[0] })])
  })
  it('and points that cannot be removed do not prevent the removal of points of other runs', async () => {
    await harness.policy(policyFixture({ id: 8, name: 'other' }))
    const ids = [await succeeded(7), await succeeded(8)]
    const commands = createCommandHandler(harness.deps)
    const retention = createRetention({
      ...harness.deps,
      commands: {
        ...commands,
        handle: async (aggregate, asked) => {
          if (asked.id === ids[0]) throw new Error('may not be changed')
          return commands.handle(aggregate, asked)
        },
      },
      artifacts: {
        ...harness.artifacts,
        remove: async () => {
          throw new AssayError('unavailable', 'The bucket does not answer.')
        },
      },
    })
    const left = () => Promise.all(ids.map((id) => harness.deps.documents.get(seriesRuns, 'default', id)))
    expect((await left()).map((each) => each === undefined)).toEqual([false, false])
    harness.clock.time += (keptSeriesDays + 2) * dayMs
    await retention.sweep().catch(() => undefined)
    expect((await left()).map((each) => each === undefined)).toEqual([false, true])
  })
  it('of failed attempts are removed after the retention too, and only once', async () => {
    harness.engine.behave({ kind: 'hang' })
    const id = idOf(await harness.call(start, { params: { id: 7 } }))
    const stateOf = async () => (await harness.deps.documents.get(executions, 'default', id))?.document
    await eventually(stateOf, (state) => state?.status === 'running')
    await harness.call(executionOperations.cancelExecution, { params: { id } })
    const state = await eventually(stateOf, (each) => each?.status === 'aborted')
    if (state === undefined) throw new Error('There is no run.')
    const keys = [1, 2].map((fence) => resultKeys('default', state.run, fence).bad)
    for (const key of keys) await (await harness.artifacts.stage('default')).commit(key)
    const removed: string[] = []
    const artifacts = {
      ...harness.artifacts,
      remove: async (key: string) => {
        removed.push(key)
        await harness.artifacts.remove(key)
      },
    }
    const commands = createCommandHandler(harness.deps)
    const retention = createRetention({ ...harness.deps, commands, artifacts, retentionDays: 2 })
    await retention.sweep()
    expect(removed).toEqual([])
    harness.clock.time += 2 * dayMs
    await retention.sweep()
    expect(removed).toContain(keys[0])
    expect(removed).not.toContain(keys[1])
    const { length } = removed
    await retention.sweep()
    expect(removed).toHaveLength(length)
    expect(await stateOf()).toMatchObject({ status: 'aborted', attempts: 1 })
  })
})

describe('what runs learned', () => {
  it('is removed after the retention, also from the log, unless the next run of a policy starts with it', async () => {
    await harness.policy(schemaDriftFixture({ id: 9, name: 'drift' }))
    const { start, detail } = executionKinds.SCHEMA_DRIFT
    const run = async () => {
      const id = idOf(await harness.call(start, { params: { id: 9 } }))
      await eventually(
        async () => bodyOf(await harness.call(detail, { params: { id } })),
        ({ execution }) => execution.executionStatus === 'SUCCESSFUL',
      )
    }
    await run()
    harness.clock.time += 2 * dayMs
    await run()
    const retention = createRetention({
      ...harness.deps,
      commands: createCommandHandler(harness.deps),
      retentionDays: 2,
    })
    const learned = async () => {
      const { events } = await harness.deps.store.readAll({ categories: ['runversion'] })
      return events.filter(({ data }) => JSON.stringify(data).includes('"LEARNED"')).length
    }
    harness.clock.time -= 1
    await retention.sweep()
    expect(await learned()).toBe(2)
    harness.clock.time += 90 * dayMs
    await retention.sweep()
    expect(await learned()).toBe(1)
    await run()
    expect(await learned()).toBe(2)
  })
})
