import { AssayError } from '@assay/service-kit/errors'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { column, file, folder, orders, people } from '../testing/fake-engine.ts'
import { type OpenCatalog, openCatalog } from '../testing/harness.ts'

let catalog: OpenCatalog
beforeEach(async () => {
  catalog = await openCatalog()
})
afterEach(() => catalog.close())

describe('a first crawl', () => {
  it('given a folder with files, when an assembly is created, then its assets have parents and types', async () => {
    catalog.engine.finds = [{ kind: 'found', tables: 2 }, folder('2026'), orders(), people()]
    const { crawl } = await catalog.assembly('sales')
    expect(crawl).toMatchObject({
      status: 'SUCCESSFUL',
      found: 2,
      done: 2,
      added: 2,
      changed: 0,
      failed: 0,
      errors: [],
    })
    const dir = await catalog.byUid('sales.2026')
    const table = await catalog.byUid('sales.2026.orders.csv')
    const amount = await catalog.byUid('sales.2026.orders.csv.amount')
    expect(dir).toMatchObject({ parentId: null, assetType: { name: 'DIRECTORY' }, assembly: { name: 'sales' } })
    expect(table).toMatchObject({ parentId: dir.id, assetType: { name: 'FILE' }, description: '', isDeleted: false })
    expect(amount).toMatchObject({ parentId: table.id, name: 'amount', assetType: { name: 'FILE_COLUMN' } })
    const { body } = await catalog.call('getChildAssets', { params: { id: String(table.id) } })
    expect(body.childAssets).toMatchObject([
      { name: 'id', bucketedDataType: 'NUMERIC' },
      { name: 'amount', dataType: 'DOUBLE' },
    ])
    expect(body.meta).toEqual({ count: 2, page: 0, size: 25 })
    const types = await catalog.call('listAssetTypes', { query: { onlyCrawledAssetTypes: 'true' } })
    expect(types.body.data.map(({ name }) => name)).toEqual(['DIRECTORY', 'FILE', 'FILE_COLUMN'])
  })

  it('given folders that the source did not list, when crawled, then they are created', async () => {
    catalog.engine.finds = [file('a/b/c.csv', [column('x')])]
    await catalog.assembly('deep')
    const inner = await catalog.byUid('deep.a.b')
    expect(inner.parentId).toBe((await catalog.byUid('deep.a')).id)
  })

  it('given a STRUCT, when crawled, then its leaves are columns below it', async () => {
    const address = column('address', 'STRUCT(city VARCHAR)', { children: [column('city')] })
    catalog.engine.finds = [file('p.json', [address])]
    await catalog.assembly('js')
    const parent = await catalog.byUid('js.p.json.address')
    expect(await catalog.byUid('js.p.json.address.city')).toMatchObject({ parentId: parent.id, name: 'city' })
    const { body } = await catalog.call('getChildAssets', { params: { id: String(parent.id) } })
    expect(body.childAssets).toHaveLength(1)
  })

  it('given a file in a folder, then the file has metadata, and the folder has none', async () => {
    catalog.engine.finds = [folder('2026'), orders()]
    await catalog.assembly('sales')
    const table = await catalog.byUid('sales.2026.orders.csv')
    const { body } = await catalog.call('getAssetMetadata', { params: { id: String(table.id) } })
    expect(body.data).toMatchObject({
      assetId: table.id,
      sizeBytes: 10,
      rowCount: null,
      columns: [
        { name: 'id', dataType: 'BIGINT', nullable: true },
        { name: 'amount', dataType: 'DOUBLE', nullable: true },
      ],
    })
    expect(body.data.items).toContainEqual({ key: 'sizeBytes', value: '10', dataType: 'LONG', source: 'CRAWL' })
    const dir = await catalog.byUid('sales.2026')
    const none = catalog.call('getAssetMetadata', { params: { id: String(dir.id) } })
    await expect(none).rejects.toMatchObject({ code: 'not-found' })
  })
})

