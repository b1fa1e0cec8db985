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

/** One document per notification; its id is that of its stream. */
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
    /** The stream id of the watch that caused it and when it happened: one index step finds the latest of a watch. */
    watchActivity: { type: 'text', of: ({ recipient, watchedId, at }) => `${watchKey(recipient, watchedId)} ${at}` },
    /** The same with `madeAt`, for notifications that were not read individually. */
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
 * The id of a notification of one event to one recipient through one channel. Deterministic, so that repeating makes
 * the same one. One event can concern a table and its columns; a user who watches several of them gets one for each.
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
