import { notificationOperations as operations, publicTopics } from '@assay/contracts'
import { rebuild } from '@assay/event-store'
import { answerOf } from '@assay/hosting/testing'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { inboxKey } from './inbox/aggregate.ts'
import { notifications } from './notification/aggregate.ts'
import { notificationAggregates } from './service.ts'
import { folderFixture, type Harness, openHarness, tableFixture, type Who } from './testing/harness.ts'
import { watches } from './watch/aggregate.ts'

const other = tableFixture({ assetId: 21, uid: 'sales.people.csv', columns: [] })

let harness: Harness
beforeEach(async () => {
  harness = await openHarness()
  await harness.table(tableFixture())
  await harness.table(other)
})
afterEach(() => harness.close())

const watch = async (id: number, who?: Who) =>
  answerOf(operations.watchAsset, (await harness.ask('POST', `/assets/${id}/watch`, who)).body).data
const list = async (query = '', who?: Who) =>
  answerOf(operations.listNotifications, (await harness.ask('GET', `/notifications${query}`, who)).body)
const kinds = async (who?: Who) => (await list('', who)).data.map(({ kind }) => kind)
const facts = (changes?: { id?: string; tenant?: string; time?: number }, assetId = 11) =>
  harness.event('catalog.AssetFactsObserved', { assetId, uid: 'sales.orders.csv' }, changes)
const run = (resultStatus: string, error: string | null = null) =>
  harness.event(error === null ? 'execution.ExecutionFinished' : 'execution.ExecutionFailed', {
    executionId: 5,
    policyId: 7,
    policyName: 'orders are sound',
    assetId: 11,
    assetUid: 'sales.orders.csv',
    policyType: 'DATA_QUALITY',
    resultStatus,
    error,
  })

describe('watching', () => {
  it('given a watch, when it is requested again by id or by UID, then the same watch is returned, with exactly five keys', async () => {
    const first = await watch(11)
    expect(Object.keys(first).sort()).toEqual(['assetId', 'createdAt', 'id', 'updatedAt', 'userId'])
    expect(first).toMatchObject({ assetId: 11, userId: 'ann', createdAt: '2026-11-20T10:00:00.000Z' })
    harness.clock.time += 1000
    expect(await watch(11)).toEqual(first)
    expect((await harness.ask('POST', '/assets/byUid/sales.orders.csv/watch')).body.data).toEqual(first)
    expect((await watch(11, { user: 'bob' })).id).not.toBe(first.id)
  })

  it('given many concurrent requests, then there is one watch', async () => {
    const made = await Promise.all(Array.from({ length: 20 }, () => watch(11)))
    expect(new Set(made.map(({ id }) => id)).size).toBe(1)
  })

  it('given a folder published by the catalog, then it can be watched, and its watchers are notified', async () => {
    expect((await harness.ask('POST', '/assets/50/watch')).status).toBe(403)
    await harness.folder(folderFixture())
    expect(await watch(50)).toMatchObject({ assetId: 50 })
    expect((await harness.ask('DELETE', '/assets/byUid/sales.in/watch')).status).toBe(204)
    await watch(50)
    await harness.event('catalog.AssetVanished', { assetId: 50, uid: 'sales.in' })
    expect(await kinds()).toEqual(['ASSET_DELETED'])
    expect((await harness.ask('POST', '/assets/50/watch', { tenant: 'other' })).status).toBe(403)
  })

  it('given a watch ends, then 204; when it ends again, then 404; when it begins again, then it has its old id', async () => {
    const { id } = await watch(11)
    expect(await harness.ask('DELETE', '/assets/11/watch')).toMatchObject({ status: 204, text: '' })
    for (const path of ['/assets/11/watch', '/assets/byUid/sales.orders.csv/watch'])
      expect((await harness.ask('DELETE', path)).status).toBe(404)
    expect((await harness.ask('DELETE', '/assets/21/watch')).status).toBe(404)
    expect((await watch(11)).id).toBe(id)
  })

  it.each([
    ['sales.orders.csv.id', 12],
    ['sales.orders.csv.a_b', 13],
    ['sales.orders.csv.a_b~2', 14],
    ['sales.orders.csv~2', 31],
    ['sales.orders.csv.id~2', 32],
    ['sales.orders.csv.id~3', 42],
  ])('given the UID %s, when it is watched, then the watch is of the asset %i', async (uid, assetId) => {
    const { columns } = tableFixture()
    const numbered = { id: 14, uid: 'sales.orders.csv.a_b~2', name: 'a?b', dataType: 'VARCHAR' }
    await harness.table(tableFixture({ revision: 1, columns: [...columns, numbered] }))
    for (const [id, n] of [
      [31, 2],
      [41, 3],
    ] as const) {
      const column = { id: id + 1, uid: `sales.orders.csv.id~${n}`, name: 'id', dataType: 'BIGINT' }
      await harness.table(tableFixture({ assetId: id, uid: `sales.orders.csv~${n}`, columns: [column] }))
    }
    const answer = await harness.ask('POST', `/assets/byUid/${uid}/watch`)
    expect(answer.body).toMatchObject({ data: { assetId } })
    expect((await watch(assetId)).assetId).toBe(assetId)
  })
})

