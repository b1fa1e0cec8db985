import { type Notification, notificationOperations as operations } from '@assay/contracts'
import type { Condition, Documents } from '@assay/documents'
import type { CommandHandler } from '@assay/event-store'
import { type Clock, isoTime, type Route, route } from '@assay/service-kit'
import { AssayError } from '@assay/service-kit/errors'
import { type Caller, commandContext } from '../calls.ts'
import { notificationAggregate, notifications } from '../notification/aggregate.ts'
import type { StoredNotification } from '../notification/notification.ts'

const readAtOnce = 500

/** The notifications of the key's owner; nobody else's are there. */
export function readingRoutes(deps: { commands: CommandHandler; documents: Documents; clock: Clock }): Route[] {
  const { commands, documents, clock } = deps

  const ownOf = ({ identity }: Caller): Condition => ({ field: 'recipient', is: identity.user })

  async function markRead(call: Caller, { key }: StoredNotification): Promise<string | undefined> {
    const command = { type: 'ReadNotification' as const, at: isoTime(clock.now()) }
    const request = { tenant: call.identity.tenant, id: key, command, context: commandContext(call) }
    return (await commands.handle(notificationAggregate, request)).position
  }

  return [
    route(operations.listNotifications, async (call) => {
      const { page, size, sortBy, unread } = call.query
      const where = [ownOf(call), ...(unread === undefined ? [] : [{ field: 'unread', is: unread }])]
      const field = sortBy?.field === 'id' ? 'notificationId' : 'createdAt'
      const direction = sortBy?.direction ?? 'desc'
      const sort = [
        { field, direction },
        { field: 'notificationId', direction },
      ]
      const found = await documents.find(notifications, call.identity.tenant, { where, sort, page, size })
      return { body: { data: found.documents.map(recordOf), meta: { count: found.count, page, size } } }
    }),
    route(operations.readNotification, async (call) => {
      const where = [ownOf(call), { field: 'notificationId', is: call.params.id }]
      const { documents: found } = await documents.find(notifications, call.identity.tenant, { where, size: 1 })
      const [notification] = found
      if (!notification) throw new AssayError('not-found', `You have no notification with the id ${call.params.id}.`)
      return { position: await markRead(call, notification) }
    }),
    route(operations.readAllNotifications, async (call) => {
      const where = [ownOf(call), { field: 'unread', is: true }, { field: 'createdAt', to: isoTime(clock.now()) }]
      let position: string | undefined
      for (;;) {
        const found = await documents.find(notifications, call.identity.tenant, { where, size: readAtOnce })
        for (const notification of found.documents) position = await markRead(call, notification)
        if (found.documents.length < readAtOnce) return { position }
        if (call.signal.aborted) throw new AssayError('timeout', 'The caller left before all were marked as read.')
      }
    }),
  ]
}

function recordOf(stored: StoredNotification): Notification {
  const { notificationId: id, kind, assetId, policyId, executionId, title, text, link, at: createdAt, readAt } = stored
  return { id, kind, assetId, policyId, executionId, title, text, link, count: 1, createdAt, readAt }
}
