import { internalTopics, notificationOperations as operations, publicTopics } from '@assay/contracts'
import { answerOf, eventually } from '@assay/hosting/testing'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { folderFixture, type Harness, openHarness, tableFixture, type Who } from '../testing/harness.ts'

let harness: Harness
beforeEach(async () => {
  harness = await openHarness()
  await harness.folder(folderFixture({ path: ['sales', 'in'] }))
  for (const [assetId, name] of [
    [11, 'orders.csv'],
    [21, 'people.csv'],
  ] as const)
    await harness.table(tableFixture({ assetId, uid: `sales.${name}`, columns: [], path: ['sales', 'in', name] }))
})
afterEach(() => harness.close())

const rows = async (who?: Who) =>
  answerOf(operations.listNotifications, (await harness.ask('GET', '/notifications?sortBy=id:asc', who)).body).data
const parts = async (id: number, who?: Who) =>
  answerOf(operations.listNotificationParts, (await harness.ask('GET', `/notifications/${id}/parts`, who)).body)
const found = (type: string, assetId: number, id = `${type} ${assetId}`) =>
  harness.event(`catalog.${type}`, { assetId, uid: `sales.${assetId}`, crawlId: 5 }, { id })
const finish = (type = 'CrawlFinished') =>
  harness.event(`catalog.${type}`, { crawlId: 5, assemblyId: 3, reason: 'Gone.' }, { id: type })
/** The first crawl whose rows are written after those of crawl 5. */
async function settled(count: number, who?: Who) {
  harness.clock.time += 2_000
  await eventually(
    () => rows(who),
    (found) => found.length === count,
  )
  return rows(who)
}

describe('the events of a crawl', () => {
  it('given changes of several watched assets, when the crawl ends, then each watcher has one row with its parts', async () => {
    await harness.ask('POST', '/assets/50/watch')
    await harness.ask('POST', '/assets/21/watch', { user: 'bob' })
    await harness.ask('POST', '/assets/21/watch', { user: 'eve' }, { kinds: ['ASSET_DELETED'] })
    await found('AssetFactsObserved', 11)
    await found('AssetSchemaChanged', 11).catch(() => undefined)
    await found('AssetFactsObserved', 21)
    await found('AssetVanished', 11)
    expect(await rows()).toEqual([])
    await finish()
    const [row, ...others] = await settled(1)
    expect(others).toEqual([])
    expect(row).toMatchObject({
      ...{ kind: 'ASSET_DELETED', severity: 'WARNING', count: 2, assetId: null, link: '/catalog-server/api/crawls/5' },
      ...{ title: 'Crawl 5 changed 2 assets: 1 deleted, 1 changed' },
      text: 'sales.11 was deleted. sales.21 changed.',
    })
    const ofRow = await parts(row?.id ?? 0)
    expect(ofRow.data.map(({ kind, assetId }) => [kind, assetId])).toEqual([
      ['ASSET_DELETED', 11],
      ['ASSET_CHANGED', 21],
      ['ASSET_CHANGED', 11],
    ])
    expect(await settled(1, { user: 'bob' })).toMatchObject([
      { kind: 'ASSET_CHANGED', count: 1, assetId: 21, title: 'sales.21 changed' },
    ])
    expect(await rows({ user: 'eve' })).toEqual([])
    expect((await harness.ask('GET', `/notifications/${row?.id}/parts`, { user: 'bob' })).status).toBe(404)
    const blind = await harness.ask('GET', '/notifications', { permissions: ['NOTIFICATION_VIEW', 'POLICY_VIEW'] })
    expect(blind.body).toMatchObject({ data: [], meta: { count: 0 } })
    expect(harness.bus.published.filter(({ topic }) => topic === publicTopics.notifications)).toHaveLength(5)
  })

  it('given the end arrives first and everything repeats, then there is one row, which grows and is unread again', async () => {
    await harness.ask('POST', '/assets/50/watch')
    await finish('CrawlAborted')
    await found('AssetFactsObserved', 11)
    const [row] = await settled(1)
    expect(row).toMatchObject({ count: 1, assetId: 11 })
    await harness.ask('PUT', `/notifications/${row?.id}/read`)
    await found('AssetFactsObserved', 11)
    await finish('CrawlAborted')
    harness.clock.time += 2_000
    await found('AssetVanished', 21)
    harness.clock.time += 2_000
    const grown = await eventually(rows, ([first]) => first?.count === 2)
    expect(grown).toMatchObject([{ id: row?.id, kind: 'ASSET_DELETED', count: 2, readAt: null }])
  })

  it('given a notification of one event, then it is its only part', async () => {
    await harness.ask('POST', '/assets/11/watch')
    await harness.event('catalog.AssetTagAdded', { assetId: 11, uid: 'sales.11', tagId: 5, tagName: 'pii' })
    const [row] = await rows()
    expect(await parts(row?.id ?? 0)).toMatchObject({ data: [row], meta: { count: 1 } })
  })
})

describe('an assembly with a name', () => {
  const by = { actor: 'anna' }
  const vanish = (assetId: number) =>
    harness.event(
      'catalog.AssetVanished',
      { assetId, uid: `sales.${assetId}`, reason: 'assembly-deleted', assemblyId: 3 },
      { id: `vanished ${assetId}`, ...by },
    )
  const removed = () => harness.event('catalog.AssemblyAssetsRemoved', { assemblyId: 3, assets: 2 }, by)
  beforeEach(() => {
    const assembly = { assemblyId: 3, revision: 0, name: 'sales', sourceTypeId: 2, isDeleted: false, source: null }
    return harness.publish(internalTopics.assemblies, { ...assembly, autoAnomaly: false, autoProfile: false })
  })

  it('given a crawl of it, then the row names it', async () => {
    await harness.ask('POST', '/assets/50/watch')
    await found('AssetFactsObserved', 11)
    await found('AssetFactsObserved', 21)
    await finish()
    expect(await settled(1)).toMatchObject([{ title: 'Crawl 5 of sales changed 2 assets: 2 changed' }])
  })

  it('given it is deleted, then each watcher has one row, which says who deleted it', async () => {
    await harness.ask('POST', '/assets/50/watch')
    await harness.ask('POST', '/assets/21/watch', { user: 'bob' })
    await vanish(11)
    expect(await rows()).toEqual([])
    await removed()
    await vanish(21)
    const [row] = await settled(1)
    expect(row).toMatchObject({
      ...{ kind: 'ASSET_DELETED', count: 2, assetId: null },
      title: '2 assets were deleted with assembly sales',
      text: "anna deleted the assembly 'sales', with all its assets. sales.11 was deleted. sales.21 was deleted.",
      link: '/catalog-server/api/assets?assembly_ids=3&includeDeleted=true',
    })
    expect((await parts(row?.id ?? 0)).data.map(({ assetId }) => assetId)).toEqual([21, 11])
    expect(await settled(1, { user: 'bob' })).toMatchObject([
      { assetId: 21, title: 'sales.21 was deleted', text: "anna deleted the assembly 'sales', with all its assets." },
    ])
    // The crawl with the number of the assembly is another group.
    await harness.event('catalog.AssetFactsObserved', { assetId: 11, uid: 'sales.11', crawlId: 3 })
    await harness.event('catalog.CrawlFinished', { crawlId: 3, assemblyId: 3 })
    expect(await settled(2)).toMatchObject([{ count: 2 }, { count: 1, assetId: 11 }])
  })
})
