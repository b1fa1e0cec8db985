import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { createClient, type HttpClient } from './client.ts'
import { makeAssembly, newUniqueName } from './fixtures.ts'
import type { Target } from './target.ts'
import { askWhatIf } from './what-if.ts'

const api = '/catalog-server/api'
const kinds = ['profile-anomaly', 'auto-anomaly'] as const
type Kind = (typeof kinds)[number]

/** Orders whose amounts begin at `from`; every `nth` has no country. */
function orders({ count = 100, from = 100, nth = 10, more = '' } = {}): string {
  const rows = Array.from(
    { length: count },
    (_, id) => `${id},${from + id},${id % nth === 0 ? '' : 'FR'}${more && ',1'}`,
  )
  return [`id,amount,country${more}`, ...rows, ''].join('\n')
}

interface Fired {
  metric: string
  columnName: string | null
  value: number
  expected: number
  fired: boolean
  reason: string | null
}

/** Profile and auto anomaly policies on a file that is rewritten. */
export function anomalySuite(open: () => Promise<Target>): void {
  describe('an anomaly policy', () => {
    let client: HttpClient
    let file: string
    let assemblyId: number
    let sharedFolder: string
    const ids = new Map<Kind, number>()
    const start = (kind: Kind) =>
      client.eventually(() => client.good('POST', `${api}/rules/${kind}/${ids.get(kind)}/executions?wait=60`, {}))

    beforeAll(async () => {
      const target = await open()
      client = createClient(target, target.admin)
      sharedFolder = target.sharedFolder
      const name = newUniqueName()
      const made = await makeAssembly(client, target.sharedFolder, name, { 'orders.csv': orders() })
      file = join(made.folder, 'orders.csv')
      assemblyId = made.assemblyId
      for (const kind of kinds) {
        const body = { rule: { name: newUniqueName(), backingAsset: { tableAssetUid: `${name}.orders.csv` } } }
        const { rule } = await client.eventually(() => client.good('POST', `${api}/rules/${kind}`, body))
        expect(rule).toMatchObject({ anomalyStrengthThreshold: 'MEDIUM', expectedFalseAlarmsPerMonth: 0.011 })
        ids.set(kind, rule.id)
      }
    })

    test('given seven usual runs, when the file changes and is profiled, then both types name the unusual figures', async () => {
      for (let run = 0; run < 7; run += 1) {
        for (const kind of kinds) {
          const { execution, items } = await start(kind)
          expect([execution.resultStatus, items[0]]).toMatchObject([
            'SUCCESSFUL',
            { state: 'LEARNING', learned: { points: run } },
          ])
        }
      }
      const usual = await start('profile-anomaly')
      expect(usual.items).toMatchObject([
        { state: 'JUDGED', status: 'SUCCESSFUL', value: '0', ruleItemId: ids.get('profile-anomaly') },
      ])
      await writeFile(file, orders({ from: 1_000, nth: 2 }))
      const { rule } = await client.good('GET', `${api}/rules/auto-anomaly/${ids.get('auto-anomaly')}`)
      const assetId = rule.backingAsset.tableAssetId
      const profile = await client.good('POST', `${api}/assets/${assetId}/profile`, { data: { profilingType: 'FULL' } })
      const firedOf = async (kind: Kind) => {
        const path = `${api}/rules/${kind}/${ids.get(kind)}/executions?sortBy=id:desc`
        const { json } = await client.until(path, ({ status, json }) => {
          const [latest] = status === 200 ? json.executions : []
          return latest?.execution.executionMode === 'SCHEDULED' && latest.execution.finishedAt !== null
        })
        const [{ execution }] = json.executions
        expect(execution).toMatchObject({ resultStatus: 'ERRORED', scheduleInstanceId: `profile-${profile.data.id}` })
        const stored = await client.good('GET', `${api}/rules/${kind}/executions/${execution.id}/result`)
        const anomalies: Fired[] = stored.items[0].anomalies
        const fired = anomalies.filter((one) => one.fired)
        expect(stored.result.description).toContain(fired[0]?.reason)
        return new Map(fired.map((one) => [`${one.metric} ${one.columnName}`, one]))
      }
      const profiled = await firedOf('profile-anomaly')
      expect(profiled.get('MEAN amount')).toMatchObject({
        ...{ value: 1049.5, expected: expect.closeTo(149.5, 3) },
        reason: expect.stringMatching(/^The mean of 'amount' is 1050\. Usual: 149\.5 \(/),
      })
      const metrics = [
        'COMPLETENESS country',
        'MAXIMUM amount',
        'MEAN amount',
        'MEDIAN amount',
        'MINIMUM amount',
        'SUM amount',
      ]
      expect([...profiled.keys()].sort()).toEqual(metrics)
      expect([...(await firedOf('auto-anomaly')).keys()].sort()).toEqual(['COMPLETENESS country', 'MEAN amount'])
      for (const kind of kinds) {
        const path = `${api}/rules/${kind}/${ids.get(kind)}`
        const [low, high] = [
          await askWhatIf(client, path, { rule: { sensitivity: 'LOW' } }),
          await askWhatIf(client, path, { rule: { anomalyStrengthThreshold: 'HIGH' } }),
        ]
        const widthOf = ({ points }: typeof low) => {
          const { lower, upper } = points.find(({ metric }) => metric === 'ROW_COUNT') ?? {}
          return (upper ?? 0) - (lower ?? 0)
        }
        expect(widthOf(low)).toBeGreaterThan(widthOf(high))
        expect(high.expectedFalseAlarmsPerMonth ?? 0).toBeGreaterThan(low.expectedFalseAlarmsPerMonth ?? 1)
      }
    })

    test('given an assembly with the options, then its tables get profiles and policies, each created only once', async () => {
      const folder = join(sharedFolder, newUniqueName())
      await mkdir(folder)
      for (const name of ['a.csv', 'b.csv']) await writeFile(join(folder, name), orders())
      const body = {
        name: newUniqueName(),
        sourceType: 'FILE',
        configuration: { path: folder },
        autoAnomaly: true,
        autoProfile: true,
      }
      const { data } = await client.good('POST', `${api}/assemblies`, body)
      expect(data.autoAnomaly).toBe(true)
      const path = `${api}/rules/auto-anomaly?name=${body.name}`
      const { json } = await client.until(path, ({ status, json }) => status === 200 && json.meta.count === 2)
      const [{ rule }] = json.rules
      expect(rule).toMatchObject({ autoCreated: true, name: expect.stringMatching(/^Auto anomaly: /) })
      expect((await client.call('DELETE', `${api}/rules/auto-anomaly/${rule.id}`)).status).toBe(204)
      const repeated = await client.good('POST', `${api}/assemblies/${data.id}/auto-anomaly`, {})
      expect(repeated).toEqual({ created: 0, existing: 2 })
      const asset = await client.good('GET', `${api}/assets/byUid/${body.name}.a.csv`)
      const profile = `${api}/assets/${asset.data.id}/profile`
      const latest = async () => {
        const { json } = await client.until(
          profile,
          ({ status, json }) => status === 200 && json.data?.status === 'SUCCESSFUL',
        )
        return json.data
      }
      const first = await latest()
      expect(first).toMatchObject({ profilingType: 'INCREMENTAL', createdBy: 'crawl' })
      const schedule = { scheduled: true, schedule: '* * * * * *', profilingType: 'FULL' }
      await client.good('PUT', `${api}/assets/${asset.data.id}/config`, schedule)
      const shown = await client.until(
        `${api}/assets/${asset.data.id}/profile-schedule`,
        ({ status, json }) => status === 200 && json.scheduled,
      )
      expect(shown.json).toMatchObject({ cronExpression: '* * * * * *', profilingType: 'FULL' })
      const scheduled = ({ status, json }: { status: number; json: { data?: { createdBy?: string } } }) =>
        status === 200 && json.data?.createdBy === 'scheduler'
      await client.until(profile, scheduled)
      await client.good('PUT', `${api}/assets/${asset.data.id}/config`, { scheduled: false })
    })

    test('given another column, then the crawl starts the auto anomaly policy, which names the column', async () => {
      await writeFile(file, orders({ more: ',extra' }))
      await client.eventually(() => client.good('POST', `${api}/assemblies/${assemblyId}/crawl`, {}))
      const { json } = await client.until(
        `${api}/rules/auto-anomaly/${ids.get('auto-anomaly')}/executions?sortBy=id:desc`,
        ({ status, json }) => {
          const [latest] = status === 200 ? json.executions : []
          return /^crawl-/.test(latest?.execution.scheduleInstanceId) && latest.execution.finishedAt !== null
        },
      )
      const [{ items }] = json.executions
      const schema = items[0].anomalies.find(({ metric }: Fired) => metric === 'SCHEMA')
      expect(schema).toMatchObject({ fired: true, reason: expect.stringContaining('1 added (extra)') })
    })
  })
}
