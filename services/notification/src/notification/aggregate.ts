import { defineCollection, documentPut } from '@assay/documents'
import type { Aggregate } from '@assay/event-store'
import { uuidV5 } from '@assay/service-kit'
import { watchKey } from '../watch/aggregate.ts'
import {
  decide,
  evolve,
  type NotificationCommand,
  type NotificationEvent,
  type NotificationState,
  noNotification,
  type StoredNotification,
  storedNotification,
} from './notification.ts'

/** One document for each notification; its id is that of its stream. */
export const notifications = defineCollection<StoredNotification>({
  name: 'notifications',
  version: 5,
  idType: 'text',
  schema: storedNotification,
  fields: {
    notificationId: { type: 'integer', of: ({ notificationId }) => notificationId, required: true },
    recipient: { type: 'text', of: ({ recipient }) => recipient },
    policyId: { type: 'integer', of: ({ policyId }) => policyId },
    unread: { type: 'boolean', of: ({ readAt }) => readAt === null },
    madeAt: { type: 'text', of: ({ madeAt }) => madeAt, required: true },
    /** The id in the log of the watch that brought it, and when it happened: the last of a watch is found in one step. */
    watchActivity: { type: 'text', of: ({ recipient, watchedId, at }) => `${watchKey(recipient, watchedId)} ${at}` },
    /** The same with when it was made, of what was not read by itself. */
    unreadWatchActivity: {
      type: 'text',
      of: ({ recipient, watchedId, madeAt, readAt }) =>
        readAt === null ? `${watchKey(recipient, watchedId)} ${madeAt}` : null,
    },
  },
  listings: [
    ['recipient', 'madeAt', 'notificationId'],
    ['recipient', 'unread', 'madeAt', 'notificationId'],
    ['recipient', 'notificationId'],
  ],
})

/**
 * The id of what one recipient is told of one event through one channel: whoever makes it again makes the same. One event
 * can be about a table and its columns; who watches several of them is told of each.
 */
export function notificationKey(about: {
  eventId: string
  assetId: number
  recipient: string
  channel: 'in-app'
}): string {
  return uuidV5(about.eventId, about.recipient, about.channel, String(about.assetId))
}

/** Streams `<tenant>/notification-<notificationKey>`. */
export const notificationAggregate: Aggregate<NotificationState, NotificationCommand, NotificationEvent> = {
  category: 'notification',
  decider: { initialState: noNotification, decide, evolve },
  schemaVersion: 1,
  documents(state, { tenant, id }, source) {
    if (state.status === 'none') return []
    const { status: _, ...shown } = state
    return [documentPut(notifications, tenant, id, { key: id, ...shown }, source)]
  },
}
