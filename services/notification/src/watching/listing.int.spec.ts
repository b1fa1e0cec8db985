import { type AssetWatch, notificationOperations as operations } from '@assay/contracts'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { folderFixture, type Harness, openHarness, tableFixture, type Who } from '../testing/harness.ts'

let harness: Harness
beforeEach(async () => {
  harness = await openHarness()
  await harness.table(tableFixture())
  await harness.table(tableFixture({ assetId: 21, uid: 'sales.people.csv', name: 'people.csv', columns: [] }))
  await harness.folder(folderFixture())
})
afterEach(() => harness.close())

async function watch(id: number, who?: Who): Promise<void> {
  harness.clock.time += 1000
  expect((await harness.ask('POST', `/assets/${id}/watch`, who)).status).toBe(200)
}
const list = async (query = '', who?: Who) =>
  operations.listWatches.answer?.parse((await harness.ask('GET', `/watches${query}`, who)).body) ?? {
    data: [],
    meta: undefined,
  }
const ids = async (query = '', who?: Who) => (await list(query, who)).data.map(({ assetId }) => assetId)
const changed = (assetId = 11, tenant = 'default') => {
  harness.clock.time += 1000
  return harness.event('catalog.AssetFactsObserved', { assetId, uid: 'x' }, { tenant })
}

