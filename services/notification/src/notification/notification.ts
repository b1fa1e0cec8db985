import { notificationKind } from '@assay/contracts'
import { z } from 'zod'

/** The content that a person sees. */
export const notificationContent = z.object({
  kind: notificationKind,
  assetId: z.int(),
  policyId: z.int().nullable(),
  executionId: z.int().nullable(),
  title: z.string(),
  text: z.string(),
  link: z.string(),
  /** When the event happened, ISO 8601 UTC. */
  at: z.string(),
})
export type NotificationContent = z.infer<typeof notificationContent>

/** `eventId`: id of the event that triggered the notification. */
type Created = NotificationContent & {
  notificationId: number
  recipient: string
  eventId: string
  /** When the notification was created, ISO 8601 UTC. */
  createdAt: string
  /** The asset whose watch caused it: the asset of the event, or the folder of a new asset. */
  watchedId: number
}
type MissingInOld = 'createdAt' | 'watchedId'
export type NotificationEvent =
  | { type: 'NotificationCreated'; data: Omit<Created, MissingInOld> & Partial<Pick<Created, MissingInOld>> }
  | { type: 'NotificationRead'; data: { at: string } }

/** The document of a notification. */
export const storedNotification = notificationContent.extend({
  /** `notificationKey`, the id of its stream. */
  key: z.string(),
  notificationId: z.int(),
  recipient: z.string(),
  createdAt: z.string(),
  watchedId: z.int(),
  /** When it was read individually; marking all as read is in the inbox. */
  readAt: z.string().nullable(),
})
export type StoredNotification = z.infer<typeof storedNotification>
export type NotificationState = { status: 'none' } | ({ status: 'present' } & Omit<StoredNotification, 'key'>)

export const noNotification: NotificationState = { status: 'none' }

export function evolve(state: NotificationState, event: NotificationEvent): NotificationState {
  switch (event.type) {
    case 'NotificationCreated': {
      const { eventId: _, createdAt = event.data.at, watchedId = event.data.assetId, ...data } = event.data
      return { status: 'present', ...data, createdAt, watchedId, readAt: null }
    }
    case 'NotificationRead':
      return state.status === 'present' ? { ...state, readAt: event.data.at } : state
    default:
      return event satisfies never
  }
}

export type NotificationCommand = ({ type: 'CreateNotification' } & Created) | { type: 'ReadNotification'; at: string }

/** Creating and reading are idempotent. */
export function decide(command: NotificationCommand, state: NotificationState): NotificationEvent[] {
  switch (command.type) {
    case 'CreateNotification': {
      if (state.status === 'present') return []
      const { type: _, ...data } = command
      return [{ type: 'NotificationCreated', data }]
    }
    case 'ReadNotification':
      return state.status === 'none' || state.readAt !== null
        ? []
        : [{ type: 'NotificationRead', data: { at: command.at } }]
    default:
      return command satisfies never
  }
}