describe('a second crawl', () => {
  it('given an unchanged source, then no event of an asset is written', async () => {
    catalog.engine.finds = [folder('2026'), orders(), people()]
    const { id } = await catalog.assembly('sales')
    const before = (await catalog.events('asset')).length
    expect(await catalog.crawl(id)).toMatchObject({ status: 'SUCCESSFUL', done: 2, added: 0, changed: 0, removed: 0 })
    expect(await catalog.events('asset')).toHaveLength(before)
  })

  it('given a changed schema, then columns are added, changed and removed, and ids stay', async () => {
    catalog.engine.finds = [people()]
    const { id } = await catalog.assembly('sales')
    const name = await catalog.byUid('sales.people.csv.name')
    catalog.engine.finds = [file('people.csv', [column('name', 'BIGINT'), column('age', 'BIGINT')])]
    expect(await catalog.crawl(id)).toMatchObject({ changed: 1, added: 0 })
    expect((await catalog.byUid('sales.people.csv.name')).id).toBe(name.id)
    catalog.engine.finds = [file('people.csv', [column('age', 'BIGINT')])]
    await catalog.crawl(id)
    expect((await catalog.byUid('sales.people.csv.name')).isDeleted).toBe(true)
    catalog.engine.finds = [people()]
    await catalog.crawl(id)
    expect(await catalog.byUid('sales.people.csv.name')).toMatchObject({ id: name.id, isDeleted: false })
  })

  it('given a file that vanishes and returns, then it is marked as deleted in between, and keeps its ids', async () => {
    catalog.engine.finds = [folder('2026'), orders(), people()]
    const { id } = await catalog.assembly('sales')
    const table = await catalog.byUid('sales.2026.orders.csv')
    const amount = await catalog.byUid('sales.2026.orders.csv.amount')
    catalog.engine.finds = [people()]
    expect(await catalog.crawl(id)).toMatchObject({ removed: 1 })
    const gone = await catalog.call('getAsset', { params: { id: String(table.id) } })
    expect(gone.body.data).toMatchObject({ isDeleted: true, isActive: false })
    const named = async (query: Record<string, string>) =>
      (await catalog.call('listAssets', { query: { ids: String(table.id), ...query } })).body.meta.count
    expect([await named({}), await named({ includeDeleted: 'false' })]).toEqual([1, 0])
    expect((await catalog.byUid('sales.2026')).isDeleted).toBe(true)
    const listed = await catalog.call('listAssets')
    expect(listed.body.data.map(({ uid }) => uid)).toEqual(['sales.people.csv', 'sales.people.csv.name'])
    const all = await catalog.call('listAssets', { query: { includeDeleted: 'True', size: '0' } })
    expect(all.body).toEqual({ data: [], meta: { count: 6, page: 0, size: 0 } })
    catalog.engine.finds = [folder('2026'), orders(), people()]
    expect(await catalog.crawl(id)).toMatchObject({ added: 1 })
    expect(await catalog.byUid('sales.2026.orders.csv')).toMatchObject({ id: table.id, isDeleted: false })
    expect(await catalog.byUid('sales.2026.orders.csv.amount')).toMatchObject({ id: amount.id, isDeleted: false })
  })

  it('given a table that could not be read, then it is not marked as vanished', async () => {
    catalog.engine.finds = [folder('2026'), orders(), people()]
    const { id } = await catalog.assembly('sales')
    catalog.engine.finds = [people(), { kind: 'failed', path: '2026/orders.csv', message: 'cut off' }]
    const crawl = await catalog.crawl(id)
    expect(crawl).toMatchObject({ status: 'SUCCESSFUL', removed: 0, failed: 1 })
    expect(crawl.errors).toEqual([{ path: '2026/orders.csv', message: 'cut off' }])
    expect((await catalog.byUid('sales.2026.orders.csv')).isDeleted).toBe(false)
    expect((await catalog.byUid('sales.2026')).isDeleted).toBe(false)
  })

  it('given a source that fails midway, then the crawl is FAILED with the reason and nothing vanishes', async () => {
    catalog.engine.finds = [orders(), people()]
    const { id } = await catalog.assembly('sales')
    catalog.engine.finds = [people(), new AssayError('unprocessable', 'The disk went away.')]
    const crawl = await catalog.crawl(id)
    expect(crawl).toMatchObject({ status: 'FAILED', removed: 0 })
    expect(crawl.errors[0]).toEqual({ path: '', message: 'The disk went away.' })
    expect((await catalog.byUid('sales.2026.orders.csv')).isDeleted).toBe(false)
  })

  it('given malformed lines, an unreadable file and unknown formats, then the crawl lists each file once, unreadable ones first', async () => {
    const first = Array.from({ length: 12 }, (_, index) => ({ line: index + 7, message: 'two fields are missing' }))
    const warnings = { total: 99, first }
    const skipped = [{ path: 'budget.xlsx', message: 'Excel is not read.' }]
    catalog.engine.finds = [
      file('a.csv', [column('x')], { warnings }),
      { kind: 'failed', path: 'b.parquet', message: 'is cut off' },
      { kind: 'skipped', total: 140, first: skipped },
    ]
    const { crawl } = await catalog.assembly('sales')
    expect(crawl).toMatchObject({ status: 'SUCCESSFUL', failed: 1, errorCount: 2, skipped, skippedCount: 140 })
    expect(crawl.errors).toEqual([
      { path: 'b.parquet', message: 'is cut off' },
      { path: 'a.csv', message: expect.stringMatching(/^99 lines .*line 7: /), count: 99, lines: first.slice(0, 10) },
    ])
  })
})
