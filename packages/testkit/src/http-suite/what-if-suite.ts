import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { permissions } from '@assay/contracts'
import { beforeAll, describe, expect, test } from 'vitest'
import { createClient, type HttpClient } from './client.ts'
import { makeAssembly, newUniqueName } from './fixtures.ts'
import type { Target } from './target.ts'
import { askWhatIf } from './what-if.ts'

const api = '/catalog-server/api'
const quality = `${api}/rules/data-quality`

/** What-if of data quality. The suites of the other types test their own. */
export function whatIfSuite(open: () => Promise<Target>): void {
  describe('what-if of a data quality policy', () => {
    let client: HttpClient
    let path: string
    let assetUid: string
    let [missing, sum] = [0, 0]

    beforeAll(async () => {
      const target = await open()
      client = createClient(target, target.admin)
      const name = newUniqueName()
      const { folder } = await makeAssembly(client, target.sharedFolder, name)
      assetUid = `${name}.people.csv`
      const aggregate = { measurementType: 'AGGREGATES', aggregateType: 'SUM', columnName: 'age' }
      const body = {
        rule: { name: `what if ${name}`, backingAsset: { tableAssetUid: assetUid } },
        items: [
          { name: 'names', measurementType: 'MISSING_VALUES', columnName: 'name', resultThreshold: 50 },
          { name: 'sum', ...aggregate, value: { operator: 'LT', value: 1000 } },
        ],
      }
      const { rule, details } = await client.eventually(() => client.good('POST', quality, body))
      path = `${quality}/${rule.id}`
      const [first, second] = details.items
      missing = first.id
      sum = second.id
      for (const age of [210, 480]) {
        await writeFile(join(folder, 'people.csv'), `id,name,age\n1,Ada,36\n2,Bob,\n3,,${age}\n`)
        await client.eventually(() => client.good('POST', `${path}/executions?wait=60`, {}))
      }
    })

    test('given other thresholds and limits, then it says which runs would have fired, and stores nothing', async () => {
      const fired = async (changes: object) => {
        const { points, runs, next } = await askWhatIf(client, path, changes)
        expect([runs, next]).toEqual([2, null])
        return points.flatMap((point) => (point.fired ? [[point.ruleItemId, point.metric, point.value]] : []))
      }
      const share = expect.closeTo(200 / 3, 6)
      expect(await fired({ items: [{ id: missing, resultThreshold: 60 }] })).toEqual([])
      expect(await fired({ items: [{ id: missing, resultThreshold: 70 }] })).toEqual([
        [missing, 'PERCENTAGE', share],
        [missing, 'PERCENTAGE', share],
      ])
      expect(await fired({ items: [{ id: sum, value: { value: 500 } }] })).toEqual([[sum, 'PERCENTAGE', 0]])
      const limit = { type: 'ABSOLUTE', config: { direction: 'ABOVE', success: 90 } }
      const scored = await fired({ rule: { thresholdLevel: limit }, items: [{ id: sum, value: { value: 500 } }] })
      expect(scored.filter(([, metric]) => metric === 'SCORE')).toEqual([
        [null, 'SCORE', expect.closeTo(100 / 3, 6)],
        [null, 'SCORE', expect.closeTo(250 / 3, 6)],
      ])
      const { rule, details } = await client.good('GET', path)
      expect([rule.version, details.items[0].resultThreshold]).toEqual([1, 50])
    })

    test.each<[string, () => object]>([
      ['items[0].id', () => ({ items: [{ id: 999_999_999 }] })],
      ['items[1].id', () => ({ items: [{ id: sum }, { id: sum }] })],
      ['items[0].driftThreshold', () => ({ items: [{ id: missing, driftThreshold: 3 }] })],
      ['items[0].value', () => ({ items: [{ id: missing, value: { min: 3 } }] })],
      ['items[0].value', () => ({ items: [{ id: sum, value: { operator: 'NEAR' } }] })],
      ['items[0].resultThreshold', () => ({ items: [{ id: missing, resultThreshold: 101 }] })],
      ['thresholds', () => ({ items: [{ id: missing, thresholds: {} }] })],
      ['rule.sensitivity', () => ({ rule: { sensitivity: 'SOME' } })],
      ['rule.anomalyStrengthThreshold', () => ({ rule: { sensitivity: 'HIGH' } })],
      ['rule.severity', () => ({ rule: { severity: { added: 'ERROR' } } })],
      ['item', () => ({ item: [] })],
      ['from', () => ({ from: 'yesterday' })],
      ['from', () => ({ from: '2026-02-01', to: '2026-01-01' })],
    ])('given what cannot be judged again (%s), then 400 names the field', async (field, changes) => {
      const { status, json } = await client.call('POST', `${path}/what-if`, changes())
      expect([status, json.errors[0].message]).toEqual([400, expect.stringContaining(field)])
    })

    test('given times, then only the runs between them are judged', async () => {
      const { points } = await client.good('GET', `${path}/series`)
      const [newest] = points
      const since = await client.good('POST', `${path}/what-if`, { from: newest.at })
      expect(new Set(since.points.map(({ at }: { at: string }) => at))).toEqual(new Set([newest.at]))
      const before = await client.good('POST', `${path}/what-if`, { from: '2020-01-01', to: '2021-01-01' })
      expect(before).toMatchObject({ points: [], firedCount: 0, runs: 0, next: null })
    })

    test('given a protected column and a caller without the right to see it, then its points are missing', async () => {
      const key = await client.key(permissions.filter((one) => one !== 'ASSET_PROTECTED_VIEW'))
      const other = client.as(key)
      const itemsSeen = async () => {
        const { points } = await other.good('POST', `${path}/what-if`, {})
        return new Set(points.map(({ ruleItemId }: { ruleItemId: number }) => ruleItemId))
      }
      expect(await itemsSeen()).toEqual(new Set([missing, sum, null]))
      const { data: column } = await client.good('GET', `${api}/assets/byUid/${assetUid}.age`)
      const tag = { name: newUniqueName() }
      await client.good('POST', `${api}/tags`, { ...tag, protectedData: true })
      await client.good('POST', `${api}/assets/${column.id}/tag`, tag)
      await client.eventually(async () => expect(await itemsSeen()).toEqual(new Set([missing])))
      await askWhatIf(other, path, {})
    })
  })
}
