import { type Documents, documentPut } from '@assay/documents'
import { type CommandHandler, type EventStore, streamName } from '@assay/event-store'
import { type Clock, isoTime, type Logger, type Timers } from '@assay/service-kit'
import { createPeriodicWork, type PeriodicWork } from '@assay/work'
import { notificationAggregate, notifications } from '../notification/aggregate.ts'
import { isAlertNeeded } from '../routing/alerted.ts'
import { hiddenEnds } from '../triggers/hidden-ends.ts'

const sweepMs = 3_600_000
const keptMs = 90 * 24 * 3_600_000
/** How long a stop waits for a removal in progress. */
const haltMs = 1_000

/**
 * Removes notifications 90 days after their creation, also from the log. The id of a removed one stays reserved, so that a
 * late message does not create it again. An alert stays until its incident has ended, because the end goes to the channels
 * that got the alert. Idempotent, so every replica may do it.
 */
export function createRetention(deps: {
  documents: Documents
  store: Pick<EventStore, 'truncate'>
  commands: CommandHandler
  clock: Clock
  timers: Timers
  logger: Logger
}): PeriodicWork {
  const { documents, store, commands, clock, timers, logger } = deps
  const sweeping = createPeriodicWork({
    async work() {
      const to = isoTime(clock.now() - keptMs)
      const old = [{ field: 'createdAt', to }]
      for await (const { tenant, id, document } of documents.scan(notifications, { where: old })) {
        if (sweeping.stopping().aborted) return
        if (await isAlertNeeded(documents, tenant, document)) continue
        const command = { type: 'RemoveNotification' as const, at: isoTime(clock.now()) }
        await commands.handle(notificationAggregate, {
          tenant,
          id: String(id),
          command,
          context: { actor: 'retention' },
        })
        await store.truncate?.(streamName(tenant, notificationAggregate.category, String(id)), 1)
      }
      for await (const { tenant, id } of documents.scan(hiddenEnds, { where: [{ field: 'at', to }] })) {
        if (sweeping.stopping().aborted) return
        await documents.put([documentPut(hiddenEnds, tenant, id, null, { revision: 1, position: '' })])
      }
    },
    every: (work) => timers.every(sweepMs, () => void work()),
    failed: 'old notifications could not be removed; the next sweep within the hour retries',
    haltMs,
    timers,
    logger,
  })
  return sweeping
}
