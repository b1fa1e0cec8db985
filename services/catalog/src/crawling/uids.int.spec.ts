import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Commit, createCommit } from '@assay/event-store'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { assetStreamId } from '../asset/uid.ts'
import { column, file } from '../testing/fake-engine.ts'
import { type OpenCatalog, openCatalog, startCatalog } from '../testing/harness.ts'

let catalog: OpenCatalog
beforeEach(async () => {
  catalog = await openCatalog()
})
afterEach(() => catalog.close())

describe('UIDs', () => {
  it('given names that lead to the same UID, then the later asset gets a suffix, and keeps it', async () => {
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

  it('given two replicas that write tables concurrently, when their columns would get the same UID, then one gets a suffix', async () => {
    const { store, documents } = catalog
    const commit = createCommit(store, documents, (error) => {
      throw error
    })
    const [reached, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    /** Stops before the table `s.a` is appended. */
    const stopping: Commit = async (append, puts) => {
      if (append.stream.endsWith(assetStreamId('s.a'))) {
        reached.resolve()
        await released.promise
      }
      return commit(append, puts)
    }
    const folder = await mkdtemp(join(tmpdir(), 'catalog-replica-'))
    const shared = { store, documents, soleInstance: false }
    const one = await startCatalog(folder, { dependencies: { ...shared, commit: stopping } })
    const other = await catalog.again({ dependencies: { ...shared, commit } })
    try {
      one.engine.finds = [file('a', [column('b.c')])]
      other.engine.finds = [file('b', [column('c')])]
      const first = one.assembly('s')
      await reached.promise
      await other.assembly('s.a')
      released.resolve()
      await first
      const { body } = await catalog.call('listAssets', { query: { sortBy: 'uid:asc' } })
      expect(body.data.map(({ uid }) => uid)).toEqual(['s.a', 's.a.b', 's.a.b.c', 's.a.b.c~2'])
    } finally {
      released.resolve()
      await one.stop()
      await other.stop()
      await rm(folder, { recursive: true })
    }
  })

  it('given a table whose UID a column already has, then the table gets a suffix', async () => {
    catalog.engine.finds = [file('a', [column('b')])]
    const { id } = await catalog.assembly('s')
    catalog.engine.finds = [file('a', [column('b')]), file('a.b', [column('c')])]
    await catalog.crawl(id)
    expect(await catalog.byUid('s.a.b')).toMatchObject({ assetType: { name: 'FILE_COLUMN' } })
    expect(await catalog.byUid('s.a.b~2')).toMatchObject({ assetType: { name: 'FILE' } })
  })
})
