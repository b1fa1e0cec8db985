import { cloudEvent, internalTopics, publicTopics, tableMessage } from '@assay/contracts'
import type { Collection } from '@assay/documents'
import { rebuild } from '@assay/event-store'
import { createRouter } from '@assay/service-kit'
import { AssayError } from '@assay/service-kit/errors'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { assemblies } from './assembly/aggregate.ts'
import { assets, assetTables } from './asset/collections.ts'
import { crawls } from './crawl/aggregate.ts'
import { catalogAggregates } from './service.ts'
import { column, file, folder, orders, people } from './testing/fake-engine.ts'
import { type OpenCatalog, openCatalog } from './testing/harness.ts'

let catalog: OpenCatalog
beforeEach(async () => {
  catalog = await openCatalog()
})
afterEach(() => catalog.close())

describe('assemblies', () => {
  it('given a name in use, then 409, unless only another tenant uses it', async () => {
    await catalog.assembly('sales')
    const body = { name: 'sales', sourceType: { name: 'FILE' }, configuration: { path: '/data' } }
    await expect(catalog.call('createAssembly', { body })).rejects.toMatchObject({ code: 'taken' })
    await expect(catalog.assembly('sales', 'other')).resolves.toMatchObject({ crawl: { status: 'SUCCESSFUL' } })
  })

  it('given an invalid configuration, then 400 names the field and nothing is stored', async () => {
    const make = (configuration: unknown) =>
      catalog.call('createAssembly', { body: { name: 'n', sourceType: 'SQLITE', configuration } })
    await expect(make({})).rejects.toThrow('configuration.path')
    await expect(make({ path: 'data/x.db' })).rejects.toThrow('configuration.path: must be absolute')
    catalog.engine.probeError = new AssayError('unprocessable', 'This is no SQLite file.')
    await expect(make({ path: '/data/x.db' })).rejects.toMatchObject({ code: 'invalid' })
    await expect(make({ path: '/data/x.db' })).rejects.toThrow('This is no SQLite file.')
    const body = { name: 'n', sourceType: 'SQLITE', configuration: { path: '/data/x.db' } }
    const tested = await catalog.call('testAssembly', { body })
    expect(tested.body.data).toMatchObject({ ok: false, assetsFound: 0 })
    expect((await catalog.call('listAssemblies')).body.data).toEqual([])
    expect(await catalog.events('assembly')).toEqual([])
  })

  it('given an assembly, when it is renamed, then it is found by its new name only, and its UIDs stay', async () => {
    catalog.engine.finds = [people()]
    const { id } = await catalog.assembly('big sales')
    const table = await catalog.byUid('big sales.people.csv')
    const byName = await catalog.call('getAssembly', { params: { identifier: 'big sales' } })
    expect(byName.body.data).toMatchObject({ id, conn: null, status: 'ACTIVE', configuration: { path: '/data' } })
    const body = { name: 'sales', sourceType: 'FILE', configuration: { path: '/data' } }
    const changed = await catalog.call('updateAssembly', { params: { id: String(id) }, body })
    expect(changed.body.data).toMatchObject({ name: 'sales', configuration: { path: '/data' } })
    const gone = catalog.call('getAssembly', { params: { identifier: 'big sales' } })
    await expect(gone).rejects.toMatchObject({ code: 'not-found' })
    await catalog.crawl(id)
    expect((await catalog.byUid('big sales.people.csv')).id).toBe(table.id)
    const second = await catalog.assembly('big sales')
    expect(second.crawl).toMatchObject({ added: 1 })
    expect(await catalog.byUid('big sales.people.csv~2')).toMatchObject({ assembly: { name: 'big sales' } })
    const other = { ...body, sourceType: 'SQLITE' }
    const refused = catalog.call('updateAssembly', { params: { id: String(id) }, body: other })
    await expect(refused).rejects.toThrow('sourceType')
    const malformed = { ...body, configuration: { path: 5 } }
    const absent = catalog.call('updateAssembly', { params: { id: '999' }, body: malformed })
    await expect(absent).rejects.toMatchObject({ code: 'invalid' })
    await expect(catalog.call('getAssembly', { params: { identifier: '0' } })).rejects.toMatchObject({
      code: 'not-found',
    })
  })

  it('given an assembly that is deleted and created again, then its assets disappear and return with their ids', async () => {
    catalog.engine.finds = [folder('2026'), orders()]
    const { id } = await catalog.assembly('sales')
    const table = await catalog.byUid('sales.2026.orders.csv')
    const amount = await catalog.byUid('sales.2026.orders.csv.amount')
    await catalog.call('deleteAssembly', { params: { id: String(id) } })
    expect(await catalog.byUid('sales.2026.orders.csv')).toMatchObject({
      isDeleted: true,
      assembly: { status: 'MARKED_FOR_DELETED' },
    })
    expect((await catalog.call('listAssemblies')).body.meta.count).toBe(0)
    const gone = catalog.call('getAssembly', { params: { identifier: String(id) } })
    await expect(gone).rejects.toMatchObject({ code: 'not-found' })
    expect((await catalog.lastCrawl(id)).status).toBe('SUCCESSFUL')
    const again = await catalog.assembly('sales')
    expect(again.id).not.toBe(id)
    expect(again.crawl).toMatchObject({ added: 1 })
    expect(await catalog.byUid('sales.2026.orders.csv')).toMatchObject({
      id: table.id,
      isDeleted: false,
      assembly: { id: again.id },
    })
    expect(await catalog.byUid('sales.2026.orders.csv.amount')).toMatchObject({ id: amount.id, isDeleted: false })
  })

  it('given a forbidden path, then create and test answer 400, but an unreadable source gets 400 only from create', async () => {
    const configuration = { path: '/elsewhere' }
    const body = { name: 'n', sourceType: 'FILE', configuration }
    catalog.engine.probeError = new AssayError('invalid', 'lies outside')
    for (const call of ['createAssembly', 'testAssembly'] as const)
      await expect(catalog.call(call, { body })).rejects.toMatchObject({
        code: 'invalid',
        message: 'configuration.path: lies outside',
      })
    catalog.engine.probeError = new AssayError('unprocessable', 'it is gone')
    const sentence = 'configuration: the source cannot be opened: it is gone'
    await expect(catalog.call('createAssembly', { body })).rejects.toMatchObject({ code: 'invalid', message: sentence })
    const { body: tested } = await catalog.call('testAssembly', { body })
    expect(tested.data).toEqual({ ok: false, message: sentence, assetsFound: 0 })
  })
})

