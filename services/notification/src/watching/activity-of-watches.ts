import { setImmediate } from 'node:timers/promises'
import type { Condition, Documents } from '@assay/documents'
import { causeOf, notifications, placeOf } from '../notification/aggregate.ts'
import type { StoredNotification } from '../notification/notification.ts'
import { watchKeyOf } from '../watch/aggregate.ts'
import { targetOf, type Watch } from '../watch/watch.ts'

/** The number of unread notifications of a watch, and when the latest of all happened (ISO 8601 UTC). */
export interface WatchActivity {
  unread: number
  lastHappenedAt: string | null
}

/** Maximum number of notifications to read in one query, per watch and in all, instead of two queries per watch. */
const few = { ofWatch: 20, inAll: 1_000 }
/** Maximum number of watches looked up concurrently. */
const atOnce = 10

/**
 * The activity of one user's watches, by the id of the watch. `until`: all created until then counts as read. If the user has few
 * notifications, or few unread ones, one query reads them; otherwise each watch costs one index look-up.
 */
export async function activityOfWatches(
  documents: Documents,
  { tenant, user }: { tenant: string; user: string },
  watches: readonly Watch[],
  until: string | undefined,
): Promise<ReadonlyMap<string, WatchActivity>> {
  const most = Math.min(few.inAll, few.ofWatch * watches.length)

  /** All notifications that match, if they are few. */
  async function allOf(where: readonly Condition[]): Promise<StoredNotification[] | undefined> {
    const { count } = await documents.find(notifications, tenant, { where, size: 0 })
    if (count === 0) return []
    if (count > most) return undefined
    const found = await documents.find(notifications, tenant, { where, size: most })
    return found.count > most ? undefined : found.documents
  }

  async function unreadOf(key: string): Promise<number> {
    // No text sorts between a time and the same time with one more character; every time sorts before a tilde.
    const from = until === undefined ? key : `${key} ${until}0`
    const where = [{ field: 'unreadWatchActivity', from, to: `${key} ~` }]
    return (await documents.find(notifications, tenant, { where, size: 0 })).count
  }

  async function lastOf(key: string): Promise<string | null> {
    const where = [{ field: 'watchActivity', prefix: `${key} ` }]
    const sort = [{ field: 'watchActivity', direction: 'desc' as const }]
    return (await documents.find(notifications, tenant, { where, sort, size: 1 })).documents[0]?.at ?? null
  }

  if (watches.length === 0) return new Map()
  const ofUser = { field: 'recipient', is: user }
  const all = await allOf([ofUser])
  const later = until === undefined ? [] : [{ field: 'freshAt', from: `${until}0` }]
  const unread =
    all?.filter(
      (stored) =>
        placeOf(stored) === 'list' && stored.readAt === null && (until === undefined || stored.freshAt > until),
    ) ?? (await allOf([ofUser, { field: 'place', is: 'list' }, { field: 'unread', is: true }, ...later]))
  const counts = unread && countsOf(unread)
  const lasts = all && lastsOf(all)
  const activity = new Map<string, WatchActivity>()
  for (let from = 0; from < watches.length; from += atOnce) {
    const some = watches.slice(from, from + atOnce).map(async (watch) => {
      const key = watchKeyOf(user, targetOf(watch))
      const [count, lastHappenedAt] = await Promise.all([
        counts === undefined ? unreadOf(key) : (counts.get(key) ?? 0),
        lasts === undefined ? lastOf(key) : (lasts.get(key) ?? null),
      ])
      activity.set(key, { unread: count, lastHappenedAt })
    })
    await Promise.all(some)
    // An in-process store never yields to the event loop.
    if (lasts === undefined) await setImmediate()
  }
  return activity
}

function countsOf(unread: readonly StoredNotification[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  for (const stored of unread) {
    const cause = causeOf(stored)
    if (cause !== null) counts.set(cause, (counts.get(cause) ?? 0) + 1)
  }
  return counts
}

function lastsOf(all: readonly StoredNotification[]): ReadonlyMap<string, string> {
  const lasts = new Map<string, string>()
  for (const stored of all) {
    const cause = causeOf(stored)
    if (cause === null) continue
    const known = lasts.get(cause)
    if (known === undefined || stored.at > known) lasts.set(cause, stored.at)
  }
  return lasts
}
