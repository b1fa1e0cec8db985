import { z } from 'zod'
import { at, type EventTypes, id } from './shapes.ts'

const notification = z.looseObject({
  notificationId: id,
  recipient: z.string(),
  kind: z.string(),
  severity: z.enum(['INFO', 'WARNING', 'ERROR', 'CRITICAL']).optional(),
  assetId: id.nullable(),
  policyId: id.nullable(),
  executionId: id.nullable(),
  /** What its reader must be allowed to view. Absent in older events. */
  about: z.enum(['policy', 'asset', 'neither', 'tags', 'all']).optional(),
  title: z.string(),
  text: z.string(),
  link: z.string(),
  /** Absent in older events. */
  count: z.int().optional(),
  readAt: at.nullable(),
})
const watch = z.looseObject({ watchId: id, userId: z.string(), watching: z.boolean() })
const channel = z.looseObject({
  channelId: id,
  userId: z.string(),
  name: z.string(),
  type: z.string(),
  enabled: z.boolean(),
  shared: z.boolean(),
  state: z.string(),
  /** Absent in older events, as the next two. Null: all. */
  kinds: z.array(z.string()).nullable().optional(),
  minSeverity: z.string().nullable().optional(),
  digest: z.string().optional(),
})
/** The names of the fields of the configuration that were changed. Absent in older events. */
const changedChannel = channel.extend({ changedConfiguration: z.array(z.string()).optional() })

const mute = z.looseObject({
  muteId: id,
  userId: z.string(),
  assetId: id.nullable(),
  policyId: id.nullable(),
  kind: z.string().nullable(),
  until: at,
})
const rule = z.looseObject({
  ruleId: id,
  userId: z.string(),
  name: z.string(),
  enabled: z.boolean(),
  when: z.looseObject({}),
  channelIds: z.array(id),
})
const settings = z.looseObject({
  userId: z.string(),
  timeZone: z.string(),
  quietHours: z.looseObject({ from: z.string(), to: z.string() }).nullable(),
  digestAt: z.string(),
})

/** Types of the topic `assay.notification.notifications`, which only their recipient or owner sees. */
export const notificationEventTypes = {
  NotificationAdded: {
    entity: 'notification',
    summary: 'A notification was added to the list of its recipient.',
    data: notification,
  },
  NotificationCounted: {
    entity: 'notification',
    summary: 'A notification counts more events, and is unread again.',
    data: notification,
  },
  NotificationUnread: { entity: 'notification', summary: 'A notification was marked as unread.', data: notification },
  NotificationRead: { entity: 'notification', summary: 'A notification was read.', data: notification },
  NotificationsRead: {
    entity: 'inbox',
    summary: 'A user marked all notifications up to a time as read.',
    data: z.looseObject({ recipient: z.string(), until: at }),
  },
  AssetWatched: { entity: 'watch', summary: 'A user watches something.', data: watch },
  WatchNarrowed: {
    entity: 'watch',
    summary: 'The kinds or the minimum severity of a watch were changed.',
    data: watch,
  },
  AssetUnwatched: { entity: 'watch', summary: 'A user no longer watches something.', data: watch },
  ChannelCreated: { entity: 'channel', summary: 'A user created a notification channel.', data: channel },
  ChannelChanged: { entity: 'channel', summary: 'A notification channel was changed.', data: changedChannel },
  ChannelSecretRotated: { entity: 'channel', summary: 'A webhook got another secret.', data: channel },
  ChannelDeleted: { entity: 'channel', summary: 'A notification channel was deleted.', data: channel },
  ChannelPaused: { entity: 'channel', summary: 'Too many attempts in a row failed.', data: channel },
  ChannelUnsubscribed: { entity: 'channel', summary: 'The receiver of a channel answered 410.', data: channel },
  ChannelResumed: { entity: 'channel', summary: 'A paused channel sends again.', data: channel },
  ChannelDigestRequested: { entity: 'channel', summary: 'A user had the digest of a channel sent now.', data: channel },
  DeliveryReplayed: {
    entity: 'channel',
    summary: 'A user had a delivery sent again.',
    data: z.looseObject({ channelId: id, userId: z.string(), deliveryId: z.string() }),
  },
  NotificationsMuted: {
    entity: 'mute',
    summary: 'A user muted an asset, a policy or a kind until a time.',
    data: mute,
  },
  MuteDeleted: { entity: 'mute', summary: 'A user ended a mute.', data: mute },
  NotificationRuleCreated: {
    entity: 'notification-rule',
    summary: 'A rule sends what it matches to shared channels.',
    data: rule,
  },
  NotificationRuleChanged: { entity: 'notification-rule', summary: 'A rule was changed.', data: rule },
  NotificationRuleDeleted: { entity: 'notification-rule', summary: 'A rule was deleted.', data: rule },
  NotificationSettingsChanged: {
    entity: 'notification-settings',
    summary: 'A user has other quiet hours, another time zone or another time of daily digests.',
    data: settings,
  },
} satisfies EventTypes
