import {
  type AnyAggregate,
  createCommandHandler,
  createNumberBlocks,
  createReadYourWrites,
  notingWrites,
  reachedPositions,
  streamSnapshots,
} from '@assay/event-store'
import type { Subscription } from '@assay/message-bus'
import type { Service } from '@assay/service-kit'
import { messageOf } from '@assay/service-kit/errors'
import { createAssets, notificationAssets } from './copies/assets.ts'
import { notificationFolders } from './copies/folders.ts'
import type { NotificationServiceDeps } from './dependencies.ts'
import { publicEventNumbers, publicEvents } from './events/collection.ts'
import { createEventBuffer } from './events/event-buffer.ts'
import { createEventRoutes } from './events/routes.ts'
import { inboxAggregate, inboxes } from './inbox/aggregate.ts'
import { measuredDeliveries } from './measured-deliveries.ts'
import { notificationAggregate, notifications } from './notification/aggregate.ts'
import { createPublisher } from './publishing/publisher.ts'
import { readingRoutes } from './reading/routes.ts'
import { feed } from './triggers/feed.ts'
import { createNotifyWatchers } from './triggers/notify-watchers.ts'
import { watchAggregate, watches } from './watch/aggregate.ts'
import { watchListing } from './watching/listing.ts'
import { watchingRoutes } from './watching/routes.ts'

export { notificationCopies } from './copies/copies.ts'
export type { NotificationServiceDeps } from './dependencies.ts'
export { watchDataOf } from './publishing/notification-messages.ts'
export { watchAggregate } from './watch/aggregate.ts'

/** Collections, for the documents adapter. */
export const notificationCollections = [
  watches,
  notifications,
  inboxes,
  notificationAssets,
  notificationFolders,
  publicEvents,
  publicEventNumbers,
  streamSnapshots,
] as const

/**
 * Collections that a rebuild keeps. The content of a kept event derives from the logs of all services, but its time and
 * its number, which decide the order for readers, cannot be reproduced.
 */
export const notificationKeptCollections: readonly string[] = [publicEvents.name, publicEventNumbers.name]

/** Aggregates for repair and rebuild. Local read models of the catalog's assets come from the bus. */
export const notificationAggregates: readonly AnyAggregate[] = [watchAggregate, notificationAggregate, inboxAggregate]

/** Stores who watches which asset, and notifies them. */
export function createNotificationService(deps: NotificationServiceDeps): Service {
  const { documents, timers, bus, clock, logger } = deps
  const commands = createCommandHandler({
    ...deps,
    commit: measuredDeliveries(
      notingWrites(deps.commit, () => true),
      deps.metrics,
    ),
  })
  const numbers = createNumberBlocks(deps)
  const readYourWrites = createReadYourWrites({
    documents,
    timers,
    collection: notificationAssets,
    reachedElsewhere: (tenant, positions) => reachedPositions(documents, notificationFolders, tenant, positions),
  })
  const assets = createAssets(documents)
  const notifyWatchers = createNotifyWatchers({ commands, documents, numbers, clock })
  // Kept events take numbers in large blocks: there are many of them, and gaps do not matter.
  const eventNumbers = createNumberBlocks({ ...deps, blockSizes: { 'public-event': 1_000 } })
  const buffer = createEventBuffer({ bus, documents, numbers: eventNumbers, clock, writer: deps.newId() })
  const events = createEventRoutes({ documents, buffer, timers, logger })
  const publisher = createPublisher({
    ...deps,
    onError: (error, { event, parked }) => {
      const about = { stream: event?.stream, revision: event?.revision, parked, error: messageOf(error) }
      logger.error(about, 'an event of a watch or a notification was not published')
    },
  })
  let subscription: Subscription | undefined
  let buffering: Subscription | undefined

  return {
    name: 'notification',
    routes: [
      ...watchingRoutes({ commands, documents, assets, readYourWrites, numbers, clock }),
      ...watchListing({ documents }),
      ...readingRoutes({ commands, documents, clock }),
      ...events.routes,
    ],
    async start() {
      subscription = await feed({ bus, documents, readYourWrites, notifyWatchers })
      buffering = await buffer.subscribe()
      await publisher.start()
    },
    async stop() {
      events.stop()
      await buffering?.close()
      buffering = undefined
      await subscription?.close()
      subscription = undefined
      await publisher.stop()
    },
    async problems() {
      // Parked streams do not make the service unready: other streams continue, and one parked stream would take every
      // replica out of service.
      return subscription === undefined ? ['The notification service has not started.'] : []
    },
  }
}
