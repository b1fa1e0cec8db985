import { type Documents, documentPut } from '@assay/documents'
import type { CommandHandler } from '@assay/event-store'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createChannelsFor } from '../routing/channels-for.ts'
import { createWatchers } from '../routing/watchers.ts'
import { type Harness, openHarness } from '../testing/harness.ts'
import { watches, watchKey } from '../watch/aggregate.ts'
import { createNotifyWatchers } from './notify-watchers.ts'
import type { NotificationTrigger } from './trigger.ts'

let harness: Harness
beforeEach(async () => {
  harness = await openHarness()
})
afterEach(() => harness.close())

const since = '2026-11-20T10:00:00.000Z'
const watchOf = (user: string) => ({
  ...{ watchId: 1, assetId: 11, policyId: null, assemblyId: null, tagId: null, search: null, user },
  ...{ since, updatedAt: since, kinds: null, minSeverity: null },
})
const put = (user: string, revision: number, isWatching = true) =>
  documentPut(watches, 't', watchKey(user, 11), isWatching ? watchOf(user) : null, {
    revision,
    position: String(revision),
  })
const trigger: NotificationTrigger = {
  eventId: '018f0000-0000-7000-8000-000000000000',
  contents: [
    { kind: 'ASSET_CHANGED', assetId: 11, policyId: null, executionId: null, title: '', text: '', link: '', at: since },
  ],
}

describe('notifying the watchers of an asset', () => {
  it('given more watchers than a page, when one of them leaves during the read, then all others are notified once', async () => {
    const users = Array.from({ length: 1_203 }, (_, n) => `user-${n}`)
    await harness.documents.put(users.map((user) => put(user, 0)))
    const contents: string[] = []
    let pages = 0
    const find: Documents['find'] = async (collection, tenant, query) => {
      const found = await harness.documents.find(collection, tenant, query)
      if (collection.name !== watches.name || query.size !== 500) return found
      pages += 1
      // The first query only finds out that there are many.
      if (pages === 1) return found
      // The first watcher leaves before the second page is read.
      const first = users.toSorted((a, b) => (watchKey(a, 11) < watchKey(b, 11) ? -1 : 1))[pages - 2] ?? ''
      await harness.documents.put([put(first, 1, false)])
      return found
    }
    const documents = { ...harness.documents, find }
    const repeats = { isAlarmed: async () => true }
    const notify = createNotifyWatchers({
      commands: {} as CommandHandler,
      documents,
      watchersOf: createWatchers({ documents, repeats }),
      channelsFor: createChannelsFor({ documents, repeats }),
      notify: async (_, recipients) => void contents.push(...recipients.map(({ recipient }) => recipient)),
      mentionedUsers: async () => ({ mentioned: [], answered: [] }),
      clock: harness.clock,
    })
    await notify('t', trigger)
    expect(contents.toSorted()).toEqual(users.toSorted())
    // After the first query: three of the asset's watches, and one of searches.
    expect(pages).toBe(5)
  })
})
