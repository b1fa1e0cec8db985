import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { column, file } from '../testing/fake-engine.ts'
import { type OpenCatalog, openCatalog } from '../testing/harness.ts'
import { watchCopyPut } from '../watch-copies/watch-copies.ts'

let catalog: OpenCatalog

beforeEach(async () => {
  catalog = await openCatalog()
})
afterEach(() => catalog.close())

async function ask<Id extends 'searchAssets' | 'discoverAssets'>(
  id: Id,
  query: Record<string, string>,
  tenant = 'default',
) {
  return (await catalog.call(id, { query, tenant, permissions: [] })).body
}
const names = (body: { data: { assets: { name: string }[] } }) => body.data.assets.map(({ name }) => name)

describe('asset search', () => {
  test('given a crawl, when searched, then matches are best first, with assemblies and ancestors once each', async () => {
    catalog.engine.finds.push(file('2026/orders.csv', [column('order_id'), column('amount')]))
    catalog.engine.finds.push(file('2026/reorders.csv', [column('orderDate')]))
    await catalog.assembly('sales')

    const body = await ask('searchAssets', { name: 'order' })
    expect(names(body)).toEqual(['order_id', 'orderDate', 'orders.csv', 'reorders.csv'])
    expect(body.meta).toEqual({ count: 4, page: -1, size: 1000, isCountCapped: false })
    expect(body.data.assemblies.map((each) => each.name)).toEqual(['sales'])
    expect(body.data.parents.map((each) => each.name).sort()).toEqual(['2026', 'orders.csv', 'reorders.csv'])
    expect(names(await ask('searchAssets', { name: 'order', excludeLeafLevelAssetTypes: 'true' }))).toEqual([
      'orders.csv',
      'reorders.csv',
    ])
    expect(names(await ask('searchAssets', { name: '2026', forLineage: 'true' }))).toEqual([])
    expect(names(await ask('searchAssets', { parentHierarchy: 'sales.2026.orders.csv' }))).toEqual([
      'order_id',
      'amount',
    ])
    expect(names(await ask('searchAssets', { name: 'order' }, 'other'))).toEqual([])
  })

  test('given a vote, when searched immediately, then the asset precedes equal matches', async () => {
    await catalog.close()
    catalog = await openCatalog({ dependencies: { clock: { now: () => Date.parse('2026-11-20T10:00:00.000Z') } } })
    for (const name of ['orders_1.csv', 'orders_2.csv']) catalog.engine.finds.push(file(name, [column('id')]))
    await catalog.assembly('sales')
    const search = () => ask('searchAssets', { name: 'orders' })
    const { assets } = (await search()).data
    expect(assets.map(({ name }) => name)).toEqual(['orders_1.csv', 'orders_2.csv'])
    await catalog.call('voteOnAsset', { params: { id: String(assets[1]?.id) }, body: { vote: 'UP' } })
    expect(names(await search())).toEqual(['orders_2.csv', 'orders_1.csv'])
  })

  test('given pages, when assets are added while they are read, then each asset is returned once', async () => {
    for (let at = 10; at < 40; at += 1) catalog.engine.finds.push(file(`orders_${at}.csv`, [column('id')]))
    const { id } = await catalog.assembly('sales')
    const seen: string[] = []
    for (let page = 0; page < 6; page += 1) {
      seen.push(...names(await ask('searchAssets', { name: 'orders', page: String(page), size: '5' })))
      catalog.engine.finds.push(file(`orders_9${page}.csv`, [column('id')]))
      await catalog.crawl(id)
    }
    expect(seen).toEqual(Array.from({ length: 30 }, (_, at) => `orders_${at + 10}.csv`))
  })
})

describe('a listing', () => {
  test('given pages in the default order, when assets are added while they are read, then none is repeated or missing', async () => {
    for (let at = 10; at < 40; at += 1) catalog.engine.finds.push(file(`orders_${at}.csv`, [column('id')]))
    const { id } = await catalog.assembly('sales')
    const there = (await catalog.call('listAssets', { query: { size: '500' } })).body.data.map((asset) => asset.id)
    const seen: number[] = []
    for (let page = 0; seen.length < there.length; page += 1) {
      const { body } = await catalog.call('listAssets', { query: { page: String(page), size: '7' } })
      if (body.data.length === 0) break
      seen.push(...body.data.map((asset) => asset.id))
      // A name that sorts before all others.
      catalog.engine.finds.push(file(`a_${page}.csv`, [column('id')]))
      await catalog.crawl(id)
    }
    expect(seen.slice(0, there.length)).toEqual(there)
    expect(new Set(seen).size).toBe(seen.length)
  })
})

