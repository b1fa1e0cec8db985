import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { createClient, type HttpClient } from './client.ts'
import { makeAssembly, newUniqueName } from './fixtures.ts'
import type { Target } from './target.ts'
import { askWhatIf } from './what-if.ts'

const api = '/catalog-server/api'
const drift = `${api}/rules/data-drift`

/** 100 orders: amounts from `from` on, and every `nth` from Germany. */
function orders({ from, nth }: { from: number; nth: number }): string {
  const rows = Array.from({ length: 100 }, (_, id) => `${id},${from + id},${id % nth === 0 ? 'DE' : 'FR'}`)
  return ['id,amount,country', ...rows, ''].join('\n')
}
const usual = { from: 100, nth: 2 }

/** Data drift on a file that is rewritten. */
export function dataDriftSuite(open: () => Promise<Target>): void {
  describe('a data drift policy', () => {
    let client: HttpClient
    let folder: string
    let name: string

    const write = (file: string, given: { from: number; nth: number }) => writeFile(join(folder, file), orders(given))
    const items = [
      { columnName: 'amount', metricType: 'MEAN', driftThreshold: 10 },
      { columnName: 'amount', measure: 'KS', driftThreshold: 20 },
      { columnName: 'country', measure: 'JS' },
    ]
    const create = async (file: string, rule: object = {}) => {
      const asset = { tableAssetUid: `${name}.${file}` }
      const body = { rule: { name: newUniqueName(), backingAsset: asset, ...rule }, items }
      const created = await client.eventually(() => client.good('POST', drift, body))
      return created.rule.id as number
    }
    const start = (policyId: number) =>
      client.eventually(() => client.good('POST', `${drift}/${policyId}/executions?wait=60`, {}))

    beforeAll(async () => {
      const target = await open()
      client = createClient(target, target.admin)
      name = newUniqueName()
      const files = {
        'orders.csv': orders(usual),
        'lost.csv': orders(usual),
        'other.csv': orders({ from: 150, nth: 2 }),
      }
      folder = (await makeAssembly(client, target.sharedFolder, name, files)).folder
    })

    test('given a file that was rewritten between two runs, then the second run says which bins moved', async () => {
      const policyId = await create('orders.csv')
      const first = await start(policyId)
      expect([first.execution.resultStatus, first.items[0]]).toMatchObject(['SUCCESSFUL', { state: 'LEARNING' }])
      const same = await start(policyId)
      expect(same.execution.resultStatus).toBe('SUCCESSFUL')
      expect(same.items.map((item: { driftPercent: number }) => item.driftPercent)).toEqual([0, 0, 0])
      await write('orders.csv', { from: 150, nth: 10 })
      const moved = await start(policyId)
      expect(moved.execution).toMatchObject({ executionStatus: 'SUCCESSFUL', resultStatus: 'ERRORED' })
      const [mean, ks, country] = moved.items
      expect(mean).toMatchObject({ value: '199.5', referenceValue: '149.5', threshold: 10, thresholdBy: 'GIVEN' })
      expect(mean.driftPercent).toBeCloseTo((100 * 50) / 149.5, 6)
      expect(ks).toMatchObject({ value: '0.5', driftPercent: 50, status: 'ERRORED', approximate: false })
      expect(ks.pValue).toBeLessThan(1e-6)
      expect(ks.referenceProfileTo).toBe(same.execution.id)
      expect(country).toMatchObject({ thresholdBy: 'DEFAULT', threshold: 10, learned: { points: 1, needed: 10 } })
      expect(country.bins).toEqual([
        { bin: 'FR', reference: 0.5, current: 0.9 },
        { bin: 'DE', reference: 0.5, current: 0.1 },
        { bin: 'NULL', reference: 0, current: 0 },
      ])
      const stored = await client.good('GET', `${drift}/executions/${moved.execution.id}/result`)
      expect(stored.items[2].bins).toEqual(country.bins)
      expect(stored.result.description).toMatch(/^3 of 3 items drifted, the farthest by /)
      const [byMean, byShift, byCountry] = moved.items.map((item: { ruleItemId: number }) => item.ruleItemId)
      const limits = [
        { id: byMean, driftThreshold: 40 },
        { id: byShift, driftThreshold: 50 },
        { id: byCountry, driftThreshold: 90 },
      ]
      const path = `${drift}/${policyId}`
      expect(await askWhatIf(client, path, { items: limits })).toMatchObject({ firedCount: 0, runs: 3 })
      const fixed = { type: 'ABSOLUTE', config: { direction: 'BELOW', success: 5 } }
      const refused = await client.call('POST', `${path}/what-if`, { items: [{ id: byMean, thresholdConfig: fixed }] })
      expect([refused.status, refused.json.errors[0].message]).toEqual([400, expect.stringContaining('driftThreshold')])
    })

    test('given another asset or a given execution as the baseline, then a run compares with that', async () => {
      const reference = { baseline: { type: 'REFERENCE', referenceAssetUid: `${name}.other.csv` } }
      await write('orders.csv', usual)
      const byAsset = await start(await create('orders.csv', reference))
      expect(byAsset.items[0]).toMatchObject({ value: '149.5', referenceValue: '199.5', referenceProfileTo: null })
      const other = await client.good('GET', `${api}/assets/byUid/${name}.other.csv`)
      const configured = `${api}/assets/byUid/${name}.orders.csv/config/reference-configuration`
      const referenceAssetId = other.data.id
      await client.good('PUT', configured, { validateNow: false, isReference: false, referenceAssetId })
      const policyId = await create('orders.csv', { baseline: { type: 'REFERENCE' } })
      const { rule } = await client.good('GET', `${drift}/${policyId}`)
      expect(rule.baseline).toEqual({ ...reference.baseline, referenceAssetId })
      const known = await start(await create('orders.csv'))
      await write('orders.csv', { from: 120, nth: 2 })
      const baseline = { type: 'EXECUTION', executionId: known.execution.id }
      const byRun = await start(await create('orders.csv', { baseline }))
      expect(byRun.items[0]).toMatchObject({ value: '169.5', referenceValue: '149.5', status: 'ERRORED' })
      expect(byRun.items[0].referenceProfileFrom).toBe(known.execution.id)
    })

    test('given a file that lost all watched columns, then the run succeeds, and its items say so', async () => {
      const policyId = await create('lost.csv')
      await start(policyId)
      await writeFile(join(folder, 'lost.csv'), 'id\n1\n2\n')
      const { execution, items: found } = await start(policyId)
      expect(execution).toMatchObject({ executionStatus: 'SUCCESSFUL', resultStatus: 'ERRORED' })
      expect(found).toMatchObject([{ error: "The asset no longer has the column 'amount'." }, {}, { rowsScanned: 2 }])
    })

    test('given a completed profile, then it starts a run that reads nothing, once', async () => {
      await write('orders.csv', usual)
      const policyId = await create('orders.csv')
      await start(policyId)
      await write('orders.csv', { from: 150, nth: 2 })
      const { rule } = await client.good('GET', `${drift}/${policyId}`)
      const assetId = rule.backingAsset.tableAssetId
      const profile = await client.good('POST', `${api}/assets/${assetId}/profile`, { data: { profilingType: 'FULL' } })
      const path = `${drift}/${policyId}/executions?sortBy=id:desc`
      const { json } = await client.until(path, ({ status, json }) => {
        const [latest] = status === 200 ? json.executions : []
        return latest?.execution.executionMode === 'SCHEDULED' && latest.execution.finishedAt !== null
      })
      const [{ execution, items: found }] = json.executions
      expect(execution.scheduleInstanceId).toBe(`profile-${profile.data.id}`)
      expect(found[0]).toMatchObject({ value: '199.5', referenceValue: '149.5', status: 'ERRORED', rowsScanned: 100 })
      const { meta } = await client.good('GET', `${drift}/executions/${execution.id}/result`)
      expect(meta.engineMs).toBe(0)
      const unchanged = await start(policyId)
      const ofUnchanged = await client.good('GET', `${drift}/executions/${unchanged.execution.id}/result`)
      expect([ofUnchanged.meta.engineMs, unchanged.items[0].value]).toEqual([0, '199.5'])
      await write('orders.csv', usual)
      expect((await start(policyId)).items[0].value).toBe('149.5')
      const all = await client.good('GET', path)
      expect(all.executions.map((one: (typeof json.executions)[0]) => one.execution.executionMode)).toEqual([
        'API',
        'API',
        'SCHEDULED',
        'API',
      ])
    })

    test('given a window and a filter, then a run compares with all rows of earlier runs that the filter takes', async () => {
      const rule = { baseline: { type: 'WINDOW', window: 2, windowType: 'RUNS' }, filter: 'id < 50' }
      const policyId = await create('orders.csv', rule)
      for (const from of [100, 200]) {
        await write('orders.csv', { from, nth: 2 })
        await start(policyId)
      }
      await write('orders.csv', { from: 300, nth: 2 })
      const { items } = await start(policyId)
      expect(items[0]).toMatchObject({ value: '324.5', referenceValue: '174.5', rowsScanned: 50 })
    })
  })
}