describe('two tenants', () => {
  it('given an assembly of the same name in both, then neither tenant sees assets of the other', async () => {
    catalog.engine.finds = [people()]
    const one = await catalog.assembly('sales', 'one')
    await catalog.assembly('sales', 'two')
    await catalog.assembly('more', 'two')
    const table = await catalog.byUid('more.people.csv', 'two')
    const named = await catalog.call('listAssets', { tenant: 'one', query: { uid: 'more.people.csv' } })
    expect(named.body.data).toEqual([])
    const params = { id: String(table.id) }
    await expect(catalog.call('getAsset', { params, tenant: 'one' })).rejects.toMatchObject({ code: 'not-found' })
    const { body } = await catalog.call('listAssets', { tenant: 'one' })
    expect(body.meta.count).toBe(2)
    expect(one.crawl.added).toBe(1)
  })
})

describe('the routes', () => {
  it('match the table of operations', () => {
    const make = () => createRouter({ service: 'catalog', routes: catalog.service.routes, verify: () => undefined })
    expect(make).not.toThrow()
  })
})

describe('a rebuild', () => {
  it('given events of all kinds, when the documents are rebuilt from the log, then they are the same', async () => {
    catalog.engine.finds = [folder('2026'), orders(), people()]
    const { id } = await catalog.assembly('sales')
    catalog.engine.finds = [people(), { kind: 'failed', path: 'x', message: 'm' }]
    await catalog.crawl(id)
    catalog.engine.finds = [file('people.csv', [column('name', 'BIGINT'), column('age')]), orders()]
    await catalog.crawl(id)
    const other = await catalog.assembly('other')
    await catalog.call('deleteAssembly', { params: { id: String(other.id) } })
    const all = async () => {
      const texts: string[] = []
      for (const collection of [assemblies, crawls, assets, assetTables])
        for await (const stored of catalog.documents.scan<unknown>(collection as Collection<unknown>))
          texts.push(JSON.stringify(stored))
      return texts
    }
    const before = await all()
    const { store, documents } = catalog
    const target = documents.rebuildTarget()
    await rebuild({ store, aggregates: catalogAggregates, collections: [], target })
    expect(before.length).toBeGreaterThan(15)
    expect(await all()).toEqual(before)
  })
})

