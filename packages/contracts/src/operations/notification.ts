import { z } from 'zod'
import { pagingQuery } from '../http/paging.ts'
import {
  assetWatchList,
  notificationList,
  watchAnswer,
  watchChange,
  watchDenied,
  watchNarrowing,
  watchRecordAnswer,
  watchRequest,
} from '../records/notification.ts'
import { notificationKind, notificationSeverity } from '../records/notification-kinds.ts'
import { eventEntity, eventSubject, eventTypePattern } from '../topics/event-types.ts'
import { booleanText, idText, listText, timeText, unlessEmpty } from '../values/scalars.ts'
import { operation } from './operation.ts'
import { idParams, none } from './shapes.ts'

const base = '/catalog-server/api'
const uidParams = z.object({ uid: z.string().min(1) })

const watching = { service: 'notification', permissions: ['ASSET_CONFIGURATION_MODIFY'], denied: watchDenied } as const

export const watchAsset = operation({
  ...watching,
  id: 'watchAsset',
  method: 'POST',
  path: `${base}/assets/{id}/watch`,
  summary: "Lets the key's owner watch an asset and everything below it. Repeating it without a body changes nothing.",
  params: idParams,
  query: none,
  body: watchNarrowing.optional(),
  answer: watchAnswer,
  errors: [422],
})
export const unwatchAsset = operation({
  ...watching,
  id: 'unwatchAsset',
  method: 'DELETE',
  path: `${base}/assets/{id}/watch`,
  summary: "Ends the watch of the key's owner on an asset.",
  params: idParams,
  query: none,
  errors: [404],
})
export const watchAssetByUid = operation({
  ...watching,
  id: 'watchAssetByUid',
  method: 'POST',
  path: `${base}/assets/byUid/{uid}/watch`,
  summary: "Lets the key's owner watch an asset, by its UID.",
  params: uidParams,
  query: none,
  body: watchNarrowing.optional(),
  answer: watchAnswer,
  errors: [422],
})
export const unwatchAssetByUid = operation({
  ...watching,
  id: 'unwatchAssetByUid',
  method: 'DELETE',
  path: `${base}/assets/byUid/{uid}/watch`,
  summary: "Ends the watch of the key's owner on an asset, by its UID.",
  params: uidParams,
  query: none,
  errors: [404],
})
export const listWatches = operation({
  id: 'listWatches',
  method: 'GET',
  path: `${base}/watches`,
  service: 'notification',
  permissions: ['ASSET_VIEW', 'NOTIFICATION_VIEW'],
  summary: "Lists the watches of the key's owner, newest first, with the number of unread notifications.",
  params: none,
  query: z.object(pagingQuery(['id', 'assetId', 'createdAt'])),
  answer: assetWatchList,
  errors: [],
})
export const createWatch = operation({
  id: 'createWatch',
  method: 'POST',
  path: `${base}/watches`,
  service: 'notification',
  permissions: ['ASSET_CONFIGURATION_MODIFY'],
  summary:
    "Lets the key's owner watch an asset, a policy, an assembly, a tag or what a search finds, and everything below it.",
  params: none,
  query: none,
  body: watchRequest,
  answer: watchRecordAnswer,
  errors: [404, 422],
  example: { body: { policyId: 1, minSeverity: 'WARNING' } },
})
export const changeWatch = operation({
  id: 'changeWatch',
  method: 'PUT',
  path: `${base}/watches/{id}`,
  service: 'notification',
  permissions: ['ASSET_CONFIGURATION_MODIFY'],
  summary: "Changes the kinds and the minimum severity of a watch of the key's owner.",
  params: idParams,
  query: none,
  body: watchChange,
  answer: watchRecordAnswer,
  errors: [404],
})
export const deleteWatch = operation({
  id: 'deleteWatch',
  method: 'DELETE',
  path: `${base}/watches/{id}`,
  service: 'notification',
  permissions: ['ASSET_CONFIGURATION_MODIFY'],
  summary: "Ends a watch of the key's owner.",
  params: idParams,
  query: none,
  errors: [404],
})
export const listNotifications = operation({
  id: 'listNotifications',
  method: 'GET',
  path: `${base}/notifications`,
  service: 'notification',
  permissions: ['NOTIFICATION_VIEW'],
  summary: "Lists the notifications of the key's owner, newest first.",
  params: none,
  query: z.object({
    ...pagingQuery(['id', 'createdAt']),
    /** Comma-separated kinds. */
    kind: listText.pipe(z.array(notificationKind)).transform(unlessEmpty).optional(),
    minSeverity: notificationSeverity.optional(),
    assetId: idText.optional(),
    policyId: idText.optional(),
    /** Rows that were created then or later. */
    since: timeText.optional(),
    unread: booleanText.optional(),
    /** `true`: what mutes and quiet hours hold, instead of the list. */
    held: booleanText.optional(),
  }),
  answer: notificationList,
  errors: [],
})
export const listNotificationParts = operation({
  id: 'listNotificationParts',
  method: 'GET',
  path: `${base}/notifications/{id}/parts`,
  service: 'notification',
  permissions: ['NOTIFICATION_VIEW'],
  summary: "Lists what a notification of the key's owner counts, newest first: itself, if it stands for one event.",
  params: idParams,
  query: z.object(pagingQuery(['id', 'createdAt'])),
  answer: notificationList,
  errors: [404],
})
export const readNotification = operation({
  id: 'readNotification',
  method: 'PUT',
  path: `${base}/notifications/{id}/read`,
  service: 'notification',
  permissions: ['NOTIFICATION_MODIFY'],
  summary: 'Marks a notification as read.',
  params: idParams,
  query: none,
  errors: [404],
})
export const unreadNotification = operation({
  id: 'unreadNotification',
  method: 'PUT',
  path: `${base}/notifications/{id}/unread`,
  service: 'notification',
  permissions: ['NOTIFICATION_MODIFY'],
  summary: 'Marks a notification as unread.',
  params: idParams,
  query: none,
  errors: [404],
})
export const readAllNotifications = operation({
  id: 'readAllNotifications',
  method: 'PUT',
  path: `${base}/notifications/read-all`,
  service: 'notification',
  permissions: ['NOTIFICATION_MODIFY'],
  summary: "Marks all notifications of the key's owner as read.",
  params: none,
  query: none,
  errors: [],
})
/** A filter of the stream. An empty one would let no event through. */
const namedList = (item: z.ZodString) =>
  listText.pipe(z.array(item).min(1, 'must name at least one; omit the filter for all events').max(100))

export const streamEvents = operation({
  id: 'streamEvents',
  method: 'GET',
  path: `${base}/events`,
  service: 'notification',
  permissions: ['NOTIFICATION_VIEW'],
  summary:
    'Streams the public events of the tenant that the key may see, as server-sent events. Continues after Last-Event-ID, or starts now. 410: the event named in Last-Event-ID is no longer kept.',
  params: none,
  query: z.object({
    /** Comma-separated types, such as `io.assay.policy.PolicyCreated`; `io.assay.policy.*` matches a prefix. */
    type: namedList(eventTypePattern).optional(),
    /** Comma-separated entities, such as `asset/7`; `asset` alone matches all assets. */
    entity: namedList(eventEntity).optional(),
    /** Comma-separated beginnings of subjects, such as `asset/`. */
    subject: namedList(eventSubject).optional(),
    /** The stream starts with the first kept event of this time or later, unless the client resumes after an event. */
    since: timeText.optional(),
    /** For clients that cannot send the header Last-Event-ID. */
    lastEventId: z.string().max(200).optional(),
    /** A token of `POST /catalog-server/api/events/token`, instead of a key pair. */
    token: z.string().max(2_000).optional(),
  }),
  answer: z.string(),
  events: true,
  errors: [410],
})
