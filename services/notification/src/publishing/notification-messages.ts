import { internalTopics, publicMessage, publicTopics, type WatchMessage } from '@assay/contracts'
import { eventOf, type RecordedEvent } from '@assay/event-store'
import type { Message } from '@assay/message-bus'
import { inboxKey } from '../inbox/aggregate.ts'
import type { InboxState } from '../inbox/inbox.ts'
import type { MuteState } from '../mute/mute.ts'
import { notificationAggregate, placeOf } from '../notification/aggregate.ts'
import type { NotificationState } from '../notification/notification.ts'
import { recipientChannel } from '../routing/channel-recipient.ts'
import type { Rule, RuleState } from '../rule/rule.ts'
import { settingsAggregate } from '../settings/aggregate.ts'
import { watchAggregate } from '../watch/aggregate.ts'
import { targetOf, type WatchState } from '../watch/watch.ts'

/** The public message of a watch event; `state`: the state after it. Pure. */
export function watchMessage(event: RecordedEvent, state: WatchState): { topic: string; message: Message } | undefined {
  if (state.status === 'none') return undefined
  const { watchId, user, kinds, minSeverity } = state.watch
  const of = { watchId, ...targetOf(state.watch), userId: user, kinds, minSeverity }
  const before =
    event.type === 'AssetUnwatched'
      ? { before: { ...of, watching: true } }
      : event.type === 'WatchNarrowed'
        ? { before: { ...of, ...narrowedFrom(event), watching: true } }
        : {}
  const data = { ...before, ...of, watching: state.status === 'watching' }
  return framed(event, { key: `watch-${watchId}`, subject: `watch/${watchId}`, data })
}

function narrowedFrom(event: RecordedEvent) {
  const { type, data } = eventOf(watchAggregate, event)
  return type === 'WatchNarrowed' ? data.before : {}
}

function readBefore(event: RecordedEvent): string | null {
  const { type, data } = eventOf(notificationAggregate, event)
  return type === 'NotificationUnread' ? data.before : null
}

/** A watch in messages; `undefined` if there is none. Pure. */
export function watchDataOf(state: WatchState, revision: number): WatchMessage | undefined {
  // The catalog filters by watched assets only.
  if (state.status === 'none' || state.watch.assetId === null) return undefined
  const { watchId, assetId, user } = state.watch
  return { revision, watchId, assetId, user, watching: state.status === 'watching' }
}

/** The watch after the event, for the catalog's local read model. Pure. */
export function watchCopyMessage(
  event: RecordedEvent,
  state: WatchState,
): { topic: string; message: Message } | undefined {
  const data = watchDataOf(state, event.revision)
  if (data === undefined) return undefined
  const { id, position, metadata, type } = event
  const { tenant, occurredAt: time, traceparent, tracestate } = metadata
  // The key includes the tenant, because the topic is compacted.
  const message = { id, key: `${tenant}/${data.watchId}`, type, tenant, time, position, traceparent, tracestate, data }
  return { topic: internalTopics.watches, message }
}

const marks: ReadonlySet<string> = new Set(['NotificationRead', 'NotificationUnread'])

/** The public message of a notification event; `state`: the state after it. Pure. */
export function notificationMessage(
  event: RecordedEvent,
  state: NotificationState,
): { topic: string; message: Message } | undefined {
  if (state.status !== 'present' || event.type === 'NotificationGrouped') return undefined
  // Channels have no list.
  if (recipientChannel(state.recipient) !== undefined) return undefined
  // Parts and held notifications are not in the list, but their recipient may mark them as read or unread.
  if (placeOf(state) !== 'list' && !marks.has(event.type)) return undefined
  const { notificationId, recipient, kind, severity, assetId, policyId, executionId, title, text, link } = state
  const { readAt, count, about } = state
  const before =
    event.type === 'NotificationRead'
      ? { before: { readAt: null } }
      : event.type === 'NotificationUnread'
        ? { before: { readAt: readBefore(event) } }
        : {}
  const shown = {
    notificationId,
    recipient,
    kind,
    severity,
    assetId,
    policyId,
    executionId,
    about,
    title,
    text,
    link,
    count,
    readAt,
  }
  const data = { ...before, ...shown }
  // Consumers follow the list of a recipient: a notification is added to it.
  const isAdded = event.type === 'NotificationCreated' || event.type === 'GroupNotified'
  const named = isAdded ? { ...event, type: 'NotificationAdded' } : event
  return framed(named, { key: String(notificationId), subject: `notification/${notificationId}`, data })
}

/** The public message of an inbox event: a user marked all as read. `state`: the state after it. Pure. */
export function inboxMessage(event: RecordedEvent, state: InboxState): { topic: string; message: Message } | undefined {
  const last = state?.readTimes.at(-1)
  if (!state || !last) return undefined
  const { recipient, readTimes } = state
  const key = inboxKey(recipient)
  const before = { until: readTimes.at(-2)?.until ?? null }
  return framed(event, { key, subject: `inbox/${key}`, data: { before, recipient, until: last.until } })
}

/** The public message of a mute event; `state`: the state after it. Pure. */
export function muteMessage(event: RecordedEvent, state: MuteState): { topic: string; message: Message } | undefined {
  if (state.status === 'none') return undefined
  const { muteId, user: userId, assetId, policyId, kind, until } = state.mute
  const of = { muteId, userId, assetId, policyId, kind, until }
  const data = state.status === 'ended' ? { before: of, ...of } : of
  return framed(event, { key: `mute-${muteId}`, subject: `mute/${muteId}`, data })
}

/** The public message of an event of a rule. Pure. */
export function ruleMessage(
  event: RecordedEvent,
  { before, after }: { before: RuleState; after: RuleState },
): { topic: string; message: Message } | undefined {
  if (after.status === 'none') return undefined
  const publicRule = ({ ruleId, user: userId, name, enabled, when, channelIds }: Rule) => {
    return { ruleId, userId, name, enabled, when, channelIds }
  }
  const earlier = before.status === 'present' ? { before: publicRule(before.rule) } : {}
  const { ruleId } = after.rule
  const of = { key: `rule-${ruleId}`, subject: `notification-rule/${ruleId}` }
  return framed(event, { ...of, data: { ...earlier, ...publicRule(after.rule) } })
}

/** The public message of changed settings; `undefined` for the work on digests. Pure. */
export function settingsMessage(event: RecordedEvent): { topic: string; message: Message } | undefined {
  const { type, data } = eventOf(settingsAggregate, event)
  if (type !== 'NotificationSettingsChanged') return undefined
  const { settingsId, user: userId, timeZone, quietHours, digestAt, before } = data
  const of = { before, userId, timeZone, quietHours, digestAt }
  return framed(event, { key: `settings-${settingsId}`, subject: `notification-settings/${settingsId}`, data: of })
}

function framed(event: RecordedEvent, of: { key: string; subject: string; data: object }) {
  return { topic: publicTopics.notifications, message: publicMessage('notification', event, of) }
}
