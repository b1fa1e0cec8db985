import { type AssetWatch, notificationOperations as operations } from '@assay/contracts'
import { type Documents, findPage } from '@assay/documents'
import { type Route, route } from '@assay/service-kit'
import { watchedAssets } from '../copies/watched.ts'
import { readTimesOf } from '../inbox/read-times.ts'
import { watches, watchKeyOf } from '../watch/aggregate.ts'
import { targetOf } from '../watch/watch.ts'
import { activityOfWatches } from './activity-of-watches.ts'
import { watchRecord } from './watch-record.ts'
import { watchedNames } from './watched-names.ts'

const fieldOf = { id: 'watchId', assetId: 'assetId', createdAt: 'since' } as const

function isField(field: string): field is keyof typeof fieldOf {
  return Object.hasOwn(fieldOf, field)
}

/** The watches of the key's owner. */
export function watchListing({ documents }: { documents: Documents }): Route[] {
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
      const { readTimes } = await readTimesOf(documents, call.identity)
      const until = readTimes.at(-1)?.until
      const [assets, nameOf, activity] = await Promise.all([
        watchedAssets(
          documents,
          tenant,
          found.documents.flatMap(({ assetId }) => assetId ?? []),
        ),
        watchedNames(documents, call.identity, found.documents),
        activityOfWatches(documents, { tenant, user }, found.documents, until),
      ])
      const data: AssetWatch[] = found.documents.map((watch) => {
        const asset = watch.assetId === null ? null : (assets.get(watch.assetId) ?? null)
        const counts = activity.get(watchKeyOf(user, targetOf(watch))) ?? { unread: 0, lastHappenedAt: null }
        return { ...watchRecord(watch), name: asset?.name ?? nameOf(watch), asset, ...counts }
      })
      return { body: { data, meta: { count: found.count, page, size } } }
    }),
  ]
}
