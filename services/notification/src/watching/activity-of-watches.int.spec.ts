import { type Documents, documentPut } from '@assay/documents'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { watchedAssets } from '../copies/watched.ts'
import { notificationKey, notifications } from '../notification/aggregate.ts'
import type { StoredNotification } from '../notification/notification.ts'
import { type Harness, openHarness, tableFixture } from '../testing/harness.ts'
import { watchKey } from '../watch/aggregate.ts'
import type { Watch } from '../watch/watch.ts'
import { activityOfWatches } from './activity-of-watches.ts'

let harness: Harness
beforeEach(async () => {
  harness = await openHarness()
})
afterEach(() => harness.close())

const who = { tenant: 't', user: 'ann' }
const timeOf = (second: number) => new Date(Date.UTC(2026, 0, 1) + second * 1000).toISOString()
const watchOf = (assetId: number): Watch => ({
  ...{ watchId: assetId, assetId, policyId: null, assemblyId: null, tagId: null, search: null, user: who.user },
  ...{ since: timeOf(0), updatedAt: timeOf(0), kinds: null, minSeverity: null },
})
const keyOf = (assetId: number) => watchKey(who.user, assetId)

/**
 * `count` notifications of ann's over 60 assets: every third was read, and the order of events differs from that of
 * notifications.
 */
async function notify(count: number): Promise<void> {
  const puts = Array.from({ length: count }, (_, n) => {
    const [assetId, eventId] = [n % 60, `018f0000-0000-7000-8000-${String(n).padStart(12, '0')}`]
    const key = notificationKey({ eventId, assetId, recipient: who.user, channel: 'in-app' })
    const notification: StoredNotification = {
      ...{
        key,
        assetId,
        watchedId: assetId,
        notificationId: n,
        recipient: who.user,
        kind: 'ASSET_CHANGED',
        severity: 'INFO',
      },
      ...{ about: 'asset', partOf: null, heldBy: null, collects: null, count: 1, parts: 0 },
      ...{ watch: null, policyId: null, executionId: null, title: '', text: '', link: '' },
      ...{
        at: timeOf(5_000 - n),
        createdAt: timeOf(n),
        freshAt: timeOf(n),
        readAt: n % 3 === 0 ? timeOf(9_000) : null,
      },
    }
    return documentPut(notifications, who.tenant, key, notification, { revision: 0, position: String(n) })
  })
  await harness.documents.put(puts)
}

/** The documents, with a counter of queries. */
function counted(): { documents: Documents; finds(): number } {
  let finds = 0
  const find: Documents['find'] = (...asked) => {
    finds += 1
    return harness.documents.find(...asked)
  }
  return { documents: { ...harness.documents, find }, finds: () => finds }
}

describe('the activity of a page of watches', () => {
  it.each([undefined, timeOf(100)])(
    'given all was marked as read until %s, then the batch equals the single look-ups',
    async (until) => {
      await notify(170)
      const watches = Array.from({ length: 62 }, (_, assetId) => watchOf(assetId))
      const activity = await activityOfWatches(harness.documents, who, watches, until)
      for (const watch of watches) {
        const alone = await activityOfWatches(harness.documents, who, [watch], until)
        const key = keyOf(watch.watchId)
        expect([key, activity.get(key)]).toEqual([key, alone.get(key)])
      }
      expect(activity.get(keyOf(61))).toEqual({ unread: 0, lastHappenedAt: null })
      expect([...activity.values()].reduce((sum, { unread }) => sum + unread, 0)).toBe(until === undefined ? 113 : 46)
    },
  )

  it('given a page of 500 watches, then few notifications take a few queries, and many take one for each watch', async () => {
    const watches = Array.from({ length: 500 }, (_, assetId) => watchOf(assetId))
    await notify(900)
    const some = counted()
    await activityOfWatches(some.documents, who, watches, undefined)
    expect(some.finds()).toBe(2)
    await notify(1_100)
    const many = counted()
    const activity = await activityOfWatches(many.documents, who, watches, undefined)
    expect(many.finds()).toBe(503)
    expect(activity.get(keyOf(0))).toEqual({ unread: 0, lastHappenedAt: timeOf(5_000) })
    expect(activity.get(keyOf(1))).toEqual({ unread: 19, lastHappenedAt: timeOf(4_999) })
  })
})

describe('the assets of a page of watches', () => {
  it('given 500 columns of 20 tables, then few queries find them', async () => {
    for (let table = 0; table < 20; table++) {
      const assetId = 10_000 + table * 30
      const columns = Array.from({ length: 25 }, (_, at) => ({
        ...{ id: assetId + 1 + at, uid: `${assetId}.${at}`, name: `c${at}`, dataType: 'BIGINT' },
      }))
      await harness.table(tableFixture({ assetId, uid: String(assetId), columns }), who.tenant)
    }
    const ids = Array.from({ length: 20 }, (_, table) =>
      Array.from({ length: 25 }, (_, at) => 10_001 + table * 30 + at),
    )
    const { documents, finds } = counted()
    const found = await watchedAssets(documents, who.tenant, [...ids.flat(), 5])
    expect(found.size).toBe(500)
    expect(found.get(10_031)).toMatchObject({ id: 10_031, uid: '10030.0', name: 'c0' })
    expect(finds()).toBeLessThan(30)
  })
})