describe('notifications of watchers', () => {
  it('given a message that arrives twice, then there is one notification', async () => {
    await watch(11)
    await facts({ id: 'e1' })
    await facts({ id: 'e1' })
    const { data, meta } = await list()
    expect(data).toMatchObject([{ id: 1, kind: 'ASSET_CHANGED', assetId: 11, count: 1, readAt: null }])
    expect(meta.count).toBe(1)
  })

  it('given two deliveries at the same time, then there is one notification', async () => {
    await watch(11)
    await Promise.all([facts({ id: 'e1' }), facts({ id: 'e1' })])
    expect(await kinds()).toEqual(['ASSET_CHANGED'])
  })

  it.each([
    ['WARNING', null, ['EXECUTION_WARNING']],
    ['ERRORED', null, ['EXECUTION_ERRORED']],
    ['ERRORED', 'The source is gone.', ['EXECUTION_FAILED']],
    ['SUCCESSFUL', null, []],
  ])(
    'given a run %s with the error %s, then watchers of its table have %j and others nothing',
    async (status, error, expected) => {
      await watch(11)
      await watch(11, { user: 'bob' })
      await watch(21, { user: 'eve' })
      await run(status, error)
      expect(await kinds()).toEqual(expected)
      expect(await kinds({ user: 'bob' })).toEqual(expected)
      expect(await kinds({ user: 'eve' })).toEqual([])
    },
  )

  it('given alarms and successful runs, then there is one notification of the recovery, for those who were notified of the alarm', async () => {
    await watch(11)
    await run('SUCCESSFUL')
    await run('ERRORED')
    await watch(11, { user: 'bob' })
    await run('SUCCESSFUL')
    await run('SUCCESSFUL')
    expect((await list('?sortBy=id:asc')).data.map(({ kind, severity }) => [kind, severity])).toEqual([
      ['EXECUTION_ERRORED', 'ERROR'],
      ['EXECUTION_RECOVERED', 'INFO'],
    ])
    expect(await kinds({ user: 'bob' })).toEqual([])
  })

  it('given the filters of the list, then rows and count follow them, and unknown kinds get 400', async () => {
    await watch(11)
    await run('ERRORED')
    harness.clock.time += 1000
    await facts()
    const kindsOf = async (query: string) => {
      const { data, meta } = await list(query)
      expect(meta.count).toBe(data.length)
      return data.map(({ kind }) => kind)
    }
    expect(await kindsOf('?kind=EXECUTION_ERRORED,TAGS_CHANGED')).toEqual(['EXECUTION_ERRORED'])
    expect(await kindsOf('?minSeverity=WARNING')).toEqual(['EXECUTION_ERRORED'])
    expect(await kindsOf('?assetId=11')).toEqual(['ASSET_CHANGED', 'EXECUTION_ERRORED'])
    expect(await kindsOf('?assetId=12')).toEqual([])
    expect(await kindsOf('?policyId=7')).toEqual(['EXECUTION_ERRORED'])
    expect(await kindsOf('?since=2026-11-20T10:00:00.500Z')).toEqual(['ASSET_CHANGED'])
    for (const query of ['kind=NO', 'minSeverity=LOW', 'since=never', 'assetId=x'])
      expect((await harness.ask('GET', `/notifications?${query}`)).status).toBe(400)
  })

  it('given all was read, when one is marked as unread, then it alone is unread', async () => {
    await watch(11)
    await facts()
    await facts()
    harness.clock.time += 1000
    await harness.ask('PUT', '/notifications/read-all')
    harness.clock.time += 1000
    expect((await harness.ask('PUT', '/notifications/2/unread')).status).toBe(204)
    expect((await list('?unread=true')).data).toMatchObject([{ id: 2, readAt: null }])
    expect((await list('?unread=false')).data.map(({ id }) => id)).toEqual([1])
    expect((await harness.ask('PUT', '/notifications/2/unread', { user: 'bob' })).status).toBe(404)
  })

  it('given events of a policy, then watchers of its assets get one notification per event', async () => {
    await watch(11)
    await watch(21, { user: 'bob' })
    await watch(12, { user: 'eve' })
    const policy = { policyId: 7, policyName: 'same', assetId: 11, assetUid: 'a', rightAssetId: 21, rightAssetUid: 'b' }
    const publish = (type: string, id: string) =>
      harness.event(`policy.${type}`, { ...policy, actor: 'ann', changes: { before: null, after: {} } }, { id })
    await publish('PolicyCreated', 'p1')
    await publish('PolicyCreated', 'p1')
    await Promise.all([publish('PolicyDisabled', 'p2'), publish('PolicyDisabled', 'p2')])
    await publish('PolicyArchived', 'p3')
    await publish('PolicyStorageFollowed', 'p4')
    const { data } = await list('?sortBy=id:asc')
    expect(data).toMatchObject([
      {
        kind: 'POLICY_CREATED',
        assetId: 11,
        policyId: 7,
        title: "Policy 'same' on a was created",
        link: '/catalog-server/api/rules/7',
      },
      { kind: 'POLICY_CHANGED', assetId: 11, policyId: 7, title: "Policy 'same' on a was disabled" },
      { kind: 'POLICY_ARCHIVED', assetId: 11, policyId: 7, title: "Policy 'same' on a was archived" },
    ])
    expect((await list('', { user: 'bob' })).data.map(({ assetId }) => assetId)).toEqual([21, 21, 21])
    expect(await kinds({ user: 'eve' })).toEqual([])
    expect(harness.bus.outcomes.filter(({ kind }) => kind === 'park')).toEqual([])
  })

  it('given a watched folder, when an asset is found in it, then there is one notification, with the id of the new asset', async () => {
    await harness.folder(folderFixture())
    await watch(50)
    const found = { assetId: 60, uid: 'sales.in.new.csv', assetType: 'FILE', parentId: 50 }
    await harness.event('catalog.AssetDiscovered', found, { id: 'd1' })
    await harness.event('catalog.AssetDiscovered', found, { id: 'd1' })
    await harness.event('catalog.AssetDiscovered', { ...found, assetId: 61, parentId: 51 })
    await harness.event('catalog.AssetDiscovered', { ...found, assetId: 62, parentId: null })
    expect((await list()).data).toMatchObject([
      { kind: 'ASSET_CREATED', assetId: 60, link: '/catalog-server/api/assets/60', title: 'sales.in.new.csv is new' },
    ])
  })

  it('given changed columns, then watchers of the table get one notification, and so do watchers of a changed column', async () => {
    await watch(11)
    await watch(12, { user: 'bob' })
    await watch(13, { user: 'eve' })
    const data = { assetId: 11, uid: 'sales.orders.csv', added: [], returned: [], changed: [{ id: 12 }], removed: [] }
    await harness.event('catalog.AssetSchemaChanged', data)
    expect([await kinds(), await kinds({ user: 'bob' }), await kinds({ user: 'eve' })]).toEqual([
      ['SCHEMA_CHANGED'],
      ['SCHEMA_CHANGED'],
      [],
    ])
  })

  it('given events before the watch or after its end, then there is no notification', async () => {
    const before = harness.clock.time - 1
    await watch(11)
    await facts({ time: before })
    expect(await kinds()).toEqual([])
    await harness.ask('DELETE', '/assets/11/watch')
    await facts()
    expect(await kinds()).toEqual([])
  })

  it('given another tenant, then its events and users do not affect this one', async () => {
    await harness.table(tableFixture(), 'other')
    await watch(11)
    await watch(11, { tenant: 'other' })
    await facts({ tenant: 'other' })
    expect(await kinds()).toEqual([])
    expect(await kinds({ tenant: 'other' })).toEqual(['ASSET_CHANGED'])
    const { data } = await list('', { tenant: 'other' })
    expect((await harness.ask('PUT', `/notifications/${data[0]?.id}/read`)).status).toBe(404)
    await harness.ask('PUT', '/notifications/read-all')
    expect((await list('?unread=true', { tenant: 'other' })).meta.count).toBe(1)
  })

  it('given a message that is not an event, then it is parked and the next one is handled', async () => {
    await watch(11)
    await harness.event('catalog.AssetVanished', {})
    expect(harness.bus.outcomes.filter(({ kind }) => kind === 'park')).toHaveLength(1)
    await facts()
    expect(await kinds()).toEqual(['ASSET_CHANGED'])
  })
})

