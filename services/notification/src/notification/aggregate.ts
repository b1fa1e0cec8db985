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

/** One document per notification, with the id of its stream. */
export const notifications = defineCollection<StoredNotification>({
  name: 'notifications',
  version: 6,
  idType: 'text',
  schema: storedNotification,
  fields: {
    notificationId: { type: 'integer', of: ({ notificationId }) => notificationId, required: true },
    recipient: { type: 'text', of: ({ recipient }) => recipient },
    policyId: { type: 'integer', of: ({ policyId }) => policyId },
    unread: { type: 'boolean', of: ({ readAt }) => readAt === null },
    createdAt: { type: 'text', of: ({ createdAt }) => createdAt, required: true },
    /** The watch that caused it, and the time of its event: one index look-up finds the latest event of a watch. */
    watchActivity: { type: 'text', of: ({ recipient, watchedId, at }) => `${watchKey(recipient, watchedId)} ${at}` },
    /** The watch and `createdAt`, for notifications that were not read individually. */
    unreadWatchActivity: {
      type: 'text',
      of: ({ recipient, watchedId, createdAt, readAt }) =>
        readAt === null ? `${watchKey(recipient, watchedId)} ${createdAt}` : null,
    },
  },
  listings: [
    ['recipient', 'createdAt', 'notificationId'],
    ['recipient', 'unread', 'createdAt', 'notificationId'],
    ['recipient', 'notificationId'],
  ],
})

/**
 * The id of a notification of one event to one recipient through one channel. Deterministic, so that a redelivered event
 * makes no second notification. If a user watches a table and its columns, each of them gets its own.
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
