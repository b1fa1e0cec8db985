import { copiesBehind } from '@assay/catalog-copies'
import {
  type AnyAggregate,
  createCommandHandler,
  createNumberBlocks,
  createReadYourWrites,
  notingWrites,
  streamSnapshots,
} from '@assay/event-store'
import type { Subscription } from '@assay/message-bus'
import type { Service } from '@assay/service-kit'
import { messageOf } from '@assay/service-kit/errors'
import { createDuePoller, dueBook, openWork } from '@assay/work'
import { channelAggregate, channels } from './channel/aggregate.ts'
import { notificationAssetLabels } from './copies/asset-labels.ts'
import { notificationAssetSettings } from './copies/asset-settings.ts'
import { createAssets, notificationAssets } from './copies/assets.ts'
import { notificationCopies } from './copies/copies.ts'
import { notificationFolders } from './copies/folders.ts'
import { createMayRead, createReadableByKeys, notificationKeys } from './copies/keys.ts'
import { notificationAssemblies, notificationPolicies, notificationTags } from './copies/targets.ts'
import { createDelivering } from './delivering/open-delivering.ts'
import { deliveries, deliveryAggregate } from './delivery/aggregate.ts'
import type { NotificationServiceDeps } from './dependencies.ts'
import { createEnsureDigest } from './digest/ensure-digest.ts'
import { createDigestWriter } from './digest/write-digest.ts'
import { publicEventNumbers, publicEvents } from './events/collection.ts'
import { createEventBuffer } from './events/event-buffer.ts'
import { createEventRoutes } from './events/routes.ts'
import { groupsOf } from './group/aggregate.ts'
import { createGroupWriter } from './group/write-group.ts'
import { inboxAggregate, inboxes } from './inbox/aggregate.ts'
import { measuredDeliveries } from './measured-deliveries.ts'
import { createMentionedUsers } from './mentions/mentioned-users.ts'
import { muteAggregate, mutesOfUsers } from './mute/aggregate.ts'
import { muteRoutes } from './mute/routes.ts'
import { notificationAggregate, notifications } from './notification/aggregate.ts'
import { createNotify } from './notifying/notify.ts'
import { createRepeats } from './notifying/repeats.ts'
import { isPublished } from './publishing/channel-messages.ts'
import { createPublisher } from './publishing/publisher.ts'
import { readingRoutes } from './reading/routes.ts'
import { createRetention } from './retention/retention.ts'
import { createChannelsFor } from './routing/channels-for.ts'
import { createWatchers } from './routing/watchers.ts'
import { ruleAggregate, rulesOfTenant } from './rule/aggregate.ts'
import { dryRunRoute } from './rules/dry-run.ts'
import { ruleRoutes } from './rules/routes.ts'
import { notificationScores } from './scores/score.ts'
import { settingsAggregate, settingsOfUsers } from './settings/aggregate.ts'
import { settingsRoutes } from './settings/routes.ts'
import { feed } from './triggers/feed.ts'
import { hiddenEnds } from './triggers/hidden-ends.ts'
import { createNotifyWatchers } from './triggers/notify-watchers.ts'
import { watchAggregate, watches } from './watch/aggregate.ts'
import { anyWatchRoutes } from './watching/any-watch-routes.ts'
import { createKnownThings } from './watching/known-things.ts'
import { watchListing } from './watching/listing.ts'
import { createAssetOf, watchingRoutes } from './watching/routes.ts'
import { createWatching } from './watching/watching.ts'

export { notificationCopies } from './copies/copies.ts'
export { deliverySettingsOf } from './delivery-settings.ts'
export type { NotificationServiceDeps } from './dependencies.ts'
export { watchDataOf } from './publishing/notification-messages.ts'
export { watchAggregate, watchKey } from './watch/aggregate.ts'

/** Collections, for the documents adapter. */
export const notificationCollections = [
  watches,
  notifications,
  inboxes,
  groupsOf.crawl.collection,
  groupsOf.deletion.collection,
  mutesOfUsers,
  settingsOfUsers,
  rulesOfTenant,
  notificationAssets,
  notificationFolders,
  notificationKeys,
  notificationPolicies,
  notificationAssemblies,
  notificationAssetSettings,
  notificationAssetLabels,
  notificationTags.tags,
  notificationTags.associations,
  notificationScores,
  hiddenEnds,
  publicEvents,
  publicEventNumbers,
  channels,
  deliveries,
  openWork,
  dueBook,
  streamSnapshots,
] as const

/**
 * Collections that a rebuild keeps. The content of a kept event derives from the logs of all services, but its time and
 * its number, which decide the order for readers, cannot be reproduced. Scores come from such events, and hidden ends of
 * incidents from messages that are not delivered again.
 */
