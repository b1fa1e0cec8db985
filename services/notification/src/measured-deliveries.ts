import { type Commit, observedCommit } from '@assay/event-store'
import type { Metrics } from '@assay/service-kit'
import { z } from 'zod'

const created = z.object({ kind: z.string() })

/** Counts notifications when their events are written. Each event counts once, in the replica that writes it. */
export function measuredDeliveries(commit: Commit, metrics: Metrics): Commit {
  const deliveries = metrics.counter({
    name: 'assay_deliveries_total',
    help: 'Notifications that were delivered, by channel (in-app) and kind.',
    labels: ['channel', 'kind'],
  })
  return observedCommit(commit, ({ type, data }) => {
    if (type !== 'NotificationCreated') return
    const notification = created.safeParse(data)
    if (notification.success) deliveries.add({ channel: 'in-app', kind: notification.data.kind })
  })
}