describe('reading', () => {
  async function notified(count: number) {
    await watch(11)
    for (let n = 0; n < count; n += 1) {
      harness.clock.time += 1000
      await facts()
    }
  }

  it('given five notifications, then they are listed in pages, newest first or in the requested order', async () => {
    await notified(5)
    const ids = async (query: string) => (await list(query)).data.map(({ id }) => id)
    expect(await ids('')).toEqual([5, 4, 3, 2, 1])
    expect(await list('?page=1&size=2')).toMatchObject({
      data: [{ id: 3 }, { id: 2 }],
      meta: { count: 5, page: 1, size: 2 },
    })
    expect(await ids('?size=2&page=2')).toEqual([1])
    expect(await ids('?sortBy=createdAt:asc&size=2')).toEqual([1, 2])
    expect(await list('?size=0')).toMatchObject({ data: [], meta: { count: 5 } })
  })

  it('given a notification, when it is read twice, then it keeps the first time, and the filter finds it', async () => {
    await notified(3)
    expect(await harness.ask('PUT', '/notifications/2/read')).toMatchObject({ status: 204 })
    const first = (await list('?unread=false')).data
    harness.clock.time += 1000
    expect((await harness.ask('PUT', '/notifications/2/read')).status).toBe(204)
    expect((await list('?unread=false')).data).toEqual(first)
    expect(first).toMatchObject([{ id: 2, readAt: '2026-11-20T10:00:03.000Z' }])
    expect((await list('?unread=true')).data.map(({ id }) => id)).toEqual([3, 1])
  })

  it('given a notification of another user, or a missing one, then 404', async () => {
    await notified(1)
    expect((await harness.ask('PUT', '/notifications/1/read', { user: 'bob' })).status).toBe(404)
    expect((await harness.ask('PUT', '/notifications/77/read')).status).toBe(404)
  })

  it('given more notifications than a page, when a user marks all as read, then only their own are', async () => {
    await watch(11, { user: 'bob' })
    await notified(120)
    expect((await harness.ask('PUT', '/notifications/read-all')).status).toBe(204)
    expect((await list('?unread=true&size=0')).meta.count).toBe(0)
    expect((await list('?unread=true&size=0', { user: 'bob' })).meta.count).toBe(120)
    expect((await harness.ask('PUT', '/notifications/read-all')).status).toBe(204)
  })

  it('given all are marked as read, then this takes one event, and later notifications are unread', async () => {
    await notified(3)
    await harness.ask('PUT', '/notifications/1/read')
    harness.clock.time += 1000
    await harness.ask('PUT', '/notifications/read-all')
    const readAt = '2026-11-20T10:00:04.000Z'
    expect((await list()).data.map((each) => each.readAt)).toEqual([readAt, readAt, '2026-11-20T10:00:03.000Z'])
    await notified(3)
    await harness.ask('PUT', '/notifications/5/read')
    const ids = async (query: string) => (await list(query)).data.map(({ id }) => id)
    expect(await ids('?unread=true')).toEqual([6, 4])
    expect(await ids('?unread=false')).toEqual([5, 3, 2, 1])
    expect(await ids('?unread=false&sortBy=createdAt:asc')).toEqual([1, 2, 3, 5])
    expect(await ids('?unread=false&size=3&page=1')).toEqual([1])
    expect((await list('?unread=false&size=0')).meta.count).toBe(4)
    harness.clock.time += 1000
    expect((await harness.ask('PUT', '/notifications/2/read')).status).toBe(204)
    await harness.ask('PUT', '/notifications/read-all')
    await harness.ask('PUT', '/notifications/read-all')
    expect((await list('?unread=false&size=3&page=1')).data.map((each) => each.readAt)).toEqual([
      readAt,
      readAt,
      '2026-11-20T10:00:03.000Z',
    ])
    const { events } = await harness.store.read(`default/inbox-${inboxKey('ann')}`)
    expect(events.map(({ type }) => type)).toEqual(['NotificationsRead', 'NotificationsRead'])
  })
})

