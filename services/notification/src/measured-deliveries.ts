import { type Commit, observedCommit } from '@assay/event-store'
import type { Metrics } from '@assay/service-kit'
import { z } from 'zod'
import { recipientChannel } from './routing/channel-recipient.ts'

const created = z.object({
  recipient: z.string(),
  kind: z.string(),
  partOf: z.string().nullish(),
  heldBy: z.string().nullish(),
})

const attempted = z.object({ outcome: z.string() })

/** Counts notifications and parked messages when their events are written. Each event counts once, in the replica that writes it. */
export function measuredDeliveries(commit: Commit, metrics: Metrics): Commit {
  const deliveries = metrics.counter({
    name: 'assay_deliveries_total',
    help: 'Notifications that were delivered, by channel (in-app) and kind.',
    labels: ['channel', 'kind'],
  })
  const parked = metrics.counter({
    name: 'assay_channel_parked_total',
    help: 'Messages to channels that were parked. Reason: attempts (the last one failed, or may not be read), channel (it is paused, unsubscribed or disabled).',
    labels: ['reason'],
  })
  for (const reason of ['attempts', 'channel']) parked.add({ reason }, 0)
  return observedCommit(commit, ({ type, data }) => {
    if (type === 'DeliveryParked') parked.add({ reason: 'channel' })
    if (type === 'DeliveryAttempted' && attempted.safeParse(data).data?.outcome === 'PARKED')
      parked.add({ reason: 'attempts' })
    if (type !== 'NotificationCreated' && type !== 'GroupNotified') return
    const notification = created.safeParse(data)
    if (!notification.success) return
    const { partOf, heldBy, recipient } = notification.data
    // Parts and held notifications are not delivered; rows of channels are in no list.
    if (partOf == null && heldBy == null && recipientChannel(recipient) === undefined)
      deliveries.add({ channel: 'in-app', kind: notification.data.kind })
  })
}
