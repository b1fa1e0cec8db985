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

/** Counts notifications when their events are written. Each event counts once, in the replica that writes it. */
export function measuredDeliveries(commit: Commit, metrics: Metrics): Commit {
  const deliveries = metrics.counter({
    name: 'assay_deliveries_total',
    help: 'Notifications that were delivered, by channel (in-app) and kind.',
    labels: ['channel', 'kind'],
  })
  return observedCommit(commit, ({ type, data }) => {
    if (type !== 'NotificationCreated' && type !== 'GroupNotified') return
    const notification = created.safeParse(data)
    if (!notification.success) return
    const { partOf, heldBy, recipient } = notification.data
    // Parts and held notifications are not delivered; rows of channels are in no list.
    if (partOf == null && heldBy == null && recipientChannel(recipient) === undefined)
      deliveries.add({ channel: 'in-app', kind: notification.data.kind })
  })
}
