import { executionKinds, executionsByOldPaths, executionOperations as operations, policyTypes } from '@assay/contracts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { policyFixture, tableFixture, withoutEngineFixture } from '../testing/fixtures.ts'
import { bodyOf, type Harness, idOf, openHarness } from '../testing/harness.ts'

let harness: Harness
beforeAll(async () => {
  harness = await openHarness()
  await harness.table(tableFixture())
  await harness.policy(policyFixture())
  await harness.policy(withoutEngineFixture({ id: 8, name: 'odd' }))
})
afterAll(() => harness.close())

describe('a policy of a type without an engine', () => {
  it('answers 501 to every start, and has no run', async () => {
    const { start, startByName, list, listByName } = executionKinds.EQUALITY
    const starts = [
      harness.call(start, { params: { id: 8 }, body: { executionType: 'FULL' } }),
      harness.call(startByName, { params: { name: 'odd' } }),
      harness.call(operations.startByWebhook, { params: { id: 8 } }),
    ]
    for (const each of starts) await expect(each).rejects.toMatchObject({ code: 'not-implemented' })
    const none = { executions: [], meta: { count: 0, page: 0, size: 25 } }
    expect(bodyOf(await harness.call(list, { params: { id: 8 } }))).toEqual(none)
    expect(bodyOf(await harness.call(listByName, { params: { name: 'odd' } }))).toEqual(none)
    expect(bodyOf(await harness.call(operations.listExecutions, {})).meta.count).toBe(0)
  })
})

describe('a policy on a table that no longer exists', () => {
  it('cannot be started', async () => {
    await harness.table(tableFixture({ assetId: 21, revision: 1, isDeleted: true }))
    const { backingAsset } = policyFixture().policy.rule
    await harness.policy(policyFixture({ id: 9, name: 'late', backingAsset: { ...backingAsset, tableAssetId: 21 } }))
    const started = harness.call(executionKinds.DATA_QUALITY.start, { params: { id: 9 } })
    await expect(started).rejects.toMatchObject({
      code: 'unprocessable',
      message: expect.stringContaining('no longer'),
    })
  })
})

describe('the routes of one policy type', () => {
  it('find no policies and runs of other types', async () => {
    const id = idOf(await harness.call(executionKinds.DATA_QUALITY.start, { params: { id: 7 } }))
    for (const type of policyTypes.filter((each) => each !== 'DATA_QUALITY')) {
      const { start, list, detail, result, rows, download } = executionKinds[type]
      const calls = [
        harness.call(start, { params: { id: 7 } }),
        harness.call(list, { params: { id: 7 } }),
        harness.call(detail, { params: { id } }),
        harness.call(result, { params: { id } }),
        harness.call(rows, { params: { id } }),
        harness.call(download, { params: { id } }),
      ]
      for (const each of calls) await expect(each).rejects.toMatchObject({ code: 'not-found' })
    }
    for (const operation of Object.values(executionsByOldPaths)) {
      await expect(harness.call(operation, { params: { id: 8 } })).rejects.toMatchObject({ code: 'not-found' })
    }
  })
})
