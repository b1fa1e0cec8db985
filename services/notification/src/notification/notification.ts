import { notificationKind } from '@assay/contracts'
import { z } from 'zod'

/** What a person is told. */
export const notificationContent = z.object({
  kind: notificationKind,
  assetId: z.int(),
  policyId: z.int().nullable(),
  executionId: z.int().nullable(),
  title: z.string(),
  text: z.string(),
  link: z.string(),
  /** When it happened, ISO 8601 UTC. */
  at: z.string(),
})
export type NotificationContent = z.infer<typeof notificationContent>

/** `eventId`: of the happening. */
type Created = NotificationContent & {
  notificationId: number
  recipient: string
  eventId: string
  /** When this was written, ISO 8601 UTC. */
  madeAt: string
  /** The asset whose watch brought it: the one that it is about, or the folder of one that is new. */
  watchedId: number
}
type MissingInOld = 'madeAt' | 'watchedId'
export type NotificationEvent =
  | { type: 'NotificationCreated'; data: Omit<Created, MissingInOld> & Partial<Pick<Created, MissingInOld>> }
  | { type: 'NotificationRead'; data: { at: string } }

/** What the documents hold. */
export const storedNotification = notificationContent.extend({
  /** `notificationKey`, the id of its stream. */
  key: z.string(),
  notificationId: z.int(),
  recipient: z.string(),
  madeAt: z.string(),
  watchedId: z.int(),
  /** When it was read by itself; reading all is in the inbox. */
  readAt: z.string().nullable(),
})
export type StoredNotification = z.infer<typeof storedNotification>
export type NotificationState = { status: 'none' } | ({ status: 'there' } & Omit<StoredNotification, 'key'>)

export const noNotification: NotificationState = { status: 'none' }

export function evolve(state: NotificationState, event: NotificationEvent): NotificationState {
  switch (event.type) {
    case 'NotificationCreated': {
      const { eventId: _, madeAt = event.data.at, watchedId = event.data.assetId, ...data } = event.data
      return { status: 'there', ...data, madeAt, watchedId, readAt: null }
    }
    case 'NotificationRead':
      return state.status === 'there' ? { ...state, readAt: event.data.at } : state
    default:
      return event satisfies never
  }
}

export type NotificationCommand = ({ type: 'CreateNotification' } & Created) | { type: 'ReadNotification'; at: string }

/** One that is there already is not made again, and not read again: repeating either has one effect. */
export function decide(command: NotificationCommand, state: NotificationState): NotificationEvent[] {
  switch (command.type) {
    case 'CreateNotification': {
      if (state.status === 'there') return []
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
