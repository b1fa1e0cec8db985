import { executionKinds, executionsByOldPaths, policyTypes } from '@assay/contracts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { policyFixture, tableFixture } from '../testing/fixtures.ts'
import { type Harness, idOf, openHarness } from '../testing/harness.ts'

let harness: Harness
beforeAll(async () => {
  harness = await openHarness()
  await harness.table(tableFixture())
  await harness.policy(policyFixture())
})
afterAll(() => harness.close())

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