describe('discovery', () => {
  test('given filters, then assets have tags and labels, and facets have counts, and with size 0 only the count is returned', async () => {
    catalog.engine.finds.push(file('orders.csv', [column('id'), column('amount')]))
    catalog.engine.finds.push(file('plans.csv', [column('id')]))
    const { id } = await catalog.assembly('sales')
    expect((await ask('discoverAssets', { name: 'orders' })).data.assets).toMatchObject([
      { asset: { name: 'orders.csv' }, tags: [], labels: [] },
    ])
    const orders = await catalog.byUid('sales.orders.csv')

    const all = await ask('discoverAssets', { assembly_ids: String(id), size: '2' })
    expect(all.meta.count).toBe(5)
    expect(all.data.assets).toHaveLength(2)
    expect(all.data.facets).toMatchObject({
      assemblies: [{ id, name: 'sales', count: 5 }],
      assetTypes: [
        { name: 'FILE_COLUMN', count: 3 },
        { name: 'FILE', count: 2 },
      ],
      isCapped: false,
    })
    const count = await ask('discoverAssets', { size: '0' })
    expect(count).toMatchObject({ data: { assets: [], assemblies: [], facets: null }, meta: { count: 5, size: 0 } })

    await catalog.documents.put([
      watchCopyPut('default', { revision: 0, watchId: 1, assetId: orders.id, user: 'ann', watching: true }, '1'),
    ])
    const watched = await ask('discoverAssets', { watched: 'true' })
    expect(watched.data.assets.map((each) => each.asset.name)).toEqual(['orders.csv'])
    // The end of the watch is on its way.
    const seen = new Map([['notification' as const, ['assetwatch-1@1']]])
    const after = catalog.call('discoverAssets', { query: { watched: 'true' }, seen })
    await catalog.documents.put([
      watchCopyPut('default', { revision: 1, watchId: 1, assetId: orders.id, user: 'ann', watching: false }, '2'),
    ])
    expect((await after).body.data.assets).toEqual([])
    expect((await ask('discoverAssets', { parent_ids: String(orders.id) })).meta.count).toBe(2)
    expect((await ask('discoverAssets', { labels: 'team:a' })).meta.count).toBe(0)
  })
})

describe('a crawl of 11,000 assets', () => {
  test('given the crawl is cancelled and started again, then every asset is added once', {
    timeout: 240_000,
  }, async () => {
    const columns = Array.from({ length: 49 }, (_, at) => column(`c${at}`))
    for (let at = 0; at < 220; at += 1) catalog.engine.finds.push(file(`t${at}.csv`, columns))
    const made = await catalog.call('createAssembly', {
      body: { name: 'big', sourceType: 'FILE', configuration: { path: '/data' } },
    })
    const id = made.body.data.id
    const first = await catalog.lastCrawl(id)
    for (;;) {
      const { body } = await catalog.call('getCrawl', { params: { id: String(first.id) } })
      if (body.data.added > 0 || body.data.status !== 'RUNNING') break
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
    await catalog.call('cancelCrawl', { params: { id: String(first.id) } }).catch(() => undefined)
    const cancelled = await catalog.crawlEnded(first.id)
    const before = (await ask('discoverAssets', { size: '0' })).meta.count
    const second = await catalog.crawl(id)
    expect(second).toMatchObject({ status: 'SUCCESSFUL', removed: 0, failed: 0, done: 220 })
    expect(cancelled.added + second.added).toBe(220)
    expect(before).toBe(cancelled.added * 50)
    expect((await ask('discoverAssets', { size: '0' })).meta.count).toBe(11_000)
    expect((await ask('searchAssets', { name: 'c48', page: '0', size: '1' })).meta.count).toBe(220)
  })
})