describe('the list of watches', () => {
  it('given a watched table, column and folder, then the list has them newest first, with the records that the watch requests returned', async () => {
    for (const id of [11, 13, 50]) await watch(id)
    const { data, meta } = await list()
    expect(meta).toEqual({ count: 3, page: 0, size: 25 })
    const times = { createdAt: '2026-11-20T10:00:01.000Z', updatedAt: '2026-11-20T10:00:01.000Z' }
    const asset = { id: 11, uid: 'sales.orders.csv', name: 'orders.csv', assetType: { id: 11, name: 'FILE' } }
    const none = { unread: 0, lastHappenedAt: null }
    const passing = { policyId: null, assemblyId: null, tagId: null, search: null, kinds: null, minSeverity: null }
    const row: AssetWatch = {
      id: 1,
      assetId: 11,
      ...passing,
      userId: 'ann',
      ...times,
      name: 'orders.csv',
      asset,
      ...none,
    }
    expect(data[2]).toEqual(row)
    expect(data.map((row) => row.asset)).toEqual([
      { id: 50, uid: 'sales.in', name: 'in', assetType: { id: 9, name: 'DIRECTORY' } },
      { id: 13, uid: 'sales.orders.csv.a_b', name: 'a/b', assetType: { id: 12, name: 'FILE_COLUMN' } },
      asset,
    ])
  })

  it('given a deleted asset, or a column that is gone, then its asset is null and the watch stays', async () => {
    for (const id of [11, 12, 13, 21, 50]) await watch(id)
    const [first] = tableFixture().columns
    await harness.table(tableFixture({ revision: 1, columns: first === undefined ? [] : [first] }))
    await harness.folder(folderFixture({ revision: 1, isDeleted: true }))
    const named = async () => (await list('?sortBy=id:asc')).data.map(({ asset }) => asset?.name ?? null)
    expect(await named()).toEqual(['orders.csv', 'id', null, 'people.csv', null])
    await harness.table(tableFixture({ revision: 2, isDeleted: true }))
    expect(await named()).toEqual([null, null, null, 'people.csv', null])
    await harness.table(tableFixture({ revision: 3 }))
    expect(await named()).toEqual(['orders.csv', 'id', 'a/b', 'people.csv', null])
  })

  it('given a table without published types, then its types are null', async () => {
    const { assetType: _, columnType: __, ...old } = tableFixture({ revision: 1 })
    await harness.table(old)
    for (const id of [11, 12]) await watch(id)
    expect((await list()).data.map(({ asset }) => asset?.assetType)).toEqual([null, null])
  })

  it('given a watch ends and begins again, then it leaves the list and returns as the newest with its id', async () => {
    for (const id of [11, 21]) await watch(id)
    await harness.ask('DELETE', '/assets/11/watch')
    expect(await ids()).toEqual([21])
    await watch(11)
    expect((await list()).data.map(({ id }) => id)).toEqual([1, 2])
  })

  it('given other watchers, then each user sees and counts only their own', async () => {
    await harness.table(tableFixture(), 'other')
    await watch(11)
    await watch(11, { user: 'bob' })
    await watch(21, { user: 'bob' })
    await watch(11, { tenant: 'other' })
    await changed()
    await changed(11, 'other')
    const seen = async (who: Who) =>
      (await list('', who)).data.map(({ userId, assetId, unread }) => [userId, assetId, unread])
    expect(await seen({})).toEqual([['ann', 11, 1]])
    expect(await seen({ user: 'bob' })).toEqual([
      ['bob', 21, 0],
      ['bob', 11, 1],
    ])
    expect(await seen({ tenant: 'other' })).toEqual([['ann', 11, 1]])
    expect(await list('', { user: 'eve' })).toMatchObject({ data: [], meta: { count: 0 } })
  })

  it('given an order and pages, then the list follows them', async () => {
    for (const id of [21, 11, 13, 50, 12]) await watch(id)
    expect(await ids()).toEqual([12, 50, 13, 11, 21])
    expect(await ids('?sortBy=createdAt:asc&size=2&page=1')).toEqual([13, 50])
    expect(await ids('?sortBy=assetId:ASC')).toEqual([11, 12, 13, 21, 50])
    expect(await ids('?sortBy=id:desc&size=2&page=2')).toEqual([21])
    expect(await list('?size=0')).toMatchObject({ data: [], meta: { count: 5, size: 0 } })
    for (const query of ['?sortBy=unread:desc', '?sortBy=id', '?size=501', '?page=-1'])
      expect((await harness.ask('GET', `/watches${query}`)).status).toBe(400)
  })

  it('given a watch begins between two pages, then the second page shows the state of the first', async () => {
    for (const id of [11, 12, 13]) await watch(id)
    expect(await ids('?size=2')).toEqual([13, 12])
    await watch(50)
    const asOf = (await harness.ask('GET', '/watches?size=2')).headers.get('x-assay-as-of')
    await watch(21)
    expect(await list(`?size=2&page=1&asOf=${asOf}`)).toMatchObject({
      data: [{ assetId: 12 }, { assetId: 11 }],
      meta: { count: 4 },
    })
  })

  it('given events, then the unread are counted, and the time of the latest is shown', async () => {
    await watch(11)
    await watch(21)
    for (const id of [11, 11, 21]) await changed(id)
    const activity = async () =>
      (await list('?sortBy=id:asc')).data.map(({ unread, lastHappenedAt }) => [unread, lastHappenedAt])
    const [first, last] = ['2026-11-20T10:00:04.000Z', '2026-11-20T10:00:05.000Z']
    expect(await activity()).toEqual([
      [2, first],
      [1, last],
    ])
    await harness.ask('PUT', '/notifications/1/read')
    expect(await activity()).toEqual([
      [1, first],
      [1, last],
    ])
    await harness.ask('PUT', '/notifications/read-all')
    expect(await activity()).toEqual([
      [0, first],
      [0, last],
    ])
    await changed(21)
    expect(await activity()).toEqual([
      [0, first],
      [1, '2026-11-20T10:00:06.000Z'],
    ])
  })

  it('given a folder, when a new asset is found in it, then the folder counts it', async () => {
    await watch(50)
    const found = { assetId: 60, uid: 'sales.in.new.csv', assetType: 'FILE', parentId: 50 }
    await harness.event('catalog.AssetDiscovered', found)
    expect((await list()).data).toMatchObject([{ assetId: 50, unread: 1, lastHappenedAt: '2026-11-20T10:00:01.000Z' }])
  })
})
