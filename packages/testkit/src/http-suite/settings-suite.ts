import { permissions } from '@assay/contracts'
import { beforeAll, describe, expect, test } from 'vitest'
import { createClient, type HttpClient } from './client.ts'
import { makeAssembly, newUniqueName } from './fixtures.ts'
import type { Target } from './target.ts'

const api = '/catalog-server/api'
const quality = `${api}/rules/data-quality`

/** Settings of assets and of the results of policies, and their effects. */
export function settingsSuite(open: () => Promise<Target>): void {
  describe('settings', () => {
    const uniqueName = newUniqueName()
    const uid = `${uniqueName}.balances.csv`
    let client: HttpClient
    let assetId: number

    beforeAll(async () => {
      const target = await open()
      client = createClient(target, target.admin)
      await makeAssembly(client, target.sharedFolder, uniqueName, {
        'balances.csv': 'id,balance,big\n1,-5,9007199254740993\n2,200,9\n3,7,-3\n',
      })
      assetId = (await client.good('GET', `${api}/assets/byUid/${uid}`)).data.id
    }, 300_000)

    test('given settings of an asset, when empty values are sent, then the settings are cleared', async () => {
      const path = `${api}/assets/${assetId}/config`
      const settings = { owner: 'ann', incrementalColumn: 'id', strategy: 'IdMarkerConfig' }
      const { assetConfiguration } = await client.good('PUT', path, settings)
      expect(assetConfiguration).toMatchObject({
        owner: ['ann'],
        incrementalColumn: 'id',
        markerConfiguration: { type: 'IdMarkerConfig', columnName: 'id' },
      })
      const cleared = await client.good('PUT', path, { markerConfiguration: {}, notificationChannels: null })
      expect(cleared.assetConfiguration).toMatchObject({ owner: ['ann'], markerConfiguration: null })
      await client.good('PUT', path, { owner: '', incrementalColumn: '', strategy: '' })
      expect((await client.good('GET', path)).assetConfiguration).toMatchObject({
        owner: null,
        incrementalColumn: null,
        strategy: null,
        markerConfiguration: null,
      })
    })

    test('given labels, when they are written, then the answer names the stream and its next revision', async () => {
      const write = async (value: string) => {
        const { status, headers } = await client.call('PUT', `${api}/assets/${assetId}/labels`, {
          labels: [{ key: 'team', value }],
        })
        const [, revision] = /catalog:assetlabels-\d+@(\d+)/.exec(headers.get('x-assay-position') ?? '') ?? []
        return [status, Number(revision)]
      }
      const [, first = 0] = await write('finance')
      expect(await write('sales')).toEqual([200, first + 1])
    })

    test('given a policy that one key has just created or changed, when another key starts it, then it has seen that', async () => {
      const other = client.as(await client.key(permissions))
      const backingAsset = { tableAssetUid: uid }
      const items = [{ measurementType: 'MISSING_VALUES', columnName: 'id' }]
      for (let n = 0; n < 5; n += 1) {
        const { rule } = await client.good('POST', quality, {
          rule: { name: `${uniqueName} ${n}`, backingAsset },
          items,
        })
        await other.good('POST', `${quality}/${rule.id}/executions?wait=30`, {})
        await client.good('PUT', `${api}/rules/${rule.id}/enable`, { enable: false })
        const { status } = await other.call('POST', `${quality}/${rule.id}/executions`, {})
        expect(status).toBe(422)
      }
    })

    test('given an empty parentHierarchy, when assets are searched, then it filters nothing', async () => {
      const count = async (more: string) =>
        (await client.good('GET', `${api}/assets/search?ids=${assetId}${more}&size=0`)).meta.count
      expect([await count(''), await count('&parentHierarchy=')]).toEqual([1, 1])
    })

    test("given bad rows kept as JSON, when they are downloaded as CSV, then each value equals the source's", async () => {
      const items = [{ measurementType: 'RANGE_MATCH', columnName: 'id', value: { min: 10 } }]
      const definition = { rule: { name: `${uniqueName} balances`, backingAsset: { tableAssetUid: uid } }, items }
      const { rule } = await client.eventually(() => client.good('POST', quality, definition))
      const categoriesConfig = {
        good: { suffixTemplate: 'good/{{REQUEST_ID}}', format: 'JSON' },
        bad: { suffixTemplate: 'bad/{{REQUEST_ID}}', format: 'JSON' },
      }
      await client.good('PUT', `${api}/rules/${rule.id}/configuration`, {
        categoriesPersistenceConfig: { type: 'CUSTOM', categoriesConfig },
      })
      // The execution service may not know the policy and its configuration yet.
      const { execution } = await client.eventually(async () => {
        const seen = await client.good('GET', `${api}/rules?ruleType=DATA_QUALITY&sortBy=id:desc&size=50`)
        const found = seen.rules.find((row: { rule: { id: number; version: number } }) => row.rule.id === rule.id)
        expect(found?.rule.version).toBe(2)
        return client.good('POST', `${quality}/${rule.id}/executions`, {})
      })
      const path = `${quality}/executions/${execution.id}`
      const { json } = await client.until(`${path}/result`, (answer) => answer.json.execution?.finishedAt !== null)
      expect(json.meta.files.bad.format).toBe('JSON')
      const { text } = await client.call('GET', `${path}/rows/download?category=bad&format=CSV`)
      const [head = '', ...rows] = text.trimEnd().split(/\r?\n/)
      expect(head).toMatch(/^id,balance,big,/)
      expect(rows.map((row) => row.split(',').slice(0, 3))).toEqual([
        ['1', '-5', '9007199254740993'],
        ['2', '200', '9'],
        ['3', '7', '-3'],
      ])
    }, 180_000)
  })
}
