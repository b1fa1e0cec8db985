import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { createClient, type HttpClient } from './client.ts'
import { newUniqueName } from './fixtures.ts'
import type { Target } from './target.ts'

const api = '/catalog-server/api'
const dayMs = 86_400_000
const days = 60

/** The number of rows of a usual day, `ago` days before today. */
const usual = (ago: number) => 20 + (ago % 3)

/** One CSV file a day, below a folder that names the day. `ago`: days before today. */
function dayFile(today: number, ago: number, rows: number): [string, string] {
  const day = new Date(today - ago * dayMs).toISOString().slice(0, 10)
  const lines = Array.from({ length: rows }, (_, id) => `${id},${100 + (id % 7)},${day} 08:00:00`)
  return [`dt=${day}/part.csv`, ['id,amount,made', ...lines, ''].join('\n')]
}

interface Judged {
  metric: string
  fired: boolean
  reason: string | null
}

/** The judgement of the number of rows. */
const rowsOf = (items: readonly { anomalies: Judged[] }[]) =>
  items[0]?.anomalies.find(({ metric }) => metric === 'ROW_COUNT')

/** Policies that learn from the days of a table at their first run. */
export function backfillSuite(open: () => Promise<Target>): void {
  describe('back-fill', () => {
    let client: HttpClient
    let sharedFolder: string

    beforeAll(async () => {
      const target = await open()
      client = createClient(target, target.admin)
      sharedFolder = target.sharedFolder
    })

    /** A partitioned table with sixty days, and `last` rows on the last whole day. */
    async function tableOfDays(last: number) {
      const name = newUniqueName()
      const folder = join(sharedFolder, name)
      const today = Math.floor(Date.now() / dayMs) * dayMs
      const write = async (ago: number, rows: number) => {
        const [file, text] = dayFile(today, ago, rows)
        await mkdir(dirname(join(folder, 'orders', file)), { recursive: true })
        await writeFile(join(folder, 'orders', file), text)
      }
      for (let ago = 2; ago <= days; ago += 1) await write(ago, usual(ago))
      await write(1, last)
      await write(0, 3)
      const body = { name, sourceType: 'FILE', configuration: { path: folder } }
      const { data } = await client.good('POST', `${api}/assemblies`, body)
      const path = `${api}/assemblies/${data.id}/crawls`
      await client.until(path, ({ status, json }) => status === 200 && json.data[0]?.status === 'SUCCESSFUL')
      return { uid: `${name}.orders`, write, end: new Date(today).toISOString() }
    }
    const policyOn = async (uid: string, rule: object = {}, items: object[] = [], kind = 'profile-anomaly') => {
      const body = { rule: { name: newUniqueName(), backingAsset: { tableAssetUid: uid }, ...rule }, items }
      const made = await client.eventually(() => client.good('POST', `${api}/rules/${kind}`, body))
      return made.rule
    }
    const run = (id: number, kind = 'profile-anomaly') =>
      client.good('POST', `${api}/rules/${kind}/${id}/executions?wait=60`, {})
    const ofRows = [{ name: 'rows', metrics: ['ROW_COUNT'] }]

    test('given sixty days of which the last one lost half of its rows, then the first run says so', async () => {
      const { uid, write, end } = await tableOfDays(10)
      const rule = await policyOn(uid)
      expect(rule.backfill).toEqual({ enabled: true, columnName: null, granularity: 'DAY', from: null })
      const { execution, items } = await run(rule.id)
      expect(execution.resultStatus).toBe('ERRORED')
      expect(items[0]).toMatchObject({
        state: 'JUDGED',
        backfill: { source: 'PARTITION', columnName: 'dt', granularity: 'DAY', timeZone: 'UTC', to: end },
      })
      const rows = rowsOf(items)
      expect(rows).toMatchObject({ metric: 'ROW_COUNT', columnName: null, at: end, value: 10, fired: true })
      expect(rows?.reason).toMatch(/^The number of rows is 10\. Usual: 2\d/)
      await write(1, usual(1))
      const repaired = await run(rule.id)
      expect([repaired.execution.resultStatus, rowsOf(repaired.items)]).toMatchObject(['SUCCESSFUL', { fired: false }])
      const { points } = await client.good('GET', `${api}/rules/profile-anomaly/${rule.id}/series`)
      const ofTable = points.filter(({ metric }: Judged) => metric === 'ROW_COUNT')
      expect(ofTable).toMatchObject([
        { at: end, value: usual(1), fired: false },
        { at: end, value: 10, fired: true },
      ])
    })

    test('given items of data quality that learn, then their first run judges the last day', async () => {
      const { uid, write, end } = await tableOfDays(10)
      const thresholdConfig = { type: 'ANOMALY', config: { successSensitivityLevel: 'MEDIUM' } }
      const rows = { measurementType: 'AGGREGATES', aggregateType: 'COUNT', thresholdConfig }
      const items = [
        { name: 'rows', ...rows },
        { name: 'copies', measurementType: 'DUPLICATE_ROWS_CHECK', thresholdConfig },
      ]
      const rule = await policyOn(uid, {}, items, 'data-quality')
      expect(rule).toMatchObject({
        backfill: { enabled: true, columnName: null, granularity: 'DAY', from: null },
        expectedFalseAlarmsPerMonth: 0.022,
      })
      const { execution, items: judged, meta } = await run(rule.id, 'data-quality')
      expect([execution.resultStatus, judged[0]]).toMatchObject([
        'ERRORED',
        {
          ...{ name: 'rows', status: 'ERRORED', state: 'JUDGED', expectedFalseAlarmsPerMonth: 0.0114 },
          backfill: { source: 'PARTITION', columnName: 'dt', points: days },
          anomalies: [{ metric: 'NUMBER', columnName: null, at: end, value: 10, fired: true }],
        },
      ])
      expect(judged[1]).toMatchObject({ status: 'SUCCESSFUL', state: 'LEARNING', learned: { points: 0, needed: 7 } })
      expect(meta.notBackfilled).toEqual([
        { ruleItemId: judged[1].ruleItemId, reason: expect.stringMatching(/all rows/) },
      ])
      await write(1, usual(1))
      expect((await run(rule.id, 'data-quality')).execution.resultStatus).toBe('SUCCESSFUL')
      const change = {
        items: [
          {
            id: judged[0].ruleItemId,
            thresholdConfig: { ...thresholdConfig, config: { successSensitivityLevel: 'LOW' } },
          },
        ],
      }
      const whatIf = await client.good('POST', `${api}/rules/data-quality/${rule.id}/what-if`, change)
      const ofRows = whatIf.points.filter(({ metric }: Judged) => metric === 'NUMBER')
      expect(ofRows).toMatchObject([{ at: end, value: usual(1), fired: false }])
    })

    test('given a usual last day, then the first run passes, and an old day that changes does not fire', async () => {
      const { uid, write } = await tableOfDays(usual(1))
      const { id } = await policyOn(uid, { backfill: { columnName: 'made' } }, ofRows)
      const first = await run(id)
      expect([first.execution.resultStatus, first.items[0]]).toMatchObject([
        'SUCCESSFUL',
        { state: 'JUDGED', backfill: { source: 'POLICY', columnName: 'made', points: days } },
      ])
      await write(30, 1)
      const second = await run(id)
      expect([second.execution.resultStatus, second.items[0]]).toMatchObject([
        'SUCCESSFUL',
        { state: 'JUDGED', anomalyCount: 1, backfill: { points: 1 } },
      ])
      const third = await run(id)
      expect(third.items[0].backfill.points).toBe(0)
    })

    test('given back-fill switched off, then the first run learns', async () => {
      const { uid } = await tableOfDays(10)
      const { id } = await policyOn(uid, { backfill: { enabled: false } }, ofRows)
      const { execution, items } = await run(id)
      expect([execution.resultStatus, items[0]]).toMatchObject(['SUCCESSFUL', { state: 'LEARNING' }])
      expect(items[0].backfill).toBeUndefined()
      for (const [backfill, field] of [
        [{ column: 'made' }, 'column'],
        [{ columnName: 'nowhere' }, 'columnName'],
        [{ columnName: 'amount' }, 'columnName'],
        [{ columnName: 'dt', granularity: 'HOUR' }, 'granularity'],
        [{ from: 'soon' }, 'from'],
      ] as const) {
        const answer = await client.call('PUT', `${api}/rules/profile-anomaly/${id}`, { rule: { backfill } })
        expect([answer.status, JSON.stringify(answer.json)]).toEqual([400, expect.stringContaining(field)])
      }
    })
  })
}
