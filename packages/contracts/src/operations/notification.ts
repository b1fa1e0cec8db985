import { z } from 'zod'
import { pagingQuery } from '../http/paging.ts'
import { assetWatchList, notificationList, watchAnswer, watchDenied } from '../records/notification.ts'
import { booleanText, listText } from '../values/scalars.ts'
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
  summary: "Lets the key's owner watch an asset. Repeating it changes nothing.",
  params: idParams,
  query: none,
  answer: watchAnswer,
  errors: [],
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
  answer: watchAnswer,
  errors: [],
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
export const listNotifications = operation({
  id: 'listNotifications',
  method: 'GET',
  path: `${base}/notifications`,
  service: 'notification',
  permissions: ['NOTIFICATION_VIEW'],
  summary: "Lists the notifications of the key's owner, newest first.",
  params: none,
  query: z.object({ ...pagingQuery(['id', 'createdAt']), unread: booleanText.optional() }),
  answer: notificationList,
  errors: [],
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
export const streamEvents = operation({
  id: 'streamEvents',
  method: 'GET',
  path: `${base}/events`,
  service: 'notification',
  permissions: ['NOTIFICATION_VIEW'],
  summary:
    'Streams the public events of the tenant that the key may see, as server-sent events. Continues after Last-Event-ID, or starts now.',
  params: none,
  query: z.object({
    /** Comma-separated types, such as `io.assay.policy.PolicyCreated`; `io.assay.policy.*` matches a prefix. */
    type: listText.optional(),
    /** Comma-separated subjects, such as `asset/7`; `asset` alone matches all assets. */
    entity: listText.optional(),
    /** For clients that cannot send the header Last-Event-ID. */
    lastEventId: z.string().max(200).optional(),
  }),
  answer: z.string(),
  events: true,
  errors: [],
})
