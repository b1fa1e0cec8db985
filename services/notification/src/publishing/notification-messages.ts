import { internalTopics, publicMessage, publicTopics, type WatchMessage } from '@assay/contracts'
import type { RecordedEvent } from '@assay/event-store'
import type { Message } from '@assay/message-bus'
import { inboxKey } from '../inbox/aggregate.ts'
import type { InboxState } from '../inbox/inbox.ts'
import type { NotificationState } from '../notification/notification.ts'
import type { WatchState } from '../watch/watch.ts'

/** The public message of a watch event; `state`: the state after it. Pure. */
export function watchMessage(event: RecordedEvent, state: WatchState): { topic: string; message: Message } | undefined {
  if (state.status === 'none') return undefined
  const { watchId, assetId, user } = state.watch
  const of = { watchId, assetId, userId: user }
  const before = event.type === 'AssetUnwatched' ? { before: { ...of, watching: true } } : {}
  const data = { ...before, ...of, watching: state.status === 'watching' }
  return framed(event, { key: `watch-${watchId}`, subject: `watch/${watchId}`, data })
}

/** A watch in messages; `undefined` if there is none. Pure. */
export function watchDataOf(state: WatchState, revision: number): WatchMessage | undefined {
  if (state.status === 'none') return undefined
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

/** The public message of a notification event; `state`: the state after it. Pure. */
export function notificationMessage(
  event: RecordedEvent,
  state: NotificationState,
): { topic: string; message: Message } | undefined {
  if (state.status === 'none') return undefined
  const { notificationId, recipient, kind, assetId, policyId, executionId, title, text, link, readAt } = state
  const before = event.type === 'NotificationRead' ? { before: { readAt: null } } : {}
  const about = { notificationId, recipient, kind, assetId, policyId, executionId, title, text, link, readAt }
  const data = { ...before, ...about }
  return framed(event, { key: String(notificationId), subject: `notification/${notificationId}`, data })
}

/** The public message that a user has read all; `state`: the state after it. Pure. */
export function inboxMessage(event: RecordedEvent, state: InboxState): { topic: string; message: Message } | undefined {
  const last = state?.readTimes.at(-1)
  if (!state || !last) return undefined
  const { recipient, readTimes } = state
  const key = inboxKey(recipient)
  const before = { until: readTimes.at(-2)?.until ?? null }
  return framed(event, { key, subject: `inbox/${key}`, data: { before, recipient, until: last.until } })
}

function framed(event: RecordedEvent, of: { key: string; subject: string; data: object }) {
  return { topic: publicTopics.notifications, message: publicMessage('notification', event, of) }
}
