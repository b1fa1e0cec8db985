import { beforeAll, describe, expect, test } from 'vitest'
import { createClient, type HttpClient } from './client.ts'
import { makeAssembly, newUniqueName } from './fixtures.ts'
import { type Expected, itemCases, nastyRows } from './item-cases.ts'
import type { Target } from './target.ts'

const api = '/catalog-server/api'
const quality = `${api}/rules/data-quality`

interface ItemResult extends Expected {
  name: string
  error: string | null
  ruleItemId: number
}
interface Result {
  items: ItemResult[]
  meta: { warningCount: number }
}

/** Every kind of item on twelve nasty rows, in one scan: counts, verdicts, bad rows. */
export function itemsSuite(open: () => Promise<Target>): void {
  describe('data quality items', () => {
    const uniqueName = newUniqueName()
    let client: HttpClient
    let fused: Result
    let path: string

    async function runPolicy(name: string, items: unknown[]): Promise<{ path: string; result: Result }> {
      const rule = {
        name: `${uniqueName} ${name}`.slice(0, 200),
        backingAsset: { tableAssetUid: `${uniqueName}.nasty.csv` },
      }
      const { rule: made } = await client.eventually(() => client.good('POST', quality, { rule, items }))
      await client.good('PUT', `${api}/rules/${made.id}/configuration`, {
        categoriesResultHandlingConfig: { good: { storeResult: true }, bad: { storeResult: true } },
      })
      // The execution service may not know the policy and its configuration yet.
      const started = await client.eventually(() => client.good('POST', `${quality}/${made.id}/executions`, {}))
      const at = `${quality}/executions/${started.execution.id}`
      const ended = await client.until(
        `${at}/result`,
        ({ status, json }) => status === 200 && json.execution.executionStatus !== 'RUNNING',
      )
      expect(ended.json.execution).toMatchObject({ executionStatus: 'SUCCESSFUL', executionError: null })
      return { path: at, result: ended.json }
    }

    beforeAll(async () => {
      const target = await open()
      client = createClient(target, target.admin)
      await makeAssembly(client, target.sharedFolder, uniqueName, { 'nasty.csv': nastyRows })
      const all = itemCases.map(([name, item]) => ({ ...item, name }))
      const run = await runPolicy('all items', all)
      fused = run.result
      path = run.path
    }, 300_000)

    describe('given twelve nasty rows, when all items run in one scan', () => {
      test('then the counts of each item equal those calculated by hand', () => {
        const found = new Map(fused.items.map((item) => [item.name, item]))
        expect(itemCases.map(([name]) => found.get(name))).toMatchObject(
          itemCases.map(([name, , expected]) => ({ name, error: null, ...expected })),
        )
      })

      test('then malformed lines are reported', () => {
        expect(fused.meta.warningCount).toBe(2)
      })

      test('then each row is good or bad, and each bad row names the items that it failed', async () => {
        const bad = await client.call('GET', `${path}/rows?category=bad&size=100`)
        const good = await client.call('GET', `${path}/rows?category=good&size=100`)
        expect(bad.json.meta.count + good.json.meta.count).toBe(12)
        for (const row of bad.json.data.rows) expect(row.ruleItemIds.length).toBeGreaterThan(0)
        const [item] = fused.items.filter((each) => each.name.startsWith('MISSING_VALUES: NULL'))
        const one = await client.call('GET', `${path}/rows?category=bad&itemId=${item?.ruleItemId}`)
        expect(one.json.data.rows.map((row: { values: { id: number } }) => row.values.id)).toEqual([2])
      })
    })
  })
}
