import { type Notification, notificationOperations as operations } from '@assay/contracts'
import type { Condition, Documents } from '@assay/documents'
import { type CommandHandler, comparePositions } from '@assay/event-store'
import { type Clock, isoTime, type Route, route } from '@assay/service-kit'
import { AssayError } from '@assay/service-kit/errors'
import { type Caller, commandContext } from '../calls.ts'
import { notificationAggregate, notifications } from '../notification/aggregate.ts'
import type { StoredNotification } from '../notification/notification.ts'

/** Notifications that are marked at the same time. */
const readAtOnce = 50

/** The notifications of the key's owner; nobody else's are there. */
export function readingRoutes(deps: { commands: CommandHandler; documents: Documents; clock: Clock }): Route[] {
  const { commands, documents, clock } = deps

  const ownOf = ({ identity }: Caller): Condition => ({ field: 'recipient', is: identity.user })

  async function markRead(call: Caller, { key }: StoredNotification): Promise<string | undefined> {
    const command = { type: 'ReadNotification' as const, at: isoTime(clock.now()) }
    const request = { tenant: call.identity.tenant, id: key, command, context: commandContext(call) }
    return (await commands.handle(notificationAggregate, request)).position
  }

  /**
   * Goes once through what is unread, by ascending id: it ends also where documents are behind the log, and where new
   * notifications keep coming. Answers the position of the last write.
   */
  async function readAll(call: Caller): Promise<string | undefined> {
    const until = isoTime(clock.now())
    let position: string | undefined
    for (let above = 0; ; ) {
      const where = [
        ownOf(call),
        { field: 'unread', is: true },
        { field: 'createdAt', to: until },
        { field: 'notificationId', from: above + 1 },
      ]
      const sort = [{ field: 'notificationId', direction: 'asc' as const }]
      const { documents: unread } = await documents.find(notifications, call.identity.tenant, {
        where,
        sort,
        size: readAtOnce,
      })
      const positions = await Promise.all(unread.map((notification) => markRead(call, notification)))
      for (const each of positions) position = later(position, each)
      const last = unread.at(-1)
      if (last === undefined || unread.length < readAtOnce) return position
      if (call.signal.aborted) throw new AssayError('timeout', 'The caller left before all were marked as read.')
      above = last.notificationId
    }
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
      const position = await readAll(call)
      return { position }
    }),
  ]
}

function later(one: string | undefined, other: string | undefined): string | undefined {
  if (one === undefined || other === undefined) return one ?? other
  return comparePositions(one, other) < 0 ? other : one
}

function recordOf(stored: StoredNotification): Notification {
  const { notificationId: id, kind, assetId, policyId, executionId, title, text, link, at: createdAt, readAt } = stored
  return { id, kind, assetId, policyId, executionId, title, text, link, count: 1, createdAt, readAt }
}
