import { z } from 'zod'
import { pagingQuery } from '../http/paging.ts'
import {
  notificationMuteAnswer,
  notificationMuteList,
  notificationMuteRequest,
  notificationSettingsAnswer,
  notificationSettingsChange,
} from '../records/notification-settings.ts'
import { operation } from './operation.ts'
import { idParams, none } from './shapes.ts'

const base = '/catalog-server/api'
const reading = { service: 'notification', permissions: ['NOTIFICATION_VIEW'] } as const
const writing = { service: 'notification', permissions: ['NOTIFICATION_MODIFY'] } as const

export const createNotificationMute = operation({
  ...writing,
  id: 'createNotificationMute',
  method: 'POST',
  path: `${base}/notification-mutes`,
  summary:
    "Mutes an asset with everything below it, a policy or a kind for the key's owner until a time. Muted notifications are listed with `held=true` and never sent.",
  params: none,
  query: none,
  body: notificationMuteRequest,
  answer: notificationMuteAnswer,
  errors: [404],
  example: { body: { kind: 'ASSET_CHANGED', until: '2099-01-01T00:00:00.000Z' } },
})
export const listNotificationMutes = operation({
  ...reading,
  id: 'listNotificationMutes',
  method: 'GET',
  path: `${base}/notification-mutes`,
  summary: "Lists the mutes of the key's owner that have not ended, newest first.",
  params: none,
  query: z.object(pagingQuery(['id', 'createdAt'])),
  answer: notificationMuteList,
  errors: [],
})
export const deleteNotificationMute = operation({
  ...writing,
  id: 'deleteNotificationMute',
  method: 'DELETE',
  path: `${base}/notification-mutes/{id}`,
  summary: "Ends a mute of the key's owner.",
  params: idParams,
  query: none,
  errors: [404],
})
export const readNotificationSettings = operation({
  ...reading,
  id: 'readNotificationSettings',
  method: 'GET',
  path: `${base}/notification-settings`,
  summary: "Reads the time zone, the quiet hours and the time of daily digests of the key's owner.",
  params: none,
  query: none,
  answer: notificationSettingsAnswer,
  errors: [],
})
export const changeNotificationSettings = operation({
  ...writing,
  id: 'changeNotificationSettings',
  method: 'PUT',
  path: `${base}/notification-settings`,
  summary:
    "Changes the settings of the key's owner; absent fields stay. Notifications of quiet hours become one digest at their end.",
  params: none,
  query: none,
  body: notificationSettingsChange,
  answer: notificationSettingsAnswer,
  errors: [],
  example: { body: { timeZone: 'Europe/Berlin', quietHours: null, digestAt: '08:00' } },
})
