import { setImmediate } from 'node:timers/promises'
import { type AssetWatch, notificationOperations as operations } from '@assay/contracts'
import { type Condition, type Documents, findPage } from '@assay/documents'
import { type Route, route } from '@assay/service-kit'
import { watchedAssets } from '../copies/watched.ts'
import { marksOf } from '../inbox/marks.ts'
import { notifications } from '../notification/aggregate.ts'
import { watches, watchKey } from '../watch/aggregate.ts'
import type { Watch } from '../watch/watch.ts'
import { watchRecord } from './watch-record.ts'

/** Watches whose notifications are looked at together: a page has up to 500. */
const atOnce = 10
const fieldOf = { id: 'watchId', assetId: 'assetId', createdAt: 'since' } as const

function isField(field: string): field is keyof typeof fieldOf {
  return Object.hasOwn(fieldOf, field)
}

/** What the key's owner watches; nobody else's watches are there. */
export function watchListing({ documents }: { documents: Documents }): Route[] {
  /** How many notifications a watch brought that were not read, and when the last of all happened. `until`: all were read then. */
  async function newsOf(tenant: string, { user, assetId }: Watch, until: string | undefined) {
    const key = watchKey(user, assetId)
    // No time is between one and the same text with a character more; every time is before a tilde.
    const unread: Condition = {
      field: 'unreadNews',
      from: until === undefined ? key : `${key} ${until}0`,
      to: `${key} ~`,
    }
    const [{ count }, last] = await Promise.all([
      documents.find(notifications, tenant, { where: [unread], size: 0 }),
      documents.find(notifications, tenant, {
        where: [{ field: 'news', prefix: `${key} ` }],
        sort: [{ field: 'news', direction: 'desc' }],
        size: 1,
      }),
    ])
    return { unread: count, lastHappenedAt: last.documents[0]?.at ?? null }
  }

  return [
    route(operations.listWatches, async (call) => {
      const { tenant, user } = call.identity
      const { page, size, sortBy } = call.query
      const field = sortBy !== undefined && isField(sortBy.field) ? fieldOf[sortBy.field] : fieldOf.createdAt
      const direction = sortBy?.direction ?? 'desc'
      const found = await findPage(documents, call, watches, {
        tenant,
        where: [{ field: 'user', is: user }],
        sort: [
          { field, direction },
          { field: fieldOf.id, direction },
        ],
        page,
        size,
      })
      const { marks } = await marksOf(documents, call.identity)
      const until = marks.at(-1)?.until
      const data: AssetWatch[] = []
      for (let from = 0; from < found.documents.length; from += atOnce) {
        const some = found.documents.slice(from, from + atOnce)
        const ids = some.map(({ assetId }) => assetId)
        const assets = await watchedAssets(documents, tenant, ids)
        const rows = some.map(async (watch) => ({
          ...watchRecord(watch),
          asset: assets.get(watch.assetId) ?? null,
          ...(await newsOf(tenant, watch, until)),
        }))
        data.push(...(await Promise.all(rows)))
        // A store in this process gives nobody else a turn.
        await setImmediate()
      }
      return { body: { data, meta: { count: found.count, page, size } } }
    }),
  ]
}
