import { notificationKind, notificationSeverity, severityOfKind } from '@assay/contracts'
import { z } from 'zod'
import { about, aboutOf, storedAbout } from './about.ts'

/** Why a notification is not in the list. */
export const heldBy = z.enum(['MUTE', 'QUIET_HOURS'])
export type HeldBy = z.infer<typeof heldBy>

/** The content that a person sees. */
export const notificationContent = z.object({
  kind: notificationKind,
  severity: notificationSeverity,
  /** Null if it is about no asset or about several, such as a crawl or a channel. */
  assetId: z.int().nullable(),
  policyId: z.int().nullable(),
  executionId: z.int().nullable(),
  title: z.string(),
  text: z.string(),
  link: z.string(),
  /** When the event happened, ISO 8601 UTC. */
  at: z.string(),
  incidentId: z.int().optional(),
})
export type NotificationContent = z.infer<typeof notificationContent>

type OldContent = Omit<NotificationContent, 'severity'> & {
  /** Default: that of the kind. */
  severity?: NotificationContent['severity']
}

/** `eventId`: id of the event that triggered the notification. */
type Created = OldContent & {
  notificationId: number
  recipient: string
  eventId: string
  /** When the notification was created, ISO 8601 UTC. */
  createdAt: string
  /** The asset whose watch caused it: the asset of the event, or the folder of a new asset. Null without a watch. */
  watchedId: number | null
  /** The id of the watch that caused it, unless that is the watch of `watchedId`. */
  watch?: string | null
  /** The group whose row counts it. If set, the notification is not a row of the list itself. */
  partOf?: string | null
  heldBy?: HeldBy | null
}
type MissingInOld = 'createdAt' | 'watchedId'

/** `count`: the number that people see; `parts`: the number of stored parts. */
type Counts = { count: number; parts: number }
/** A kind and a severity, to which filters apply. */
const filtered = notificationContent.pick({ kind: true, severity: true })
/**
 * `about`: the subject of its parts. `ofParts`: the kinds and severities among them, because a channel that takes any
 * part takes the row. Absent for rows that only repeat, and in older events.
 *
 * `abouts`: the subjects of all parts of a digest. Who may read one of them may read the digest, but the stored texts are
 * about the parts that the recipient's strongest key could read. Absent: all texts are about `about`.
 */
const groupContent = notificationContent.extend({
  about,
  ofParts: z.array(filtered).optional(),
  abouts: z.array(about).optional(),
})
export type GroupContent = z.infer<typeof groupContent>
/** The row of a group for one recipient. It stands for all parts of the group. */
export type GroupRow = GroupContent &
  Counts & {
    notificationId: number
    recipient: string
    /** The id of the group, which its parts have as `partOf`. */
    collects: string
    createdAt: string
    watch: string | null
    heldBy: HeldBy | null
  }

export type NotificationEvent =
  | { type: 'NotificationCreated'; data: Omit<Created, MissingInOld> & Partial<Pick<Created, MissingInOld>> }
  | { type: 'GroupNotified'; data: GroupRow }
  /** The row counts more parts, and is unread again. `at`: when they were counted. */
  | { type: 'NotificationCounted'; data: Counts & { at: string; content: GroupContent } }
  /** A held notification became part of a digest. */
  | { type: 'NotificationGrouped'; data: { partOf: string; at: string } }
  | { type: 'NotificationRead'; data: { at: string } }
  | { type: 'NotificationUnread'; data: { at: string; before: string } }
  /** The retention of the notification has expired. */
  | { type: 'NotificationRemoved'; data: { at: string } }

/** The document of a notification. */
export const storedNotification = groupContent.extend({
  /** `notificationKey`, the id of its stream. */
  key: z.string(),
  notificationId: z.int(),
  recipient: z.string(),
  createdAt: z.string(),
  /** When it last became unread: at its creation, when a part was added, or when it was marked as unread. */
  freshAt: z.string(),
  watchedId: z.int().nullable(),
  watch: z.string().nullable(),
  /** When it was read individually. The inbox has the times at which all were marked as read. */
  readAt: z.string().nullable(),
  /** The group whose row counts it. */
  partOf: z.string().nullable(),
  heldBy: heldBy.nullable(),
  /** The group whose parts it counts; null for a single notification. */
  collects: z.string().nullable(),
  count: z.int().positive(),
  parts: z.int(),
})
export type StoredNotification = z.infer<typeof storedNotification>
export type NotificationState =
  | { status: 'none' }
  | { status: 'removed' }
  | ({ status: 'present' } & Omit<StoredNotification, 'key'>)

