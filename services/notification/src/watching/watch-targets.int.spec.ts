import { internalTopics, notificationOperations as operations, permissions } from '@assay/contracts'
import { documentPut } from '@assay/documents'
import { answerOf } from '@assay/hosting/testing'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { notificationPolicies } from '../copies/targets.ts'
import { folderFixture, type Harness, openHarness, tableFixture, type Who } from '../testing/harness.ts'
import { watchAggregate, watchKey } from '../watch/aggregate.ts'

let harness: Harness
beforeEach(async () => {
  harness = await openHarness()
  await harness.folder(folderFixture({ path: ['sales', 'in'] }))
  await harness.table(tableFixture({ assemblyId: 3, path: ['sales', 'in', 'orders.csv'] }))
  await harness.publish(internalTopics.assemblies, {
    revision: 0,
    assemblyId: 3,
    name: 'sales',
    autoAnomaly: false,
    isDeleted: false,
  })
  const tag = { kind: 'tag', revision: 0, tagId: 5, name: 'pii', protected: false, mergedIntoId: null }
  await harness.publish(internalTopics.tags, tag)
})
afterEach(() => harness.close())

const watch = (body: object, who?: Who) => harness.ask('POST', '/watches', who, body)
const rows = async (who?: Who) =>
  answerOf(operations.listNotifications, (await harness.ask('GET', '/notifications', who)).body).data
const facts = (assetId = 11) => harness.event('catalog.AssetFactsObserved', { assetId, uid: 'sales.in.orders.csv' })
const incident = (type: string) =>
  harness.event(`execution.${type}`, {
    ...{ incidentId: 8, policyId: 7, policyName: 'orders are clean', assetId: 11, assetUid: 'orders.csv' },
    ...{ status: 'OPEN', verdict: 'ERRORED', executionId: 8, count: 1 },
  })

