import type { DeliveryRecord, NotificationChannel } from '@assay/contracts'
import type { Channel } from '../channel/channel.ts'
import type { StoredDelivery } from '../delivery/aggregate.ts'
import { masked } from './configuration.ts'

/** The record of a channel. `open`: decrypts a sealed secret. `at`: now, ISO 8601 UTC. */
export function channelRecord(channel: Channel, open: (sealed: string) => string, at: string): NotificationChannel {
  const { channelId: id, name, type, enabled, shared, kinds, minSeverity, digest } = channel
  const { state, stateReason, owner: userName, createdAt, updatedAt } = channel
  const configuration = masked(type, channel.configuration, open)
  const settings = { id, name, type, configuration, enabled, shared, kinds, minSeverity, digest }
  const heldUntil = channel.heldUntil !== null && channel.heldUntil > at ? channel.heldUntil : null
  return { ...settings, state, stateReason, heldUntil, userName, createdAt, updatedAt }
}

/** A retry waits for its channel, too. */
export function deliveryRecord(delivery: StoredDelivery, { heldUntil }: Pick<Channel, 'heldUntil'>): DeliveryRecord {
  const { key: id, notificationId, kind, status, attempts, nextAttemptAt: retryAt, createdAt, finishedAt } = delivery
  const nextAttemptAt = retryAt !== null && heldUntil !== null && heldUntil > retryAt ? heldUntil : retryAt
  return { id, notificationId, kind, status, attempts, nextAttemptAt, createdAt, finishedAt }
}