export const noNotification: NotificationState = { status: 'none' }
const single = { partOf: null, heldBy: null, collects: null, count: 1, parts: 0 }

export function evolve(state: NotificationState, event: NotificationEvent): NotificationState {
  switch (event.type) {
    case 'NotificationCreated': {
      const { eventId: _, createdAt = event.data.at, watchedId = event.data.assetId, ...data } = event.data
      const severity = data.severity ?? severityOfKind(data.kind)
      const times = { createdAt, freshAt: createdAt, readAt: null }
      const { watch = null, partOf = null, heldBy: by = null } = data
      const about = aboutOf(data)
      return { status: 'present', ...single, ...data, ...times, about, severity, watchedId, watch, partOf, heldBy: by }
    }
    case 'GroupNotified': {
      const { createdAt } = event.data
      const row = { ...event.data, about: storedAbout(event.data) }
      return { status: 'present', ...single, ...row, freshAt: createdAt, watchedId: null, readAt: null }
    }
    case 'NotificationCounted': {
      const { count, parts, at: freshAt, content } = event.data
      const counted = { ...content, about: storedAbout(content), count, parts, freshAt, readAt: null }
      return state.status === 'present' ? { ...state, ...counted } : state
    }
    case 'NotificationGrouped':
      return state.status === 'present' ? { ...state, partOf: event.data.partOf } : state
    case 'NotificationRemoved':
      return { status: 'removed' }
    case 'NotificationRead':
      return state.status === 'present' ? { ...state, readAt: event.data.at } : state
    case 'NotificationUnread':
      return state.status === 'present' ? { ...state, readAt: null, freshAt: event.data.at } : state
    default:
      return event satisfies never
  }
}

export type NotificationCommand =
  | ({ type: 'CreateNotification' } & Created)
  | ({ type: 'NotifyGroup' } & GroupRow)
  | ({ type: 'CountRepeats' } & Counts & { at: string })
  | { type: 'GroupNotification'; partOf: string; at: string }
  | { type: 'RemoveNotification'; at: string }
  | { type: 'ReadNotification'; at: string }
  /** `before`: when it was read, individually or by marking all as read. */
  | { type: 'UnreadNotification'; at: string; before: string }

/** Creating, counting and reading are idempotent. Parts are never removed, so a lower count is outdated and has no effect. */
export function decide(command: NotificationCommand, state: NotificationState): NotificationEvent[] {
  switch (command.type) {
    case 'CreateNotification': {
      if (state.status !== 'none') return []
      const { type: _, ...data } = command
      return [{ type: 'NotificationCreated', data }]
    }
    case 'NotifyGroup': {
      const { type: _, ...data } = command
      if (state.status === 'none') return [{ type: 'GroupNotified', data }]
      if (state.status === 'removed') return []
      const { count, parts, createdAt: at } = data
      return counted(state, { count, parts, at, content: groupContent.parse(data) })
    }
    case 'CountRepeats': {
      const { count, parts, at } = command
      return state.status !== 'present' ? [] : counted(state, { count, parts, at, content: groupContent.parse(state) })
    }
    case 'GroupNotification': {
      const { partOf, at } = command
      return state.status !== 'present' || state.partOf !== null
        ? []
        : [{ type: 'NotificationGrouped', data: { partOf, at } }]
    }
    case 'RemoveNotification':
      return state.status === 'present' ? [{ type: 'NotificationRemoved', data: { at: command.at } }] : []
    case 'ReadNotification':
      return state.status !== 'present' || state.readAt !== null
        ? []
        : [{ type: 'NotificationRead', data: { at: command.at } }]
    case 'UnreadNotification':
      return state.status !== 'present'
        ? []
        : [{ type: 'NotificationUnread', data: { at: command.at, before: command.before } }]
    default:
      return command satisfies never
  }
}

function counted(
  state: { parts: number },
  data: Extract<NotificationEvent, { type: 'NotificationCounted' }>['data'],
): NotificationEvent[] {
  return state.parts >= data.parts ? [] : [{ type: 'NotificationCounted', data }]
}
