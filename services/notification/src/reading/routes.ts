import { notificationOperations as operations, type QueryOf, severityRank } from '@assay/contracts'
import { type Condition, type Documents, findPage } from '@assay/documents'
import type { CommandHandler } from '@assay/event-store'
import { type Caller, type Clock, commandContext, isoTime, type Route, route } from '@assay/service-kit'
import { AssayError } from '@assay/service-kit/errors'
import { inboxAggregate, inboxKey } from '../inbox/aggregate.ts'
import { readWithAll } from '../inbox/inbox.ts'
import { readTimesOf } from '../inbox/read-times.ts'
import { notificationAggregate, notifications } from '../notification/aggregate.ts'
import type { NotificationCommand, StoredNotification } from '../notification/notification.ts'
import { readableBy } from './own.ts'
import { type Part, pageOf } from './pages.ts'
import { partsRoute } from './parts.ts'
import { asReadable } from './readable-digest.ts'
import { recordOf } from './record.ts'

const placed = (place: 'list' | 'held'): Condition => ({ field: 'place', is: place })

/** The notifications of the key's owner. Notifications of other users get 404. */
export function readingRoutes(deps: { commands: CommandHandler; documents: Documents; clock: Clock }): Route[] {
  const { commands, documents, clock } = deps

  async function ownWithId(call: Caller, id: number): Promise<StoredNotification> {
    // The id first: it selects the index.
    const where = [{ field: 'notificationId', is: id }, ...readableBy(call)]
    const [notification] = (await documents.find(notifications, call.identity.tenant, { where, size: 1 })).documents
    if (!notification) throw new AssayError('not-found', `You have no notification with the id ${id}.`)
    return notification
  }

  async function mark(call: Caller, { key }: StoredNotification, command: NotificationCommand): Promise<void> {
    const request = { tenant: call.identity.tenant, id: key, command, context: commandContext(call) }
    await commands.handle(notificationAggregate, request)
  }

  async function readAll(call: Caller): Promise<void> {
    const { tenant, user: recipient } = call.identity
    const { later } = await readTimesOf(documents, call.identity)
    const where = [...readableBy(call), placed('list'), { field: 'unread', is: true }, ...later]
    const { count } = await documents.find(notifications, tenant, { where, size: 0 })
    if (count === 0) return
    const at = isoTime(clock.now())
    const command = { type: 'ReadAll' as const, recipient, until: at, at }
    const request = { tenant, id: inboxKey(recipient), command, context: commandContext(call) }
    await commands.handle(inboxAggregate, request)
  }

  return [
    route(operations.listNotifications, async (call) => {
      const { page, size, sortBy, unread, held = false } = call.query
      const wanted = wantedOf(call.query)
      const field = sortBy?.field === 'id' ? 'notificationId' : 'createdAt'
      const direction = sortBy?.direction ?? 'desc'
      const sort = [
        { field, direction },
        { field: 'notificationId', direction },
      ]
      const { readTimes, later, earlier } = await readTimesOf(documents, call.identity)
      const part =
        (...conditions: Condition[]): Part<StoredNotification> =>
        (paging) =>
          findPage(documents, call, notifications, {
            tenant: call.identity.tenant,
            where: [...readableBy(call), placed(held ? 'held' : 'list'), ...wanted, ...conditions],
            sort,
            ...paging,
          })
      const parts = (): Part<StoredNotification>[] => {
        if (unread === undefined) return [part()]
        const since = part({ field: 'unread', is: unread }, ...later)
        // Notifications created before the last 'read all' count as read.
        if (unread || earlier.length === 0) return [since]
        return direction === 'desc' ? [since, part(...earlier)] : [part(...earlier), since]
      }
      const found = await pageOf(parts(), { page, size })
      const rows = await Promise.all(found.documents.map((stored) => asReadable(documents, call, stored)))
      const data = rows.map((row) => recordOf(row, readTimes))
      return { body: { data, meta: { count: found.count, page, size } } }
    }),
    partsRoute({ documents, ownWithId }),
    route(operations.unreadNotification, async (call) => {
      const notification = await ownWithId(call, call.params.id)
      const { readTimes } = await readTimesOf(documents, call.identity)
      const readAt = notification.readAt ?? readWithAll(readTimes, notification.freshAt)
      if (readAt === null) return {}
      const command = { type: 'UnreadNotification' as const, at: isoTime(clock.now()), before: readAt }
      await mark(call, notification, command)
      return {}
    }),
    route(operations.readNotification, async (call) => {
      const notification = await ownWithId(call, call.params.id)
      const { readTimes } = await readTimesOf(documents, call.identity)
      if (readWithAll(readTimes, notification.freshAt) !== null) return {}
      await mark(call, notification, { type: 'ReadNotification', at: isoTime(clock.now()) })
      return {}
    }),
    route(operations.readAllNotifications, async (call) => {
      await readAll(call)
      return {}
    }),
  ]
}

/** The conditions of the filters of a query. Pure. */
function wantedOf({
  kind,
  minSeverity,
  assetId,
  policyId,
  since,
}: QueryOf<typeof operations.listNotifications>): Condition[] {
  return [
    ...(kind === undefined ? [] : [{ field: 'kind', in: kind }]),
    ...(minSeverity === undefined ? [] : [{ field: 'severity', from: severityRank(minSeverity) }]),
    ...(assetId === undefined ? [] : [{ field: 'assetId', is: assetId }]),
    ...(policyId === undefined ? [] : [{ field: 'policyId', is: policyId }]),
    ...(since === undefined ? [] : [{ field: 'createdAt', from: isoTime(since) }]),
  ]
}
