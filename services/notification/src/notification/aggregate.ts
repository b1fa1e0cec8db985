import { type NotificationKind, severityRank } from '@assay/contracts'
import { defineCollection, documentPut } from '@assay/documents'
import type { Aggregate } from '@assay/event-store'
import { uuidV5 } from '@assay/service-kit'
import { recipientChannel } from '../routing/channel-recipient.ts'
import { watchKey } from '../watch/aggregate.ts'
import { readersOf } from './about.ts'
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

/** The id of the watch that caused it; null without a watch. Pure. */
export function causeOf({
  recipient,
  watchedId,
  watch,
}: Pick<StoredNotification, 'recipient' | 'watchedId' | 'watch'>): string | null {
  return watch ?? (watchedId === null ? null : watchKey(recipient, watchedId))
}

/** Where the recipient finds a notification: in the list, among the held ones, or only among the parts of a row. Pure. */
export function placeOf({ partOf, heldBy }: Pick<StoredNotification, 'partOf' | 'heldBy'>): 'list' | 'held' | 'part' {
  if (heldBy !== null) return 'held'
  return partOf === null ? 'list' : 'part'
}

/** Whether it is held until the end of the quiet hours. Pure. */
export function waits({ partOf, heldBy }: Pick<StoredNotification, 'partOf' | 'heldBy'>): boolean {
  return heldBy === 'QUIET_HOURS' && partOf === null
}

/** A hash of recipient and content: equal for repeats of one notification. Pure. */
export function samenessOf(
  of: Pick<StoredNotification, 'recipient' | 'kind' | 'assetId' | 'policyId' | 'title' | 'text'>,
): string {
  const { recipient, kind, assetId, policyId, title, text } = of
  return uuidV5('same', recipient, kind, String(assetId), String(policyId), title, text)
}

/** The kinds of notifications about runs that did not succeed. */
export const alarms: ReadonlySet<NotificationKind> = new Set([
  'EXECUTION_WARNING',
  'EXECUTION_ERRORED',
  'EXECUTION_FAILED',
])

/** The outcome of a run, of which the recipient was notified. A muted alarm does not count, so it has no recovery either. */
function runOutcome({ kind, heldBy }: StoredNotification): 'alarm' | 'recovered' | null {
  if (kind === 'EXECUTION_RECOVERED') return 'recovered'
  return alarms.has(kind) && heldBy !== 'MUTE' ? 'alarm' : null
}

/** The incident of a row that only a channel gets. Muted rows do not count: the channel sent no alert. Pure. */
export function alertedIncident({
  recipient,
  incidentId,
  heldBy,
}: Pick<StoredNotification, 'recipient' | 'incidentId' | 'heldBy'>): number | null {
  return recipientChannel(recipient) === undefined || heldBy !== null ? null : (incidentId ?? null)
}

/** What changes many assets at once: a crawl, or the deletion of an assembly. `id`: of the crawl or the assembly. */
export interface Cause {
  type: 'crawl' | 'deletion'
  id: number
}

/** The group of what one cause changed. Pure. */
export const groupOfCause = ({ type, id }: Cause): string => `${type}/${id}`
/** The group of the repeats of a row. Pure. */
export const groupOfRow = (key: string): string => `row/${key}`

/** The id of the row of a group. Pure. */
export const groupRowKey = (group: string, recipient: string): string => uuidV5('group', group, recipient)

/** One document per notification, with the id of its stream. */
export const notifications = defineCollection<StoredNotification>({
  name: 'notifications',
  version: 10,
  idType: 'text',
  schema: storedNotification,
  // A watched event writes one document per watcher, so each index counts.
  fields: {
    notificationId: { type: 'integer', of: ({ notificationId }) => notificationId, required: true, alone: false },
    recipient: { type: 'text', of: ({ recipient }) => recipient, alone: false },
    kind: { type: 'text', of: ({ kind }) => kind, alone: false },
    severity: { type: 'integer', of: ({ severity }) => severityRank(severity), alone: false },
    assetId: { type: 'integer', of: ({ assetId }) => assetId, alone: false },
    policyId: { type: 'integer', of: ({ policyId }) => policyId, alone: false },
    /** Who may read the row. */
    about: { type: 'text', of: ({ about, abouts = [about] }) => readersOf(abouts), alone: false },
    place: { type: 'text', of: placeOf, required: true, alone: false },
    partOf: { type: 'text', of: ({ partOf }) => partOf, alone: false, sparse: true },
    waits: { type: 'boolean', of: (stored) => (waits(stored) ? true : null), alone: false, sparse: true },
    /** Only for rows that can be repeated. */
    sameness: {
      type: 'text',
      of: (stored) =>
        stored.collects === null && (placeOf(stored) === 'list' || waits(stored)) ? samenessOf(stored) : null,
      alone: false,
    },
    runOutcome: { type: 'text', of: runOutcome, alone: false, sparse: true },
    alertedIncident: { type: 'integer', of: alertedIncident, alone: false, sparse: true },
    freshAt: { type: 'text', of: ({ freshAt }) => freshAt, alone: false },
    at: { type: 'text', of: ({ at }) => at, required: true, alone: false },
    unread: { type: 'boolean', of: ({ readAt }) => readAt === null, alone: false },
    createdAt: { type: 'text', of: ({ createdAt }) => createdAt, required: true },
    /** The watch that caused it, and the time of its event: one index look-up finds the latest event of a watch. */
    watchActivity: {
      type: 'text',
      of: (stored) => (causeOf(stored) === null ? null : `${causeOf(stored)} ${stored.at}`),
    },
    /** The watch and `freshAt`, for notifications that were not read individually. */
    unreadWatchActivity: {
      type: 'text',
      of: (stored) =>
        stored.readAt === null && placeOf(stored) === 'list' && causeOf(stored) !== null
          ? `${causeOf(stored)} ${stored.freshAt}`
          : null,
    },
  },
  listings: [
    ['recipient', 'place', 'createdAt', 'notificationId'],
    ['recipient', 'place', 'unread', 'createdAt', 'notificationId'],
    ['notificationId'],
    ['recipient', 'place', 'notificationId'],
    ['recipient', 'partOf', 'createdAt', 'notificationId'],
    ['recipient', 'policyId', 'runOutcome', 'at', 'notificationId'],
    ['recipient', 'waits'],
    ['partOf'],
    ['alertedIncident'],
    ['sameness', 'createdAt'],
  ],
})

/**
 * The id of a notification of one event to one recipient through one channel. Deterministic, so that a redelivered event
 * causes no second notification. If a user watches a table and its columns, each of them gets its own.
 */
export function notificationKey(about: {
  eventId: string
  assetId: number | null
  recipient: string
  channel: 'in-app'
}): string {
  return uuidV5(about.eventId, about.recipient, about.channel, String(about.assetId))
}

/** Streams `<tenant>/notification-<notificationKey>`. */
export const notificationAggregate: Aggregate<NotificationState, NotificationCommand, NotificationEvent> = {
  category: 'notification',
  decider: { initialState: noNotification, decide, evolve },
  schemaVersion: 2,
  documents(state, { tenant, id }, source) {
    if (state.status === 'none') return []
    if (state.status === 'removed') return [documentPut(notifications, tenant, id, null, source)]
    const { status: _, ...shown } = state
    return [documentPut(notifications, tenant, id, { key: id, ...shown }, source)]
  },
}
