import { AssayError } from '@assay/service-kit/errors'
import { systemTimers } from '@assay/service-kit/node'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { column, createFakeEngine, file, folder, orders, people } from '../testing/fake-engine.ts'
import { type OpenCatalog, openCatalog } from '../testing/harness.ts'

let catalog: OpenCatalog
beforeEach(async () => {
  catalog = await openCatalog()
})
afterEach(() => catalog.close())

describe('a first crawl', () => {
  it('given a folder with files, when the assembly is made, then its assets are there with parents and types', async () => {
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

  it('given folders that the source did not name, when crawled, then they are made', async () => {
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

  it('given metadata, then a file has it and a folder has none', async () => {
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

describe('a further crawl', () => {
  it('given nothing changed, then no event of an asset is written', async () => {
    catalog.engine.finds = [folder('2026'), orders(), people()]
    const { id } = await catalog.assembly('sales')
    const before = (await catalog.events('asset')).length
    expect(await catalog.crawl(id)).toMatchObject({ status: 'SUCCESSFUL', done: 2, added: 0, changed: 0, removed: 0 })
    expect(await catalog.events('asset')).toHaveLength(before)
  })

  it('given a changed schema, then columns come, change and go, and ids stay', async () => {
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

  it('given a file that vanished and came back, then it is deleted meanwhile and keeps its ids', async () => {
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

  it('given lines that could not be read, then the crawl lists them', async () => {
    const warnings = { total: 3, first: [{ line: 7, message: 'two fields are missing' }] }
    catalog.engine.finds = [file('a.csv', [column('x')], { warnings })]
    const { crawl } = await catalog.assembly('sales')
    expect(crawl).toMatchObject({ status: 'SUCCESSFUL', failed: 0 })
    expect(crawl.errors).toEqual([
      { path: 'a.csv', message: 'line 7: two fields are missing' },
      { path: 'a.csv', message: '2 more lines like these' },
    ])
  })
})

describe('UIDs', () => {
  it('given names that would give one UID, then the later asset gets a suffix, for ever', async () => {
    const twins = [file('a/b.csv', [column('x')]), file('a.b.csv', [column('x'), column('x?'), column('x_')])]
    catalog.engine.finds = twins
    const { id } = await catalog.assembly('s')
    const list = async () => {
      const { body } = await catalog.call('listAssets', { query: { sortBy: 'uid:asc' } })
      return body.data.map(({ uid, id }) => ({ uid, id }))
    }
    const before = await list()
    const uids = before.map(({ uid }) => uid)
    expect(new Set(uids).size).toBe(7)
    expect(uids).toEqual(expect.arrayContaining(['s.a.b.csv', 's.a.b.csv~2', 's.a.b.csv.x', 's.a.b.csv.x~2']))
    expect(uids).toEqual(expect.arrayContaining(['s.a.b.csv.x_', 's.a.b.csv.x_~2']))
    catalog.engine.finds = twins.toReversed()
    await catalog.crawl(id)
    expect(await list()).toEqual(before)
  })

  it('given a table whose UID a column has, then it gets a suffix', async () => {
    catalog.engine.finds = [file('a', [column('b')])]
    const { id } = await catalog.assembly('s')
    catalog.engine.finds = [file('a', [column('b')]), file('a.b', [column('c')])]
    await catalog.crawl(id)
    expect(await catalog.byUid('s.a.b')).toMatchObject({ assetType: { name: 'FILE_COLUMN' } })
    expect(await catalog.byUid('s.a.b~2')).toMatchObject({ assetType: { name: 'FILE' } })
  })
})

describe('many at once', () => {
  it('given ten creations under one name, then one wins', async () => {
    const body = { name: 'sales', sourceType: 'FILE', configuration: { path: '/data' } }
    const made = await Promise.allSettled(Array.from({ length: 10 }, () => catalog.call('createAssembly', { body })))
    expect(made.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    for (const each of made) if (each.status === 'rejected') expect(each.reason).toMatchObject({ code: 'taken' })
    expect((await catalog.call('listAssemblies')).body.meta.count).toBe(1)
  })

  it('given ten starts of a crawl, then one runs and the others are refused', async () => {
    const { id } = await catalog.assembly('sales')
    catalog.engine.finds = ['wait']
    const start = () => catalog.call('startCrawl', { params: { id: String(id) } })
    const made = await Promise.allSettled(Array.from({ length: 10 }, start))
    expect(made.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    for (const each of made)
      if (each.status === 'rejected') expect(each.reason).toMatchObject({ code: 'unprocessable' })
  })
})

describe('a crawl that runs', () => {
  async function waiting() {
    catalog.engine.finds = [people(), 'wait']
    const body = { name: 'slow', sourceType: 'FILE', configuration: { path: '/data' } }
    const { body: made } = await catalog.call('createAssembly', { body })
    const id: number = made.data.id
    await vi.waitFor(() => catalog.byUid('slow.people.csv'))
    return { id, crawl: await catalog.lastCrawl(id) }
  }

  it('given a second one is asked for, then 422', async () => {
    const { id } = await waiting()
    await expect(catalog.call('startCrawl', { params: { id: String(id) } })).rejects.toMatchObject({
      code: 'unprocessable',
    })
  })

  it('given it is cancelled, then it is ABORTED with its figures, and another can run', async () => {
    const { id, crawl } = await waiting()
    const { body } = await catalog.call('cancelCrawl', { params: { id: String(crawl.id) } })
    expect(body.data).toMatchObject({ status: 'ABORTED', added: 1 })
    const again = catalog.call('cancelCrawl', { params: { id: String(crawl.id) } })
    await expect(again).rejects.toMatchObject({ code: 'unprocessable' })
    catalog.engine.finds = [people()]
    expect(await catalog.crawl(id)).toMatchObject({ status: 'SUCCESSFUL' })
  })

  it('given its assembly is deleted, then it ends and leaves no live asset', async () => {
    const { id, crawl } = await waiting()
    await catalog.call('deleteAssembly', { params: { id: String(id) } })
    expect(await catalog.crawlEnded(crawl.id)).toMatchObject({ status: 'ABORTED' })
    expect((await catalog.byUid('slow.people.csv')).isDeleted).toBe(true)
  })

  it('given the service stops, then the next start goes on with it, with the figures of before', async () => {
    const { id, crawl } = await waiting()
    await catalog.stop()
    catalog = await catalog.again({ engine: createFakeEngine([people(), orders()]) })
    const ended = await catalog.crawlEnded(crawl.id)
    expect(ended).toMatchObject({
      status: 'SUCCESSFUL',
      found: 2,
      done: 2,
      added: 2,
      removed: 0,
      failed: 0,
      errors: [],
    })
    expect(await catalog.crawl(id)).toMatchObject({ status: 'SUCCESSFUL', added: 0 })
  })

  it('given its engine ends with the service, then that is no failure of the crawl', async () => {
    catalog.engine.finds = [people(), new AssayError('unavailable', 'The run ended because its process died.')]
    const body = { name: 'slow', sourceType: 'FILE', configuration: { path: '/data' } }
    const { body: made } = await catalog.call('createAssembly', { body })
    await vi.waitFor(async () => expect(await catalog.byUid('slow.people.csv')).toBeDefined())
    await catalog.stop()
    catalog = await catalog.again({ engine: createFakeEngine([people()]) })
    const crawl = await catalog.lastCrawl(made.data.id)
    expect(await catalog.crawlEnded(crawl.id)).toMatchObject({ status: 'SUCCESSFUL', added: 1, errors: [] })
  })

  it('given the process dies, then the next start goes on with it, and another can run after it', async () => {
    const { id, crawl } = await waiting()
    await catalog.kill()
    catalog = await catalog.again({ engine: createFakeEngine([people(), orders()]) })
    const ended = await catalog.crawlEnded(crawl.id)
    expect(ended).toMatchObject({ id: crawl.id, status: 'SUCCESSFUL', found: 2, done: 2, errors: [] })
    expect(await catalog.byUid('slow.2026.orders.csv')).toMatchObject({ isDeleted: false })
    expect((await catalog.call('listCrawls', { params: { id: String(id) } })).body.meta.count).toBe(1)
    expect(await catalog.crawl(id)).toMatchObject({ status: 'SUCCESSFUL', added: 0 })
  })

  it('given every process that has it dies, then the third start after ends it FAILED with the reason', async () => {
    const { id, crawl } = await waiting()
    for (let dead = 0; dead < 2; dead += 1) {
      await catalog.kill()
      catalog = await catalog.again({ engine: createFakeEngine(['wait']) })
      expect((await catalog.lastCrawl(id)).status).toBe('RUNNING')
    }
    await catalog.kill()
    catalog = await catalog.again({ engine: createFakeEngine([people()]) })
    const ended = await catalog.crawlEnded(crawl.id)
    expect(ended.status).toBe('FAILED')
    expect(ended.errors[0]?.message).toContain('Start it again')
    expect(await catalog.crawl(id)).toMatchObject({ status: 'SUCCESSFUL' })
  })

  it('given it was cancelled and the process dies, then the next start leaves it ABORTED', async () => {
    const { id, crawl } = await waiting()
    await catalog.call('cancelCrawl', { params: { id: String(crawl.id) } })
    await catalog.kill()
    catalog = await catalog.again({ engine: createFakeEngine([people()]) })
    expect((await catalog.lastCrawl(id)).status).toBe('ABORTED')
    expect(await catalog.crawl(id)).toMatchObject({ status: 'SUCCESSFUL', added: 0 })
  })
})

describe('crawls of several instances', () => {
  it('given a crawl whose instance gives no sign of life, then another goes on with it within two minutes, not before', async () => {
    catalog.engine.finds = ['wait']
    const body = { name: 'slow', sourceType: 'FILE', configuration: { path: '/data' } }
    const { body: made } = await catalog.call('createAssembly', { body })
    const crawl = await catalog.lastCrawl(made.data.id)
    await catalog.kill()
    let ahead = 0
    const ticks: (() => void)[] = []
    const timers = {
      ...systemTimers,
      every(milliseconds: number, work: () => void) {
        if (milliseconds === 30_000) ticks.push(work)
        return systemTimers.every(milliseconds, work)
      },
    }
    const clock = { now: () => Date.now() + ahead }
    catalog = await catalog.again({ dependencies: { soleInstance: false, clock, timers } })
    const params = { id: String(crawl.id) }
    expect((await catalog.call('getCrawl', { params })).body.data.status).toBe('RUNNING')
    ahead = 90_000
    for (const tick of ticks) tick()
    expect((await catalog.crawlEnded(crawl.id)).status).toBe('SUCCESSFUL')
    expect((await catalog.crawl(made.data.id)).status).toBe('SUCCESSFUL')
  })
})

describe('a schedule', () => {
  it('given its time comes, then a crawl starts, once', async () => {
    await catalog.stop()
    let ahead = 0
    const ticks: (() => void)[] = []
    const timers = {
      ...systemTimers,
      every(milliseconds: number, work: () => void) {
        if (milliseconds === 15_000) ticks.push(work)
        return systemTimers.every(milliseconds, work)
      },
    }
    const clock = { now: () => Date.now() + ahead }
    catalog = await catalog.again({ dependencies: { clock, timers } })
    const body = { name: 's', sourceType: 'FILE', configuration: { path: '/data' }, schedule: '@daily' }
    const { body: made } = await catalog.call('createAssembly', { body })
    const count = async () =>
      (await catalog.call('listCrawls', { params: { id: String(made.data.id) } })).body.meta.count
    await catalog.crawlEnded((await catalog.lastCrawl(made.data.id)).id)
    ahead = 24 * 3_600_000
    for (const tick of ticks) tick()
    await vi.waitFor(async () => expect(await count()).toBe(2))
    await catalog.crawlEnded((await catalog.lastCrawl(made.data.id)).id)
    for (const tick of ticks) tick()
    await catalog.stop()
    catalog = await catalog.again()
    expect(await count()).toBe(2)
  })
})
