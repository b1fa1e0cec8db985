import { appendFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gatewayOperations } from '@assay/contracts'
import { beforeAll, describe, expect, test } from 'vitest'
import { createClient, type HttpClient } from './client.ts'
import { makeAssembly, newUniqueName } from './fixtures.ts'
import type { Target } from './target.ts'

const api = '/catalog-server/api'

interface Row {
  assetId: number
  asset: { uid: string; assetType: { name: string } } | null
  unread: number
  lastHappenedAt: string | null
}

/** The watches of a key's owner, with their unread notifications. */
export function watchesSuite(open: () => Promise<Target>): void {
  describe('watches', () => {
    const uniqueName = newUniqueName()
    let client: HttpClient
    let folder: string
    let assemblyId: number
    let assetId: number
    let columnId: number

    /** The watches of a separate tenant, newest first. */
    const rows = async (query = ''): Promise<Row[]> => (await client.good('GET', `${api}/watches${query}`)).data

    beforeAll(async () => {
      const target = await open()
      const admin = createClient(target, target.admin)
      client = admin.as(await admin.good('POST', gatewayOperations.createTenant.path, { name: newUniqueName() }))
      ;({ folder, assemblyId } = await makeAssembly(client, target.sharedFolder, uniqueName))
      assetId = (await client.good('GET', `${api}/assets/byUid/${uniqueName}.people.csv`)).data.id
      columnId = (await client.good('GET', `${api}/assets/byUid/${uniqueName}.people.csv.name`)).data.id
    }, 300_000)

    test('given a table and a column are watched, then the list has both immediately, newest first, with their assets', async () => {
      for (const id of [assetId, columnId])
        await client.eventually(() => client.good('POST', `${api}/assets/${id}/watch`))
      expect(await rows()).toMatchObject([
        {
          assetId: columnId,
          asset: { uid: `${uniqueName}.people.csv.name`, assetType: { name: 'FILE_COLUMN' } },
          unread: 0,
        },
        { assetId, asset: { uid: `${uniqueName}.people.csv`, assetType: { name: 'FILE' } }, lastHappenedAt: null },
      ])
      expect((await rows('?sortBy=createdAt:asc')).map((row) => row.assetId)).toEqual([assetId, columnId])
    }, 120_000)

    test('given the table changes, then its watch counts the notification until it is read', async () => {
      const before = new Date().toISOString()
      await appendFile(join(folder, 'people.csv'), '4,Eve,41\n')
      await client.good('POST', `${api}/assemblies/${assemblyId}/crawl`, {})
      const ofTable = ({ json }: { json: { data: Row[] } }) => json.data.find((row) => row.assetId === assetId)
      const { json } = await client.until(`${api}/watches`, (answer) => (ofTable(answer)?.unread ?? 0) > 0)
      expect(ofTable({ json })?.lastHappenedAt?.localeCompare(before)).toBe(1)
      await client.call('PUT', `${api}/notifications/read-all`)
      expect((await rows()).map(({ unread }) => unread)).toEqual([0, 0])
    }, 180_000)

    test('given a watch ends, then it is no longer listed', async () => {
      await client.call('DELETE', `${api}/assets/${columnId}/watch`)
      expect((await rows()).map((row) => row.assetId)).toEqual([assetId])
    })

    test('given the assembly is deleted, then the watch stays and its asset is null', async () => {
      await client.call('DELETE', `${api}/assemblies/${assemblyId}`)
      const { json } = await client.until(`${api}/watches`, (answer) => answer.json.data[0]?.asset === null)
      expect(json.data).toMatchObject([{ assetId, asset: null }])
    }, 180_000)
  })
}
