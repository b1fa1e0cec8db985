import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { internalTopics, type Permission, tableMessage } from '@assay/contracts'
import { type Discovered, datasetLocator } from '@assay/data-engine'
import { createEngineInProcess } from '@assay/data-engine/testing'
import { documentPut } from '@assay/documents'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { policyUses } from '../policy-uses/policy-uses.ts'
import { column, createFakeEngine } from '../testing/fake-engine.ts'
import { openCatalog, startCatalog } from '../testing/harness.ts'

let root: string
let engine: ReturnType<typeof createEngineInProcess>
let catalog: Awaited<ReturnType<typeof startCatalog>>
let assemblyId: number

beforeAll(async () => {
  root = await realpath(await mkdtemp(`${tmpdir()}/catalog-`))
  await mkdir(`${root}/data/a`, { recursive: true })
  await mkdir(`${root}/data/b`)
  await writeFile(`${root}/data/orders.csv`, 'id,person\n1,1\n2,1\n3,2\n')
  await writeFile(`${root}/data/people.csv`, 'id,name\n1,Ann\n2,Bob\n')
  for (const folder of ['a', 'b']) await writeFile(`${root}/data/${folder}/same.csv`, `${folder}\n1\n`)
  engine = createEngineInProcess({ tempRoot: `${root}/temp` })
  catalog = await startCatalog(root, { dependencies: { engine } })
  const body = { name: 'shop', sourceType: 'FILE', configuration: { path: `${root}/data` } }
  const made = await catalog.call('createAssembly', { body })
  assemblyId = made.body.data.id
  await catalog.crawlEnded((await catalog.lastCrawl(assemblyId)).id)
}, 120_000)
afterAll(async () => {
  await catalog.stop()
  await engine.close()
  await rm(root, { recursive: true })
})

const join = 'SELECT p.name, o.id FROM "orders.csv" o JOIN "people.csv" p ON p.id = o.person;'
const schema = [{ name: 'x', type: 'y', nullable: true }]
const details = (query: string, more: object = {}) => ({
  query,
  description: 'A view.',
  queryType: 'SQL_QUERY',
  ...more,
})
const create = async (
  name: string,
  query: string,
  more: { details?: object; asset?: object; tenant?: string } = {},
) => {
  const asset = { name, assemblyId, uid: 'ignored', isCustom: true, ...more.asset }
  const body = { data: { asset, details: details(query, more.details), schema } }
  const made = await catalog.call('createSqlView', { body, tenant: more.tenant ?? 'default' })
  return made.body.data.customAsset
}
const of = (id: number, body?: object) => ({ params: { id: String(id) }, ...(body ? { body } : {}) })

