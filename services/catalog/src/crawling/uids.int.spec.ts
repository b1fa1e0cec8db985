import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { column, file } from '../testing/fake-engine.ts'
import { type OpenCatalog, openCatalog } from '../testing/harness.ts'

let catalog: OpenCatalog
beforeEach(async () => {
  catalog = await openCatalog()
})
afterEach(() => catalog.close())

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
