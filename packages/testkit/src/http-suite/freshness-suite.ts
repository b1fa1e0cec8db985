import { utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { createClient, type HttpClient } from './client.ts'
import { makeAssembly, newUniqueName } from './fixtures.ts'
import type { Target } from './target.ts'
import { askWhatIf } from './what-if.ts'

const api = '/catalog-server/api'
const freshness = `${api}/rules/data-freshness`

const secondsAgo = (seconds: number) => new Date(Math.floor(Date.now() / 1000 - seconds) * 1000)
const orders = (at: Date) => `id,at\n1,${secondsAgo(864_000).toISOString()}\n2,${at.toISOString()}\n`

/** Freshness of a file whose time and content change. */
export function freshnessSuite(open: () => Promise<Target>): void {
  describe('a freshness policy', () => {
    let client: HttpClient
    let file: string
    let assetUid: string
    let assemblyId: number
    const changedAt = secondsAgo(7200)
    const newestAt = secondsAgo(3600)

    const create = async (name: string, items: object[]) => {
      const rule = { name: `${name} ${assetUid}`, backingAsset: { tableAssetUid: assetUid } }
      const made = await client.eventually(() => client.good('POST', freshness, { rule, items }))
      return made.rule.id as number
    }
    const start = (id: number, body: object = {}) =>
      client.eventually(() => client.good('POST', `${freshness}/${id}/executions?wait=60`, body))
    const latest = (
      id: number,
      isIt: (execution: { scheduleInstanceId: string | null; finishedAt: string | null }) => boolean,
    ) =>
      client.until(`${freshness}/${id}/executions?sortBy=id:desc`, ({ status, json }) => {
        const [first] = status === 200 ? json.executions : []
        return first !== undefined && first.execution.finishedAt !== null && isIt(first.execution)
      })

    beforeAll(async () => {
      const target = await open()
      client = createClient(target, target.admin)
      const name = newUniqueName()
      const made = await makeAssembly(client, target.sharedFolder, name, { 'orders.csv': orders(newestAt) })
      assemblyId = made.assemblyId
      assetUid = `${name}.orders.csv`
      file = join(made.folder, 'orders.csv')
      await utimes(file, changedAt, changedAt)
    })

    test('given a limit, when it runs, then the age of the file and of its newest row is judged, and each names its source', async () => {
      const id = await create('both', [
        { measurementType: 'RAW_DATA_FRESHNESS', displayName: 'file', value: { maxAge: 'PT1H' } },
        { measurementType: 'DATA_FRESHNESS', displayName: 'rows', columnName: 'at', value: { maxAge: 'P1D' } },
      ])
      const { execution, items, result } = await start(id)
      expect(execution).toMatchObject({ executionStatus: 'SUCCESSFUL', resultStatus: 'ERRORED', executionType: 'FULL' })
      const age = (from: Date) => (Date.parse(execution.startedAt) - from.getTime()) / 1000
      expect(items).toMatchObject([
        {
          ...{ name: 'file', status: 'ERRORED', result: '0.0000', source: 'FILE_TIME', columnName: null },
          ...{ value: String(age(changedAt)), deadlineAt: null },
        },
        {
          ...{ name: 'rows', status: 'SUCCESSFUL', result: '100.0000', source: 'TIME_COLUMN', columnName: 'at' },
          ...{ value: String(age(newestAt)), newestAt: newestAt.toISOString().replace('.000', '') },
          deadlineAt: new Date(newestAt.getTime() + 86_400_000).toISOString(),
        },
      ])
      expect(result.ruleExecutionType).toBe('DATA_CADENCE_TYPE_EXECUTION')
      const stored = await client.good('GET', `${freshness}/executions/${execution.id}/result`)
      expect(stored.items).toMatchObject([{ source: 'FILE_TIME' }, { source: 'TIME_COLUMN' }])
      const limitOf = (index: number, maxAge: string) => ({ id: items[index].ruleItemId, value: { maxAge } })
      const changes = { items: [limitOf(0, 'PT3H'), limitOf(1, 'PT30M')] }
      const { points } = await askWhatIf(client, `${freshness}/${id}`, changes)
      expect(points.map(({ upper, fired }) => [upper, fired])).toEqual([
        [10_800, false],
        [1_800, true],
      ])
      const refused = await client.call('POST', `${freshness}/${id}/what-if`, { items: [limitOf(0, 'an hour')] })
      expect(refused.status).toBe(400)
    })

    test('given a policy without a schedule, when its deadline passes, then it runs once and fires; a crawl that sees new data runs it again', async () => {
      await utimes(file, new Date(), secondsAgo(0))
      const id = await create('deadline', [{ measurementType: 'RAW_DATA_FRESHNESS', value: { maxAge: 'PT4S' } }])
      const first = await start(id)
      expect(first.execution.resultStatus).toBe('SUCCESSFUL')
      const { json: late } = await latest(id, ({ scheduleInstanceId }) => scheduleInstanceId === 'deadline')
      const [{ execution, items }] = late.executions
      expect(execution).toMatchObject({ executionMode: 'SCHEDULED', resultStatus: 'ERRORED' })
      const lateMs = Date.parse(execution.startedAt) - Date.parse(first.items[0].deadlineAt)
      expect(lateMs).toBeGreaterThan(0)
      expect(lateMs).toBeLessThan(30_000)
      expect(Number(items[0].value)).toBeGreaterThan(4)

      await writeFile(file, orders(secondsAgo(1)))
      await client.eventually(() => client.good('POST', `${api}/assemblies/${assemblyId}/crawl`, {}))
      const { json } = await latest(id, ({ scheduleInstanceId }) => scheduleInstanceId?.startsWith('crawl-') === true)
      const ids = json.executions.map((one: (typeof late.executions)[0]) => one.execution.scheduleInstanceId)
      expect(ids.slice(1)).toEqual(['deadline', null])
    })

    test('given a start that is not FULL, then 422', async () => {
      const id = await create('full', [{ measurementType: 'RAW_DATA_FRESHNESS', value: { maxAge: 'PT1H' } }])
      await start(id)
      const { status } = await client.call('POST', `${freshness}/${id}/executions`, { executionType: 'INCREMENTAL' })
      expect(status).toBe(422)
    })
  })
}
