import { mkdir, rm, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { createClient, type HttpClient } from './client.ts'
import { makeAssembly, newUniqueName } from './fixtures.ts'
import type { Target } from './target.ts'
import { askWhatIf } from './what-if.ts'

const api = '/catalog-server/api'
const dayMs = 86_400_000

interface Item {
  name: string
  status: string
  value: string | null
  state?: string
}

/** Freshness by the usual times, and cadence, of a folder that got a file each day. */
export function cadenceSuite(open: () => Promise<Target>): void {
  describe('the cadence of a table', () => {
    let client: HttpClient
    let folder: string
    let assetUid: string
    let uniqueName: string
    /** The newest file is an hour old. */
    const newest = Math.floor(Date.now() / 60_000) * 60_000 - 3_600_000
    const dayFolder = (ago: number) =>
      join(folder, 'events', `day=${new Date(newest - ago * dayMs).toISOString().slice(0, 10)}`)

    const write = async (ago: number, rows: string) => {
      await mkdir(dayFolder(ago), { recursive: true })
      const file = join(dayFolder(ago), 'part.csv')
      await writeFile(file, `id\n${rows}`)
      await utimes(file, new Date(newest - ago * dayMs), new Date(newest - ago * dayMs))
    }
    const create = async (kind: string, name: string, items?: object[]) => {
      const rule = { name: `${name} ${uniqueName}`, backingAsset: { tableAssetUid: assetUid } }
      const made = await client.eventually(() =>
        client.good('POST', `${api}/rules/${kind}`, { rule, ...(items ? { items } : {}) }),
      )
      return `${api}/rules/${kind}/${made.rule.id}/executions?wait=60`
    }
    const run = async (path: string) => client.eventually(() => client.good('POST', path, {}))
    const named = (items: Item[]) => Object.fromEntries(items.map((item) => [item.name, item]))

    beforeAll(async () => {
      const target = await open()
      client = createClient(target, target.admin)
      uniqueName = newUniqueName()
      folder = join(target.sharedFolder, uniqueName)
      for (let ago = 0; ago < 30; ago += 1) await write(ago, '1\n2\n')
      await makeAssembly(client, target.sharedFolder, uniqueName)
      assetUid = `${uniqueName}.events`
    })

    test('given a policy without limits, when it first runs, then it infers the clock from the times of the files', async () => {
      const { items, execution } = await run(await create('data-freshness', 'usual'))
      const at = new Date(newest).toISOString().slice(11, 16)
      expect(execution.resultStatus).toBe('SUCCESSFUL')
      expect(items[0]).toMatchObject({
        ...{ status: 'SUCCESSFUL', source: 'FILE_TIME', newestAt: new Date(newest).toISOString().replace('.000', '') },
        clock: {
          ...{
            text: `daily about ${at} UTC`,
            kind: 'DAILY',
            at: [at],
            weekdays: null,
            timeZone: 'UTC',
            explainedShare: 1,
          },
          nextExpectedAt: new Date(newest + dayMs).toISOString(),
        },
      })
      expect(Date.parse(items[0].deadlineAt)).toBeGreaterThan(newest + dayMs)
      const cadence = await run(await create('data-cadence', 'inferred'))
      expect(named(cadence.items)).toMatchObject({
        Rows: { value: '60', status: 'SUCCESSFUL', state: 'LEARNING', learned: { points: 0, needed: 7 } },
        Bytes: { value: String(30 * 'id\n1\n2\n'.length), state: 'LEARNING' },
        Files: { value: '30', state: 'LEARNING' },
        Arrival: { status: 'SUCCESSFUL', clock: { kind: 'DAILY' } },
      })
    })

    test('given limits on a change, when a file was added, then the change since the run before is judged', async () => {
      const range = { type: 'ABSOLUTE', config: { direction: 'RANGE', lowerSuccess: 1, upperSuccess: 5 } }
      const measures = ['RECORD_COUNT_DRIFT', 'FILE_COUNT_DRIFT', 'CHANGE_IN_FILE_SIZE', 'ABSOLUTE_FILE_SIZE']
      const path = await create(
        'data-cadence',
        'changes',
        measures.map((measurementType) => ({ measurementType, thresholdConfig: range })),
      )
      const first = named((await run(path)).items)
      expect(first.RECORD_COUNT_DRIFT).toMatchObject({ status: 'SUCCESSFUL', value: null, state: 'LEARNING' })
      await writeFile(join(dayFolder(0), 'more.csv'), 'id\n1\n2\n3\n4\n')
      const second = named((await run(path)).items)
      expect(Number(second.RECORD_COUNT_DRIFT?.value)).toBe(4)
      expect(second).toMatchObject({
        RECORD_COUNT_DRIFT: { status: 'SUCCESSFUL' },
        FILE_COUNT_DRIFT: { status: 'SUCCESSFUL', value: '1' },
        CHANGE_IN_FILE_SIZE: { status: 'ERRORED' },
        ABSOLUTE_FILE_SIZE: { status: 'ERRORED', value: '11' },
      })
      const wide = { type: 'ABSOLUTE', config: { direction: 'RANGE', lowerSuccess: 0, upperSuccess: 100 } }
      const { details } = await client.good('GET', path.replace(/\/executions.*/, ''))
      const items = details.items.map(({ id }: { id: number }) => ({ id, thresholdConfig: wide }))
      const { points, firedCount } = await askWhatIf(client, path.replace(/\/executions.*/, ''), { items })
      expect([points.length, firedCount]).toEqual([5, 0])
    })

    test('given data that did not arrive when it usually does, when a policy runs, then it fires and names the expected time', async () => {
      for (const ago of [0, 1, 2]) await rm(dayFolder(ago), { recursive: true, force: true })
      const { items, execution, meta } = await run(await create('data-freshness', 'late'))
      expect([execution.resultStatus, items[0].status]).toEqual(['ERRORED', 'ERRORED'])
      expect(meta.notes[0].note).toMatch(/^Expected .* Data usually arrives daily about/)
      expect(Date.parse(items[0].deadlineAt)).toBeGreaterThan(Date.parse(execution.startedAt))
    })

    test('given a time zone in the configuration of the table, then the clock is of that zone', async () => {
      const { data } = await client.good('GET', `${api}/assets/byUid/${assetUid}`)
      await client.good('PUT', `${api}/assets/${data.id}/config`, { timeZone: 'Asia/Kathmandu' })
      const path = await create('data-freshness', 'zone')
      const { items } = await client.eventually(async () => {
        const ran = await run(path)
        expect(ran.items[0].clock.timeZone).toBe('Asia/Kathmandu')
        return ran
      })
      expect(items[0].clock.text).toMatch(/^daily about \d\d:\d\d Asia\/Kathmandu$/)
    })

    test('given a measure that the table cannot have, then 400', async () => {
      const rule = { name: `topic ${uniqueName}`, backingAsset: { tableAssetUid: assetUid } }
      const items = [{ measurementType: 'MESSAGES_COUNT_TOTAL' }]
      const { status } = await client.call('POST', `${api}/rules/data-cadence`, { rule, items })
      expect(status).toBe(400)
    })
  })
}