describe('a watch', () => {
  it('given watches of the ancestors of an asset, when the asset or its column changes, then each watcher has one row', async () => {
    await harness.publish(internalTopics.tags, {
      ...{ kind: 'association', revision: 0, associationId: 1, tagId: 5, assetId: 11, tableId: 11, present: true },
    })
    await watch({ assetId: 50 }, { user: 'folder' })
    await watch({ assemblyId: 3 }, { user: 'assembly' })
    await watch({ tagId: 5 }, { user: 'tag' })
    await watch({ assetId: 11 }, { user: 'all' })
    await watch({ assemblyId: 3 }, { user: 'all' })
    await facts()
    await harness.event('catalog.AssetTagAdded', {
      assetId: 12,
      uid: 'sales.in.orders.csv.id',
      tagId: 5,
      tagName: 'pii',
    })
    for (const user of ['folder', 'assembly', 'tag', 'all'])
      expect([user, (await rows({ user })).map(({ kind }) => kind)]).toEqual([user, ['TAGS_CHANGED', 'ASSET_CHANGED']])
  })

  it.each(['Added', 'Removed'])(
    'given watches of a tag, when a tag was %s, then its watchers are notified, whatever the local read model has',
    async (change) => {
      await watch({ tagId: 5 }, { user: 'tag' })
      await watch({ search: { tag_ids: [5] } }, { user: 'search' })
      await watch({ search: { tag_ids: [6] } }, { user: 'other' })
      const data = { assetId: 11, uid: 'sales.in.orders.csv', tagId: 5, tagName: 'pii' }
      await harness.event(`catalog.AssetTag${change}`, data)
      const notified = async (user: string) => (await rows({ user })).map(({ kind }) => kind)
      expect(await notified('tag')).toEqual(['TAGS_CHANGED'])
      expect(await notified('search')).toEqual(['TAGS_CHANGED'])
      expect(await notified('other')).toEqual([])
    },
  )

  it('given a comparison, when it fails, then watchers of the right table, of its folder and of a search that finds it are notified once', async () => {
    await harness.folder(folderFixture({ assetId: 60, uid: 'copies', path: ['copies'] }))
    await harness.table(
      tableFixture({
        assetId: 21,
        uid: 'copies.c.csv',
        name: 'c.csv',
        assemblyId: 4,
        columns: [],
        path: ['copies', 'c.csv'],
      }),
    )
    const about = {
      policyId: 7,
      name: 'same',
      assetId: 11,
      rightAssetId: 21,
      tags: [],
      notificationChannels: null,
      passes: null,
    }
    await harness.documents.put([
      documentPut(notificationPolicies, 'default', 7, about, { revision: 0, position: '0' }),
    ])
    await watch({ assetId: 11 }, { user: 'left' })
    await watch({ assetId: 21 }, { user: 'right' })
    await watch({ assetId: 60 }, { user: 'folder' })
    await watch({ search: { name: 'c.csv' } }, { user: 'search' })
    for (const assetId of [11, 21]) await watch({ assetId }, { user: 'both' })
    await harness.event('execution.ExecutionFinished', {
      ...{
        executionId: 1,
        policyId: 7,
        policyName: 'same',
        policyType: 'EQUALITY',
        assetId: 11,
        assetUid: 'orders.csv',
      },
      ...{ resultStatus: 'ERRORED', error: null },
    })
    for (const user of ['left', 'right', 'folder', 'search', 'both'])
      expect([user, (await rows({ user })).map(({ kind }) => kind)]).toEqual([user, ['EXECUTION_ERRORED']])
  })

  it('given a user with 5,000 watches, then another one is refused, and those that exist can be repeated', async () => {
    const user = 'many'
    const rest = { policyId: null, assemblyId: null, tagId: null, search: null, kinds: null, minSeverity: null }
    const times = { since: '2026-11-20T10:00:00.000Z', updatedAt: '2026-11-20T10:00:00.000Z' }
    const puts = Array.from({ length: 5_000 }, (_, n) => {
      const state = {
        status: 'watching' as const,
        watch: { watchId: n + 1, assetId: n + 100, user, ...rest, ...times },
      }
      return watchAggregate.documents(
        state,
        { tenant: 'default', id: watchKey(user, n + 100) },
        { revision: 0, position: '0' },
      )
    })
    await harness.documents.put(puts.flat())
    const another = await watch({ assetId: 11 }, { user })
    expect([another.status, another.body.errors?.[0].message]).toEqual([422, expect.stringContaining('5000 watches')])
    expect((await harness.ask('POST', '/assets/11/watch', { user })).status).toBe(422)
    expect((await watch({ assetId: 11 }, { user: 'other' })).status).toBe(200)
    await harness.table(tableFixture({ assetId: 100, path: ['sales', 'in', 'old.csv'] }))
    expect((await watch({ assetId: 100, minSeverity: 'ERROR' }, { user })).status).toBe(200)
  })

  it('given watches of searches, then each event asks them, and only those that find its asset are notified', async () => {
    await harness.publish(internalTopics.assemblies, {
      ...{ revision: 1, assemblyId: 3, name: 'sales', autoAnomaly: false, isDeleted: false, sourceTypeId: 2 },
    })
    const searches = {
      name: { name: 'order' },
      typo: { name: 'ordres.csv' },
      all: { assembly_ids: [3], asset_type_ids: '11', source_type_ids: [2], parent_ids: [50] },
      above: { name: 'in', asset_type_ids: [9] },
      tag: { tag_ids: [5] },
      other: { name: 'people' },
      both: { name: 'order', assembly_ids: [4] },
    }
    for (const [user, search] of Object.entries(searches)) {
      const { status, body } = await watch({ search, kinds: ['ASSET_CHANGED'] }, { user })
      expect([user, status, body.errors]).toEqual([user, 200, undefined])
    }
    const { data } = (await harness.ask('GET', '/watches', { user: 'all' })).body
    const search = { assembly_ids: [3], asset_type_ids: [11], source_type_ids: [2], parent_ids: [50] }
    expect(data).toMatchObject([{ search, assetId: null, tagId: null }])
    const notified = async () => {
      const users = Object.keys(searches)
      const found = await Promise.all(users.map(async (user) => ((await rows({ user })).length > 0 ? user : [])))
      return found.flat()
    }
    await facts()
    expect(await notified()).toEqual(['name', 'typo', 'all', 'above'])
    await harness.publish(internalTopics.tags, {
      ...{ kind: 'association', revision: 0, associationId: 1, tagId: 5, assetId: 11, tableId: 11, present: true },
    })
    harness.clock.time += 1
    await facts()
    expect(await notified()).toContain('tag')
    // The same search again is the same watch.
    expect((await watch({ search: searches.name }, { user: 'name' })).body.data.id).toBe(
      (await harness.ask('GET', '/watches', { user: 'name' })).body.data[0].id,
    )
    for (const bad of [{}, { labels: 'a' }, { watched: false }, { name: '' }, { tag_ids: 'x' }])
      expect([bad, (await watch({ search: bad })).status]).toEqual([bad, 400])
    expect((await harness.ask('DELETE', `/watches/${data[0].id}`, { user: 'all' })).status).toBe(204)
  })

  it('given watches of searches, when an asset is found whose message has not arrived yet, then those that find it are notified', async () => {
    const searches = {
      name: { name: 'new' },
      all: { name: 'new', assembly_ids: [3], asset_type_ids: [11], source_type_ids: [2], parent_ids: [50] },
      above: { name: 'in', asset_type_ids: [9] },
      other: { name: 'new', asset_type_ids: [4] },
    }
    for (const [user, search] of Object.entries(searches)) await watch({ search }, { user })
    const file = { name: 'new0.csv', assetType: 'FILE', assetTypeId: 11, sourceTypeId: 2, assemblyName: 'sales' }
    await harness.event('catalog.AssetDiscovered', {
      ...{ assetId: 60, uid: 'sales.in.new0.csv', parentId: 50, assemblyId: 3, columns: [], ...file },
    })
    const kinds = async (user: string) => (await rows({ user })).map(({ kind }) => kind)
    for (const user of ['name', 'all', 'above']) expect([user, await kinds(user)]).toEqual([user, ['ASSET_CREATED']])
    expect(await kinds('other')).toEqual([])
  })

  it('given searches by labels and by what the user watches, then they follow changes of both', async () => {
    const labels = (revision: number, assetId: number, value: string) =>
      harness.publish(internalTopics.assetLabels, { revision, assetId, labels: [{ key: 'team', value }] })
    await labels(0, 50, 'crm')
    await watch({ search: { labels: 'team:crm,team:x' }, kinds: ['ASSET_CHANGED'] }, { user: 'above' })
    await watch({ search: { labels: ['team:shop'] }, kinds: ['ASSET_CHANGED'] }, { user: 'own' })
    const { body } = await watch(
      { search: { watched: true, name: 'order' }, kinds: ['ASSET_CHANGED'] },
      { user: 'mine' },
    )
    expect(body.data.search).toEqual({ watched: true, name: 'order' })
    const notified = async () => {
      const users = ['above', 'own', 'mine']
      return await Promise.all(
        users.map(async (user) => (await rows({ user })).filter(({ kind }) => kind === 'ASSET_CHANGED').length),
      )
    }
    await facts()
    expect(await notified()).toEqual([1, 0, 0])
    await labels(1, 50, 'other')
    await labels(0, 11, 'shop')
    // The watch of the asset itself sends nothing of this kind.
    await harness.ask('POST', '/assets/11/watch', { user: 'mine' }, { kinds: ['ASSET_DELETED'] })
    harness.clock.time += 1
    await facts()
    expect(await notified()).toEqual([1, 1, 1])
    await harness.ask('DELETE', '/assets/11/watch', { user: 'mine' })
    await facts()
    expect(await notified()).toEqual([1, 2, 1])
  })

  it('given a watched assembly, when an asset is found or a crawl fails, then there is a row', async () => {
    await watch({ assemblyId: 3 })
    await harness.event('catalog.AssetDiscovered', { assetId: 60, uid: 'sales.new.csv', parentId: null, assemblyId: 3 })
    await harness.event('catalog.CrawlFailed', { crawlId: 4, assemblyId: 3, reason: 'The folder is missing.' })
    expect(await rows()).toMatchObject([
      {
        ...{ kind: 'CRAWL_FAILED', severity: 'ERROR', assetId: null, text: 'The folder is missing.' },
        ...{ title: 'Crawl 4 of sales failed', link: '/catalog-server/api/crawls/4' },
      },
      { kind: 'ASSET_CREATED', assetId: 60 },
    ])
  })

  it('given a new folder that is not known yet, when a file is found in it, then watches of the folders above have a row', async () => {
    await harness.ask('POST', '/assets/50/watch')
    await harness.event('catalog.AssetDiscovered', {
      ...{ assetId: 60, uid: 'sales.in.a.b.new.csv', name: 'new.csv', path: ['sales', 'in', 'a', 'b', 'new.csv'] },
      ...{ parentId: 52, assemblyId: 3 },
    })
    expect(await rows()).toMatchObject([{ kind: 'ASSET_CREATED', assetId: 60 }])
  })

  it('given kinds or a severity, then only these pass, and incidents pass by name', async () => {
    await harness.ask('POST', '/assets/11/watch', { user: 'plain' })
    await harness.ask('POST', '/assets/11/watch', { user: 'severe' }, { minSeverity: 'WARNING' })
    await watch({ assemblyId: 3, kinds: ['INCIDENT_OPENED'] }, { user: 'incidents' })
    await facts()
    await incident('IncidentOpened')
    await incident('IncidentRecovered')
    expect((await rows({ user: 'plain' })).map(({ kind }) => kind)).toEqual(['ASSET_CHANGED'])
    expect(await rows({ user: 'severe' })).toEqual([])
    expect(await rows({ user: 'incidents' })).toMatchObject([
      {
        ...{ kind: 'INCIDENT_OPENED', severity: 'ERROR', link: '/catalog-server/api/incidents/8' },
        title: 'Incident 8 of orders are clean on orders.csv opened',
      },
    ])
  })

  it('given a watch, then it is listed, changed and ended by its id, and nobody else sees it', async () => {
    const { data } = answerOf(operations.createWatch, (await watch({ assemblyId: 3 })).body)
    expect(data).toMatchObject({ assetId: null, policyId: null, assemblyId: 3, tagId: null, kinds: null })
    expect((await watch({ assemblyId: 3 })).body.data).toEqual(data)
    const path = `/watches/${data.id}`
    const changed = await harness.ask('PUT', path, {}, { kinds: ['ASSET_DELETED'], minSeverity: 'WARNING' })
    expect(changed.body.data).toMatchObject({ id: data.id, kinds: ['ASSET_DELETED'], minSeverity: 'WARNING' })
    await facts()
    expect(await rows()).toEqual([])
    const listed = answerOf(operations.listWatches, (await harness.ask('GET', '/watches')).body).data
    expect(listed).toMatchObject([{ id: data.id, assemblyId: 3, asset: null, kinds: ['ASSET_DELETED'], unread: 0 }])
    for (const method of ['PUT', 'DELETE'])
      expect((await harness.ask(method, path, { user: 'bob' }, {})).status).toBe(404)
    expect((await harness.ask('DELETE', path)).status).toBe(204)
    expect((await harness.ask('DELETE', path)).status).toBe(404)
  })

  it('given something unknown, or no or two targets, then 404, 403 and 400', async () => {
    for (const body of [{ assemblyId: 4 }, { tagId: 6 }, { policyId: 7 }])
      expect([body, (await watch(body)).status]).toEqual([body, 404])
    expect((await watch({ assetId: 99 })).status).toBe(403)
    // Says the same of policies that do and do not exist.
    const blind = await watch({ policyId: 7 }, { permissions: permissions.filter((each) => each !== 'POLICY_VIEW') })
    expect([blind.status, blind.text.includes('lacks the permission POLICY_VIEW')]).toEqual([403, true])
    for (const body of [
      {},
      { assemblyId: 3, tagId: 5 },
      { assemblyId: 3, kinds: ['NO'] },
      { assemblyId: 3, kinds: [] },
    ])
      expect([body, (await watch(body)).status]).toEqual([body, 400])
  })

  it('given a kind that concerns one user, then no watch takes it', async () => {
    for (const kind of ['TEST', 'DIGEST', 'MENTIONED', 'CHANNEL_PAUSED'])
      for (const path of ['/watches', '/assets/11/watch'])
        expect(
          (await harness.ask('POST', path, {}, { ...(path === '/watches' && { assetId: 11 }), kinds: [kind] })).status,
        ).toBe(400)
  })

  it('given watches of each kind of thing, then the list names them, except what the key may not view', async () => {
    const policy = { policyId: 7, name: 'orders are clean', assetId: 11, rightAssetId: null, tags: [], passes: null }
    const source = { revision: 0, position: '0' }
    await harness.documents.put([
      documentPut(notificationPolicies, 'default', 7, { ...policy, notificationChannels: null }, source),
    ])
    const search = { name: 'orders', labels: ['team:sales', 'tier:1'] }
    for (const body of [{ assetId: 11 }, { policyId: 7 }, { assemblyId: 3 }, { tagId: 5 }, { search }])
      expect((await watch(body)).status).toBe(200)
    const names = async (who?: Who) =>
      (await harness.ask('GET', '/watches?sortBy=id:asc', who)).body.data.map(({ name }: { name: string }) => name)
    const searched = 'name: orders; labels: team:sales, tier:1'
    expect(await names()).toEqual(['orders.csv', 'orders are clean', 'sales', 'pii', searched])
    const some = ['ASSET_VIEW', 'NOTIFICATION_VIEW'] as const
    expect(await names({ permissions: some })).toEqual(['orders.csv', null, 'sales', null, searched])
  })
})
