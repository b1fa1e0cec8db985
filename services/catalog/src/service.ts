import { copiesBehind, keepingCopies, topicsOf } from '@assay/catalog-copies'
import type { CollectionShape } from '@assay/documents'
import {
  type AnyAggregate,
  createCommandHandler,
  createNumberBlocks,
  createReadYourWrites,
  createReservations,
  notingWrites,
  streamSnapshots,
} from '@assay/event-store'
import type { Subscription } from '@assay/message-bus'
import type { Service } from '@assay/service-kit'
import { messageOf } from '@assay/service-kit/errors'
import { createDuePoller, createPeriodicWork, dueBook, openWork } from '@assay/work'
import { annotationAggregates, annotationCollections, createAnnotations } from './annotations.ts'
import { assemblyReadRoutes, assemblyWriteRoutes } from './assemblies/assembly-routes.ts'
import { createRemoval } from './assemblies/removal.ts'
import { sealAgain } from './assemblies/sealing-again.ts'
import { createSourceCheck } from './assemblies/source-check.ts'
import { assemblies, assemblyAggregate } from './assembly/aggregate.ts'
import { assetAggregate } from './asset/aggregate.ts'
import { assets, assetTables } from './asset/collections.ts'
import { assetConfigurationAggregate } from './asset-configuration/aggregate.ts'
import { assetLabelsAggregate } from './asset-labels/aggregate.ts'
import { assetTagAggregate } from './asset-tag/aggregate.ts'
import { udfVariablesAggregate } from './asset-udf-variables/aggregate.ts'
import { catalogCopies } from './copies.ts'
import { crawlAggregate, crawls } from './crawl/aggregate.ts'
import { crawlRoutes } from './crawling/crawl-routes.ts'
import { createCrawler } from './crawling/crawler.ts'
import { scheduledCrawls } from './crawling/scheduled-crawls.ts'
import { createUidClaims } from './crawling/uid-claims.ts'
import { createUidReservations, withoutReplicas } from './crawling/uid-reservations.ts'
import type { CatalogDependencies } from './dependencies.ts'
import { recordingHistory, withHistory } from './history/recording.ts'
import { measuredCrawls } from './measured-crawls.ts'
import { isPublished } from './publishing/public-event.ts'
import { createPublisher } from './publishing/publisher.ts'
import { typeRoutes } from './types/type-routes.ts'
import { uidReservationAggregate } from './uid-reservation/aggregate.ts'
import { watchCopies } from './watch-copies/watch-copies.ts'

export { assemblyAggregate, databaseReader } from './assembly/aggregate.ts'
export { catalogCopies } from './copies.ts'
export type { CatalogDependencies } from './dependencies.ts'
export { assemblyMessageOf } from './publishing/assembly-messages.ts'
export { containerMessageOf, tableMessageOf } from './publishing/asset-messages.ts'
export { assetLabelsMessageOf } from './publishing/label-messages.ts'
export { assetSettingsMessageOf } from './publishing/settings-messages.ts'
export { associationMessageOf, tagMessageOf } from './publishing/tag-messages.ts'
export { udfTemplateMessageOf, udfVariablesMessageOf } from './publishing/udf-messages.ts'
export { tagAggregate } from './tag/aggregate.ts'
export { udfTemplateAggregate } from './udf-template/aggregate.ts'

/** An asset with its history lines, for repair and rebuild. */
export const assetWithHistory = withHistory(assetAggregate)
export const assetTagWithHistory = withHistory(assetTagAggregate)
export const assetConfigurationWithHistory = withHistory(assetConfigurationAggregate)
export const assetLabelsWithHistory = withHistory(assetLabelsAggregate)
export const udfVariablesWithHistory = withHistory(udfVariablesAggregate)

/** Collections of the catalog, for the adapter that creates their tables. */
export const catalogCollections: readonly CollectionShape[] = [
  assemblies,
  crawls,
  assets,
  assetTables,
  ...annotationCollections,
  watchCopies,
  dueBook,
  openWork,
  streamSnapshots,
]

/** For the repair and the rebuild of documents. */
export const catalogAggregates: readonly AnyAggregate[] = [
  assemblyAggregate,
  crawlAggregate,
  assetWithHistory,
  uidReservationAggregate,
  ...annotationAggregates,
]

const sweepMilliseconds = 30_000

/** Assemblies, crawls, assets and their types. The README lists its guarantees. */
export function createCatalogService(given: CatalogDependencies): Service {
  const deps = {
    ...given,
    commit: measuredCrawls(notingWrites(recordingHistory(given.commit), isPublished), given.metrics),
  }
  const { store, documents, clock, timers, newId, logger, soleInstance = false } = deps
  const handler = createCommandHandler(deps)
  // A first crawl takes an id for each column, so ids are reserved in large blocks.
  const numbers = createNumberBlocks({ store, clock, timers, newId, blockSizes: { asset: 1000 } })
  const reservations = createReservations({ store, clock, timers, newId })
  const sourceCheck = createSourceCheck(deps)
  const uidReservations = soleInstance ? withoutReplicas : createUidReservations({ handler, clock, newId })
  const tools = { ...deps, handler, numbers, reservations, sourceCheck, claims: createUidClaims(), uidReservations }
  const removal = createRemoval(tools)
  const crawler = createCrawler({ ...tools, removal })
  const schedules = createDuePoller({ ...deps, kinds: [scheduledCrawls({ handler, crawler, clock, logger })] })
  const publisher = createPublisher({
    ...deps,
    onError(error, { event, parked }) {
      const about = { error: messageOf(error), stream: event?.stream, parked }
      logger.error(about, parked ? 'Events of a stream are no longer published.' : 'Events could not be published yet.')
    },
  })
  const readYourWrites = createReadYourWrites({ timers, missing: copiesBehind(documents, catalogCopies) })
  const annotations = createAnnotations({ ...tools, crawler, readYourWrites })
  let subscription: Subscription | undefined
  const removals = createPeriodicWork({
    work: removal.resume,
    every: (work) => timers.every(sweepMilliseconds, () => void work()),
    failed: 'Interrupted removals of assemblies could not be resumed; this is retried.',
    timers,
    logger,
  })

  return {
    name: 'catalog',
    routes: [
      ...assemblyWriteRoutes({ ...tools, crawler, removal }),
      ...assemblyReadRoutes(deps),
      ...crawlRoutes({ documents, crawler }),
      ...annotations.routes,
      ...typeRoutes(deps),
    ],
    async start() {
      subscription = await deps.bus.subscribe({
        topics: topicsOf(catalogCopies),
        group: 'catalog',
        handle: keepingCopies({ documents, copies: catalogCopies }),
      })
      await publisher.start()
      await sealAgain(tools)
      schedules.start()
      await annotations.resume()
      removals.start()
      crawler.resume()
    },
    async stop() {
      // Crawls stop first, because the engine that they use may be stopping too.
      await Promise.all([crawler.stop(), removals.stop(), subscription?.close()])
      // After the crawls, because they start removals of assets that they wrote for deleted assemblies.
      await removal.stop()
      subscription = undefined
      await Promise.all([schedules.stop(), annotations.stop()])
      await publisher.stop()
    },
    // Parked streams do not make the service unready: other streams continue, and one parked stream would take every
    // replica out of service.
    problems: async () => (subscription === undefined ? ['The catalog service has not started.'] : []),
  }
}
