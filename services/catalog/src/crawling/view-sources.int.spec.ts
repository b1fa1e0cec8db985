import { mkdtemp, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { DatabaseSync } from 'node:sqlite'
import { internalTopics, type TableMessage, tableMessage } from '@assay/contracts'
import type { Discovered } from '@assay/data-engine'
import { createEngineInProcess } from '@assay/data-engine/testing'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { column } from '../testing/fake-engine.ts'
import { startCatalog } from '../testing/harness.ts'

let folder: string
let catalog: Awaited<ReturnType<typeof startCatalog>>
beforeEach(async () => {
  folder = await realpath(await mkdtemp(`${tmpdir()}/view-sources-`))
})
afterEach(async () => {
  await catalog.stop()
  await rm(folder, { recursive: true })
})

/** The published sources of the view, as names, once a message has at least `least` of them. */
async function readBy(uid: string, least: number): Promise<string[]> {
  const { id } = await catalog.byUid(uid)
  const sourceIds = await vi.waitFor(
    () => {
      const found = catalog.published
        .filter(({ topic }) => topic === internalTopics.tables)
        .map(({ message }): TableMessage => tableMessage.parse(message.data))
        .findLast(({ assetId }) => assetId === id)
      if (found?.sourceIds === undefined || found.sourceIds.length < least) throw new Error('not published yet')
      return found.sourceIds
    },
    { timeout: 20_000 },
  )
  const assets = sourceIds.map((assetId) => catalog.call('getAsset', { params: { id: String(assetId) } }))
  return (await Promise.all(assets)).map(({ body }) => body.data.name).sort()
}

function inDatabase(name: string, reads?: string[], columns = [column('x')]): Discovered {
  return {
    kind: 'table',
    path: ['shop', 'main'],
    name,
    assetType: reads === undefined ? 'TABLE' : 'VIEW',
    locator: {
      ...{ kind: 'table', engine: 'DUCKDB', path: '/data/shop.duckdb', schema: 'main', table: name },
      ...{ columns: [], fingerprint: 'f' },
    },
    columns,
    ...{ rowCount: null, sizeBytes: null, lastChangedAt: null, fileCount: null, warnings: { total: 0, first: [] } },
    ...(reads === undefined ? {} : { reads: reads.map((read) => ['shop', 'main', read]) }),
  }
}

describe('views that a crawl finds', () => {
  it('given views of tables, then their messages have the ids of the tables, even of tables that this crawl could not read', async () => {
    catalog = await startCatalog(folder)
    const tables = Array.from({ length: 40 }, (_, n) => `t${n}`)
    catalog.engine.finds = [
      ...tables.map((name) => inDatabase(name)),
      inDatabase('v', ['t0', 't39']),
      inDatabase('w', ['v', 't0', 'gone']),
    ]
    const { id, crawl } = await catalog.assembly('sales')
    expect(crawl).toMatchObject({ status: 'SUCCESSFUL', failed: 0 })
    expect(await readBy('sales.shop.main.v', 2)).toEqual(['t0', 't39'])
    expect(await readBy('sales.shop.main.w', 2)).toEqual(['t0', 'v'])
    catalog.engine.finds = [
      { kind: 'failed', path: 'main.t1', message: 'cut off' },
      inDatabase('v', ['t0', 't1', 't39']),
    ]
    await catalog.crawl(id)
    expect(await readBy('sales.shop.main.v', 3)).toEqual(['t0', 't1', 't39'])
  })

  it('given many views that name each other, then the crawl ends, and the next one knows all sources', async () => {
    catalog = await startCatalog(folder)
    const views = Array.from({ length: 40 }, (_, n) => `v${n}`)
    catalog.engine.finds = views.map((name) =>
      inDatabase(
        name,
        views.filter((other) => other !== name),
      ),
    )
    const { id, crawl } = await catalog.assembly('sales')
    expect(crawl).toMatchObject({ status: 'SUCCESSFUL', added: 40, failed: 0 })
    expect(await catalog.crawl(id)).toMatchObject({ status: 'SUCCESSFUL', failed: 0 })
    expect(await readBy('sales.shop.main.v0', 39)).toHaveLength(39)
    expect(await catalog.crawl(id)).toMatchObject({ changed: 0, added: 0 })
  }, 60_000)

  it('given a view over protected values, then creating a view over it requires the permission to see them', async () => {
    const database = new DatabaseSync(`${folder}/shop.db`)
    database.exec(`CREATE TABLE people (id INTEGER, name TEXT); INSERT INTO people VALUES (1, 'Ann'), (2, 'Bob');
      CREATE VIEW adults AS SELECT name FROM people; CREATE VIEW above AS SELECT name AS n FROM adults;`)
    database.close()
    const engine = createEngineInProcess({ tempRoot: `${folder}/temp` })
    catalog = await startCatalog(folder, { dependencies: { engine } })
    try {
      const body = { name: 'lite', sourceType: 'SQLITE', configuration: { path: `${folder}/shop.db` } }
      const assemblyId: number = (await catalog.call('createAssembly', { body })).body.data.id
      const crawl = await catalog.crawlEnded((await catalog.lastCrawl(assemblyId)).id)
      expect(crawl).toMatchObject({ status: 'SUCCESSFUL', failed: 0 })
      expect(await readBy('lite.shop.main.above', 2)).toEqual(['adults', 'people'])

      const schema = [{ name: 'x', type: 'y', nullable: true }]
      const make = (name: string) => {
        const details = { query: 'SELECT * FROM above', description: 'd', queryType: 'SQL_QUERY' }
        const asset = { name, assemblyId, uid: 'ignored', isCustom: true }
        return catalog.call('createSqlView', {
          body: { data: { asset, details, schema } },
          permissions: ['ASSET_VIEW'],
        })
      }
      expect((await make('before')).body.data.customAsset.asset.uid).toBe('lite.before')
      const { id: columnId } = await catalog.byUid('lite.shop.main.people.name')
      const tag = { name: 'secret', protectedData: true }
      await catalog.call('createTag', { body: tag })
      await catalog.call('addAssetTag', { params: { id: String(columnId) }, body: { name: 'secret' } })
      await expect(make('after')).rejects.toMatchObject({
        code: 'forbidden',
        message: expect.stringContaining('PROTECTED'),
      })
    } finally {
      await engine.close()
    }
  }, 120_000)
})
