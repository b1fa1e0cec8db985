import { executionKinds, executionsByOldPaths, policyTypes } from '@assay/contracts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  anomalyFixture,
  arrivalFixture,
  dataDriftFixture,
  policyFixture,
  schemaDriftFixture,
  tableFixture,
} from '../testing/fixtures.ts'
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

describe('a malformed request to start a disabled policy', () => {
  const bound = (idColumnName: string, fromId?: number) => ({ type: 'bound', idColumnName, fromId })
  const time = (fromDate?: string, toDate?: string) => ({
    ...{ type: 'boundDateTime', dateColumnName: 'created', fromDate, toDate },
  })
  it.each([
    ['the bounds are missing', time()],
    ['the first bound is after the last', time('2026-02-01', '2026-01-01')],
    ['there is no such column', bound('gone', 1)],
  ])('is refused as malformed for every type if %s', async (_, markerConfig) => {
    const created = { id: 99, uid: 'sales.orders.csv.created', name: 'created', dataType: 'DATE' }
    await harness.table(tableFixture({ revision: 1, columns: [...tableFixture().columns, created] }))
    const off = { enabled: false }
    const messages = [
      policyFixture({ id: 31, name: 'quality', ...off }),
      schemaDriftFixture({ id: 32, name: 'schema', ...off }),
      dataDriftFixture({ id: 33, name: 'drift', ...off }),
      arrivalFixture('DATA_CADENCE', { id: 34, name: 'cadence', ...off }),
      arrivalFixture('DATA_FRESHNESS', { id: 35, name: 'freshness', ...off }),
      anomalyFixture({ id: 36, name: 'auto', ...off }),
      anomalyFixture({ id: 37, name: 'anomaly', ...off }, 'PROFILE_ANOMALY'),
    ]
    for (const message of messages) {
      await harness.policy(message)
      const { id, type } = message.policy.rule
      const start = (config: object) => {
        const body = { executionType: 'SELECTIVE', markerConfigs: [{ assetId: 11, markerConfig: config }] }
        return harness.call(executionKinds[type].start, { params: { id }, body })
      }
      await expect(start(markerConfig)).rejects.toMatchObject({
        code: 'invalid',
        message: expect.stringContaining('markerConfigs[0].markerConfig.'),
      })
      await expect(start(bound('order_id', 1))).rejects.toMatchObject({ code: 'unprocessable' })
    }
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
