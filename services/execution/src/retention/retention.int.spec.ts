import { executionKinds } from '@assay/contracts'
import { createCommandHandler } from '@assay/event-store'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { policyFixture, tableFixture } from '../testing/fixtures.ts'
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

describe('rows of a run', () => {
  it('are removed after the days of keeping, and the run stays', async () => {
    const { start, result, rows } = executionKinds.DATA_QUALITY
    const id = idOf(await harness.call(start, { params: { id: 7 } }))
    const read = async () => bodyOf(await harness.call(result, { params: { id } }))
    const done = await eventually(read, ({ result }) => result.executionStatus === 'SUCCESSFUL')
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
    await expect(harness.call(rows, { params: { id } })).rejects.toMatchObject({
      message: expect.stringContaining('no longer'),
    })
    expect((await read()).result).toEqual(done.result)
    await retention.sweep()
  })
})