describe('the log', () => {
  it('given all kinds of events, when the documents are rebuilt, then they are equal', async () => {
    await watch(11)
    await watch(21)
    await watch(12, { user: 'bob' })
    await harness.ask('DELETE', '/assets/21/watch')
    await facts()
    await run('WARNING')
    await harness.ask('PUT', '/notifications/1/read')
    const all = async () => {
      const texts: string[] = []
      for await (const stored of harness.documents.scan(watches)) texts.push(JSON.stringify(stored))
      for await (const stored of harness.documents.scan(notifications)) texts.push(JSON.stringify(stored))
      return texts
    }
    const before = await all()
    const target = harness.documents.rebuildTarget()
    const collections = [watches, notifications]
    await rebuild({ store: harness.store, aggregates: notificationAggregates, collections, target })
    expect(before).toHaveLength(4)
    expect(await all()).toEqual(before)
  })

  it('given a watch and its notifications, then the watch and the notifications are published', async () => {
    await watch(11)
    await facts()
    const types = () =>
      harness.bus.published
        .filter(({ topic }) => topic === publicTopics.notifications)
        .map(({ message: { type } }) => type)
    await vi.waitFor(() =>
      expect(types()).toEqual(['io.assay.notification.AssetWatched', 'io.assay.notification.NotificationAdded']),
    )
  })
})
