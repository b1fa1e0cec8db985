import { type Commit, observedCommit } from '@assay/event-store'
import type { Metrics } from '@assay/service-kit'
import { z } from 'zod'

const created = z.object({ kind: z.string(), partOf: z.string().nullish(), heldBy: z.string().nullish() })

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
    // Parts and held notifications are not delivered.
    if (notification.data?.partOf != null || notification.data?.heldBy != null) return
    if (notification.success) deliveries.add({ channel: 'in-app', kind: notification.data.kind })
  })
}