export const notificationKeptCollections: readonly string[] = [
  publicEvents.name,
  publicEventNumbers.name,
  notificationScores.name,
  hiddenEnds.name,
]

/** Aggregates for repair and rebuild. Local read models of the catalog's assets come from the bus. */
export const notificationAggregates: readonly AnyAggregate[] = [
  watchAggregate,
  notificationAggregate,
  inboxAggregate,
  channelAggregate,
  deliveryAggregate,
  groupsOf.crawl.aggregate,
  groupsOf.deletion.aggregate,
  muteAggregate,
  settingsAggregate,
  ruleAggregate,
]

/** Stores who watches which asset, and notifies them. */
export function createNotificationService(deps: NotificationServiceDeps): Service {
  const { documents, timers, bus, clock, logger } = deps
  const commands = createCommandHandler({
    ...deps,
    commit: measuredDeliveries(notingWrites(deps.commit, isPublished), deps.metrics),
  })
  const numbers = createNumberBlocks(deps)
  const readYourWrites = createReadYourWrites({ timers, missing: copiesBehind(documents, notificationCopies) })
  const assetOf = createAssetOf({ assets: createAssets(documents), readYourWrites })
  const watching = createWatching({ commands, documents, numbers, clock })
  const known = createKnownThings({ documents, assetOf, readYourWrites })
  const repeats = createRepeats({ documents, commands, clock, windowMs: deps.repeatWindowMs })
  const ensureDigest = createEnsureDigest({ commands, documents, clock })
  const notify = createNotify({ commands, documents, numbers, repeats, ensureDigest, clock })
  const watchersOf = createWatchers({ documents, repeats })
  const channelsFor = createChannelsFor({ documents, repeats })
  const notifyWatchers = createNotifyWatchers({
    ...{ commands, documents, notify, watchersOf, channelsFor, clock },
    mentionedUsers: createMentionedUsers({ documents, clock }),
  })
  const retention = createRetention({ ...deps, commands })
  // Kept events take numbers in large blocks: there are many of them, and gaps do not matter.
  const eventNumbers = createNumberBlocks({ ...deps, blockSizes: { 'public-event': 1_000 } })
  const buffer = createEventBuffer({
    ...{ bus, documents, numbers: eventNumbers, clock, writer: deps.newId() },
    isSole: deps.soleInstance,
  })
  const events = createEventRoutes({ ...deps, buffer, isSole: deps.soleInstance })
  const publisher = createPublisher({
    ...deps,
    onError: (error, { event, parked }) => {
      const about = { stream: event?.stream, revision: event?.revision, parked, error: messageOf(error) }
      logger.error(about, 'an event of a watch or a notification was not published')
    },
  })
  const delivering = createDelivering({ ...deps, commands, numbers, notify })
  const due = createDuePoller({
    ...deps,
    kinds: [
      ...Object.values(groupsOf).map((groups) =>
        createGroupWriter({ commands, documents, numbers, ensureDigest, clock, groups }),
      ),
      createDigestWriter({ commands, documents, numbers, readableByKeys: createReadableByKeys(deps), clock }),
      delivering.digests.kind,
    ],
  })
  let subscription: Subscription | undefined
  let buffering: Subscription | undefined

  return {
    name: 'notification',
    routes: [
      ...watchingRoutes({ assetOf, watching }),
      ...anyWatchRoutes({ assetOf, known, watching }),
      ...watchListing({ documents }),
      ...readingRoutes({ commands, documents, clock }),
      ...muteRoutes({ commands, documents, numbers, known, clock }),
      ...ruleRoutes({ commands, documents, numbers, clock }),
      dryRunRoute({ commands, documents, known, watchersOf, channelsFor, mayRead: createMayRead(deps), clock }),
      ...settingsRoutes({ commands, documents, numbers, changed: delivering.digests.reschedule, clock }),
      ...events.routes,
      ...delivering.routes,
    ],
    async start() {
      subscription = await feed({ bus, documents, notifyWatchers })
      buffering = await buffer.subscribe()
      await publisher.start()
      await delivering.start()
      due.start()
      retention.start()
    },
    async stop() {
      events.stop()
      await buffering?.close()
      buffering = undefined
      await subscription?.close()
      subscription = undefined
      await delivering.stop()
      await due.stop()
      await retention.stop()
      await publisher.stop()
    },
    async problems() {
      // Parked streams do not make the service unready: other streams continue, and one parked stream would take every
      // replica out of service.
      return subscription === undefined ? ['The notification service has not started.'] : []
    },
  }
}