describe('SQL views', { timeout: 120_000 }, () => {
  it('given a SELECT over two files, then the view is an asset with columns, other services can open it, and a crawl does not change it', async () => {
    const view = await create('joined', join)
    expect(view).toMatchObject({
      asset: {
        uid: 'shop.joined',
        assetType: { name: 'SQL_VIEW' },
        isCustom: true,
        customAssetType: 'SQL_VIEW',
        description: 'A view.',
      },
      query: join,
      queryType: 'SQL_QUERY',
      tableAlias: null,
      backingAssetId: null,
    })
    expect((await catalog.call('getSqlView', of(view.id))).body.customAsset).toEqual(view)
    const children = (await catalog.call('getChildAssets', of(view.id))).body.childAssets
    expect(children.map(({ uid, dataType, childType }) => [uid, dataType, childType.name])).toEqual([
      ['shop.joined.name', 'VARCHAR', 'SQL_VIEW_COLUMN'],
      ['shop.joined.id', 'BIGINT', 'SQL_VIEW_COLUMN'],
    ])
    await catalog.crawl(assemblyId)
    expect((await catalog.call('getAsset', of(view.id))).body.data.isDeleted).toBe(false)
    const published = await vi.waitFor(
      () => {
        const all = catalog.published.filter(({ topic }) => topic === internalTopics.tables)
        const found = all
          .map(({ message }) => tableMessage.parse(message.data))
          .findLast(({ assetId }) => assetId === view.id)
        if (found === undefined) throw new Error('not published yet')
        return found
      },
      { timeout: 15_000 },
    )
    const read = await Promise.all(['shop.orders.csv', 'shop.people.csv'].map((uid) => catalog.byUid(uid)))
    expect(new Set(published.sourceIds)).toEqual(new Set(read.map(({ id }) => id)))
    const dataset = datasetLocator.parse(published.locator)
    const { rows } = await engine.sample({ dataset, limit: 10 }, { signal: AbortSignal.timeout(60_000) })
    expect(rows).toHaveLength(3)
    expect(rows).toContainEqual({ name: 'Bob', id: 3 })
  })

  it('given another query, then the columns change and ids stay; a view cannot be renamed', async () => {
    const view = await create('changed', 'SELECT id FROM "orders.csv"')
    const change = { details: details('SELECT id, 1 AS one FROM "orders.csv"', { description: 'More.' }), schema }
    const { body } = await catalog.call('updateSqlView', of(view.id, { data: { ...change, name: null } }))
    expect(body.data.customAsset).toMatchObject({ id: view.id, createdAt: view.createdAt, description: 'More.' })
    const children = (await catalog.call('getChildAssets', of(view.id))).body.childAssets
    expect(children.map(({ name }) => name)).toEqual(['id', 'one'])
    const renamed = catalog.call('updateSqlView', of(view.id, { data: { ...change, name: 'other' } }))
    await expect(renamed).rejects.toMatchObject({ code: 'unprocessable' })
    const history = await catalog.call('getAssetHistory', { ...of(view.id), query: { size: '50' } })
    expect(history.body.data.map(({ action }) => action)).toContain('SqlViewDefined')
  })

  it('given a filter over a file, then it has the matching rows', async () => {
    const view = await create('few', 'id > 1', {
      details: { queryType: 'FILTER', tableAlias: 'o' },
      asset: { backingAssetUID: 'shop.orders.csv' },
    })
    expect(view).toMatchObject({ backingAssetId: (await catalog.byUid('shop.orders.csv')).id, tableAlias: 'o' })
  })

  it.each([
    ['SELECT nothing FROM "orders.csv"', {}],
    ['SELECT * FROM "none.csv"', {}],
    ['SELECT * FROM "same.csv"', {}],
    ['DELETE FROM "orders.csv"', {}],
    ['SELECT 1; SELECT 2', {}],
    ['id > 1', { queryType: 'FILTER' }],
    ['[]', { queryType: 'AGGREGATION_PIPELINE' }],
  ])('given the query %s, then the view is refused', async (query, more) => {
    await expect(create('refused', query, { details: more })).rejects.toMatchObject({ code: 'invalid' })
  })

  it('given an ambiguous table name, then the path identifies the table, and two views of one name are created once', async () => {
    await create('by path', 'SELECT * FROM "b/same.csv"')
    expect((await catalog.byUid('shop.by path.b')).name).toBe('b')
    const all = await Promise.allSettled([1, 2, 3].map(() => create('raced', 'SELECT 1 AS one')))
    expect(all.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    await expect(create('raced', 'SELECT 1 AS one')).rejects.toMatchObject({ code: 'unprocessable' })
    const foreign = create('mine', 'SELECT 1 AS one', { tenant: 'other' })
    await expect(foreign).rejects.toMatchObject({ code: 'not-found' })
  })

  it('given no query or no description, then the request is malformed; a schema is not required', async () => {
    for (const broken of [{ query: ' ' }, { description: '' }])
      await expect(create('broken', 'SELECT 1', { details: broken })).rejects.toThrow()
    const data = { asset: { name: 'n', assemblyId }, details: details('SELECT 1') }
    await expect(catalog.call('createSqlView', { body: { data } })).resolves.toMatchObject({ body: { data: {} } })
  })

  it('given a policy on a view, then the view cannot be deleted until the policy is archived; created again, it has its old id', async () => {
    const view = await create('used', 'SELECT id FROM "orders.csv"')
    const put = (archived: boolean, revision: number) => {
      const use = { policyId: 9, name: 'p', archived, assetIds: [view.id], udfIds: [], position: '1' }
      return documentPut(policyUses, 'default', 9, use, { revision, position: '1' })
    }
    await catalog.documents.put([put(false, 1)])
    await expect(catalog.call('deleteSqlView', of(view.id))).rejects.toMatchObject({ code: 'unprocessable' })
    await catalog.documents.put([put(true, 2)])
    await catalog.call('deleteSqlView', of(view.id))
    for (const id of ['getSqlView', 'deleteSqlView'] as const)
      await expect(catalog.call(id, of(view.id))).rejects.toMatchObject({ code: 'not-found' })
    expect((await catalog.call('getAsset', of(view.id))).body.data.isDeleted).toBe(true)
    expect((await create('used', 'SELECT id FROM "orders.csv"')).id).toBe(view.id)
    const table = (await catalog.byUid('shop.orders.csv')).id
    await expect(catalog.call('getSqlView', of(table))).rejects.toMatchObject({ code: 'not-found' })
  })
})

describe('SQL views over tables of a database', () => {
  const relation = (name: string, columns: string[]): Discovered => ({
    ...{ kind: 'table', path: ['db', 'public'], name, assetType: 'TABLE', columns: columns.map((one) => column(one)) },
    locator: {
      ...{ kind: 'relation', engine: 'MARIADB', schema: 'public', table: name, columns: [], fingerprint: 'f' },
    },
    ...{ rowCount: null, sizeBytes: null, lastChangedAt: null, fileCount: null, warnings: { total: 0, first: [] } },
  })
  let database: Awaited<ReturnType<typeof openCatalog>>
  let databaseId: number
  beforeAll(async () => {
    const fake = createFakeEngine([relation('orders', ['id', 'email']), relation('people', ['id'])])
    const { touches } = engine
    const prepare = async () => ({ columns: [{ name: 'n', dataType: 'bigint' }], filterError: null, metricErrors: [] })
    database = await openCatalog({ engine: Object.assign(fake, { touches, prepare }) })
    const configuration = { host: '127.0.0.1', database: 'db', user: 'u', password: 'p' }
    const body = { name: 'maria', sourceType: 'MARIADB', configuration }
    databaseId = (await database.call('createAssembly', { body })).body.data.id
    await database.crawlEnded((await database.lastCrawl(databaseId)).id)
  }, 60_000)
  afterAll(() => database.close())

  async function viewOf(name: string, query: string, permissions: readonly Permission[] = ['ASSET_VIEW']) {
    const data = { asset: { name, assemblyId: databaseId, isCustom: true }, details: details(query), schema }
    const { body } = await database.call('createSqlView', { body: { data }, permissions })
    const { id } = body.data.customAsset
    const published = await vi.waitFor(() => {
      const messages = database.published.filter(({ topic }) => topic === internalTopics.tables)
      const found = messages
        .map(({ message }) => tableMessage.parse(message.data))
        .findLast((one) => one.assetId === id)
      if (found === undefined) throw new Error('not published yet')
      return found
    }, 15_000)
    return published.locator
  }

  it('given a SELECT in the dialect of the database, then the view reads the named tables of the assembly', async () => {
    const query = "SELECT date_format(now(), '%Y') AS n FROM `orders` AS o JOIN `people` AS p ON p.id = o.id;"
    expect(await viewOf('joined', query)).toMatchObject({
      ...{ kind: 'query', columns: [{ name: 'n', dataType: 'bigint' }] },
      tables: ['orders', 'people'].map((name) => ({ name, dataset: { kind: 'relation', table: name } })),
    })
  })

  it.each([
    ['SELECT 1 AS n', /must read a table/],
    ['SELECT n FROM "gone"', /no table "gone" here/],
    ['SELECT * FROM mysql.user', /cannot be read here/],
    ['SELECT id FROM orders # and more', /Comments cannot be used/],
    ['SELECT id FROM orders; DROP TABLE orders', /semicolon/],
    ['UPDATE orders SET id = 1', /Only a SELECT/],
  ])('given %s, then the view is refused', async (query, message) => {
    const refusal = { code: 'invalid', message: expect.stringMatching(message) }
    await expect(viewOf('refused', query)).rejects.toMatchObject(refusal)
  })

  it('given a protected column, then only views that cannot read it need no permission to see it', async () => {
    const { id } = await database.byUid('maria.db.public.orders.email')
    await database.call('createTag', { body: { name: 'secret', protectedData: true } })
    await database.call('addAssetTag', { params: { id: String(id) }, body: { name: 'secret' } })
    await viewOf('open', 'SELECT id FROM `orders`')
    for (const query of [
      'SELECT * FROM orders',
      'SELECT count(*) AS n FROM orders WHERE `email` = 1',
      'SELECT o FROM orders AS o',
    ])
      await expect(viewOf('closed', query), query).rejects.toMatchObject({ code: 'forbidden' })
    await viewOf('closed', 'SELECT * FROM orders', ['ASSET_VIEW', 'ASSET_PROTECTED_VIEW'])
  })
})
