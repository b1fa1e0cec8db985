import type { Documents } from '@assay/documents'
import { type CommandHandler, type EventStore, streamName } from '@assay/event-store'
import { type Clock, isoTime, type Logger, type Timers } from '@assay/service-kit'
import { createPeriodicWork, type PeriodicWork } from '@assay/work'
import { notificationAggregate, notifications } from '../notification/aggregate.ts'

const sweepMs = 3_600_000
const keptMs = 90 * 24 * 3_600_000
/** How long a stop waits for a removal in progress. */
const haltMs = 1_000

/**
 * Removes notifications 90 days after their creation, also from the log. The id of a removed one stays reserved, so that a
 * late message does not create it again. Idempotent, so every replica may do it.
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
      const old = [{ field: 'createdAt', to: isoTime(clock.now() - keptMs) }]
      for await (const { tenant, id } of documents.scan(notifications, { where: old })) {
        if (sweeping.stopping().aborted) return
        const command = { type: 'RemoveNotification' as const, at: isoTime(clock.now()) }
        await commands.handle(notificationAggregate, {
          tenant,
          id: String(id),
          command,
          context: { actor: 'retention' },
        })
        await store.truncate?.(streamName(tenant, notificationAggregate.category, String(id)), 1)
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
