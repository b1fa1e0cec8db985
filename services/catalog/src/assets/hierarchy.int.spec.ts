import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { column, file } from '../testing/fake-engine.ts'
import { type OpenCatalog, openCatalog } from '../testing/harness.ts'

let catalog: OpenCatalog

beforeEach(async () => {
  catalog = await openCatalog()
})
afterEach(() => catalog.close())

const search = async (query: Record<string, string>) => (await catalog.call('searchAssets', { query })).body.data
const below = async (parentHierarchy: string) =>
  (await search({ parentHierarchy, sortBy: 'name:asc' })).assets.map(({ name }) => name)

describe('the descendants of an asset', () => {
  it('given names with dots and UIDs with numbers, then real descendants are found, and no others', async () => {
    catalog.engine.finds.push(file('a/orders', [column('id')]))
    catalog.engine.finds.push(file('a.orders', [column('amount')]))
    catalog.engine.finds.push(file('a.b', [column('c')]))
    await catalog.assembly('sales')
    expect(await below('sales.a')).toEqual(['id', 'orders'])
    const named = (await search({ name: 'a.orders' })).assets.find(({ name }) => name === 'a.orders')
    // Both names give the same UID, so the asset that the crawl found second has a number in its UID.
    expect(await below(String(named?.id))).toEqual(['amount'])
    expect(await below(named?.uid ?? '')).toEqual(['amount'])
    expect(await below('sales.none')).toEqual([])
  })

  it('given a search at any depth, then parents are a flat list, or a forest on request', async () => {
    catalog.engine.finds.push(file('2026/01/orders.csv', [column('order_id')]), file('late.csv', [column('order_id')]))
    await catalog.assembly('sales')
    const named = { name: 'order_id' }
    const { parents: flat } = await search(named)
    expect(flat.map(({ name }) => name).sort()).toEqual(['01', '2026', 'late.csv', 'orders.csv'])
    expect((await search({ ...named, flattenedParentHierarchy: 'true' })).parents).toEqual(flat)
    const { parents } = await search({ ...named, flattenedParentHierarchy: 'false' })
    expect(parents).toHaveLength(2)
    expect(parents).toContainEqual(expect.objectContaining({ name: 'late.csv', children: [] }))
    expect(parents.find(({ name }) => name === '2026')).toMatchObject({
      children: [{ name: '01', children: [{ name: 'orders.csv', children: [] }] }],
    })
  })
})