describe('answers about assets', () => {
  it('given a table, its column and its folder, then answers name the state of the table, which other services copy', async () => {
    catalog.engine.finds = [folder('2026'), orders()]
    await catalog.assembly('sales')
    const { id: table } = await catalog.byUid('sales.2026.orders.csv')
    const statesOf = async (uid: string) => {
      const { id } = await catalog.byUid(uid)
      return (await catalog.call('getAsset', { params: { id: String(id) } })).states
    }
    expect(await statesOf('sales.2026.orders.csv')).toEqual([`asset-${table}@0`])
    expect(await statesOf('sales.2026.orders.csv.amount')).toEqual([`asset-${table}@0`])
    expect(await statesOf('sales.2026')).toEqual([])
  })
})

describe('published messages', () => {
  it('given a table that changes and vanishes, then messages have its revision, columns and state, and public ones have no path', async () => {
    catalog.engine.finds = [folder('2026'), orders()]
    const { id } = await catalog.assembly('sales')
    catalog.engine.finds = []
    await catalog.crawl(id)
    const tables = () => catalog.published.filter(({ topic }) => topic === internalTopics.tables)
    await vi.waitFor(() => expect(tables()).toHaveLength(2))
    const last = tableMessage.parse(tables().at(-1)?.message.data)
    expect(last).toMatchObject({ uid: 'sales.2026.orders.csv', isDeleted: true, sourceTypeName: 'FILE', revision: 1 })
    expect(last.columns.map(({ name, uid }) => [name, uid])).toEqual([
      ['id', 'sales.2026.orders.csv.id'],
      ['amount', 'sales.2026.orders.csv.amount'],
    ])
    const { body, states } = await catalog.call('getCrawl', {
      params: { id: String((await catalog.lastCrawl(id)).id) },
    })
    expect([body.data.removed, states]).toEqual([1, [`asset-${last.assetId}@1`]])
    const listed = await catalog.call('listCrawls', { params: { id: String(body.data.assemblyId) } })
    expect(listed.states).toEqual([`asset-${last.assetId}@1`, `asset-${last.assetId}@0`])
    const open = catalog.published.filter(({ topic }) => topic === publicTopics.assets)
    await vi.waitFor(() => expect(open.length).toBeGreaterThan(4))
    expect(open.map(({ message }) => message.type)).toContain('io.assay.catalog.AssetVanished')
    expect(JSON.stringify(open)).not.toContain('/data')
    const found = { path: ['sales', '2026', 'orders.csv'] }
    const event = { type: 'io.assay.catalog.AssetDiscovered', data: expect.objectContaining(found) }
    expect(open.map(({ message }) => message.data)).toContainEqual(expect.objectContaining(event))
  })
  it('given an assembly that is deleted, then the events of its assets and their end name who deleted it', async () => {
    catalog.engine.finds = [orders()]
    const { id } = await catalog.assembly('sales')
    await catalog.call('deleteAssembly', { params: { id: String(id) } })
    const actors = () =>
      catalog.published.flatMap(({ message: { data } }) => {
        const event = cloudEvent.safeParse(data).data
        return event && /\.(AssetVanished|AssemblyAssetsRemoved)$/.test(event.type) ? [event] : []
      })
    await vi.waitFor(() => {
      const { type, data } = actors().at(-1) ?? {}
      expect([type, data]).toMatchObject(['io.assay.catalog.AssemblyAssetsRemoved', { assemblyId: id, assets: 1 }])
    })
    expect(new Set(actors().map(({ actor }) => actor))).toEqual(new Set(['ann']))
  })
})
