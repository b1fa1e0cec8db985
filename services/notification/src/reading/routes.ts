import { type Notification, notificationOperations as operations } from '@assay/contracts'
import { type Condition, type Documents, findPage } from '@assay/documents'
import type { CommandHandler } from '@assay/event-store'
import { type Caller, type Clock, commandContext, isoTime, type Route, route } from '@assay/service-kit'
import { AssayError } from '@assay/service-kit/errors'
import { inboxAggregate, inboxKey } from '../inbox/aggregate.ts'
import { readWithAll } from '../inbox/inbox.ts'
import { readTimesOf } from '../inbox/read-times.ts'
import { notificationAggregate, notifications } from '../notification/aggregate.ts'
import type { StoredNotification } from '../notification/notification.ts'
import { type Part, pageOf } from './pages.ts'

/** The notifications of the key's owner. Notifications of other users get 404. */
export function readingRoutes(deps: { commands: CommandHandler; documents: Documents; clock: Clock }): Route[] {
  const { commands, documents, clock } = deps

  /** Without the permission to read its asset or policy, a notification is neither listed nor counted. */
  const ownOf = ({ identity: { user, permissions } }: Caller): Condition[] => [
    { field: 'recipient', is: user },
    ...(permissions.has('POLICY_VIEW') ? [] : [{ field: 'policyId', is: null }]),
    ...(permissions.has('ASSET_VIEW') ? [] : [{ field: 'policyId', from: 0 }]),
  ]

  async function markRead(call: Caller, { key }: StoredNotification): Promise<string | undefined> {
    const command = { type: 'ReadNotification' as const, at: isoTime(clock.now()) }
    const request = { tenant: call.identity.tenant, id: key, command, context: commandContext(call) }
    return (await commands.handle(notificationAggregate, request)).position
  }

  async function readAll(call: Caller): Promise<string | undefined> {
    const { tenant, user: recipient } = call.identity
    const { later } = await readTimesOf(documents, call.identity)
    const where = [...ownOf(call), { field: 'unread', is: true }, ...later]
    const { count } = await documents.find(notifications, tenant, { where, size: 0 })
    if (count === 0) return undefined
    const at = isoTime(clock.now())
    const command = { type: 'ReadAll' as const, recipient, until: at, at }
    const request = { tenant, id: inboxKey(recipient), command, context: commandContext(call) }
    return (await commands.handle(inboxAggregate, request)).position
  }

  return [
    route(operations.listNotifications, async (call) => {
      const { page, size, sortBy, unread } = call.query
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
            where: [...ownOf(call), ...conditions],
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
      const data = found.documents.map((stored) => recordOf(stored, readWithAll(readTimes, stored.createdAt)))
      return { body: { data, meta: { count: found.count, page, size } } }
    }),
    route(operations.readNotification, async (call) => {
      const where = [...ownOf(call), { field: 'notificationId', is: call.params.id }]
      const { documents: found } = await documents.find(notifications, call.identity.tenant, { where, size: 1 })
      const [notification] = found
      if (!notification) throw new AssayError('not-found', `You have no notification with the id ${call.params.id}.`)
      const { readTimes } = await readTimesOf(documents, call.identity)
      if (readWithAll(readTimes, notification.createdAt) !== null) return {}
      return { position: await markRead(call, notification) }
    }),
    route(operations.readAllNotifications, async (call) => {
      const position = await readAll(call)
      return { position }
    }),
  ]
}

function recordOf(stored: StoredNotification, readWithOthers: string | null): Notification {
  const { notificationId: id, kind, assetId, policyId, executionId, title, text, link, createdAt } = stored
  const readAt = stored.readAt ?? readWithOthers
  return { id, kind, assetId, policyId, executionId, title, text, link, count: 1, createdAt, readAt }
}
