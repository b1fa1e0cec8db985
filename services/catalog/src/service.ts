import type { CollectionShape } from '@assay/documents'
import { type AnyAggregate, createCommandHandler, createNumberBlocks, createReservations } from '@assay/event-store'
import type { Service } from '@assay/service-kit'
import { messageOf } from '@assay/service-kit/errors'
import { assemblyReadRoutes, assemblyWriteRoutes } from './assemblies/assembly-routes.ts'
import { withoutOwnData } from './assemblies/own-data.ts'
import { createRemoval } from './assemblies/removal.ts'
import { createSourceCheck } from './assemblies/source-check.ts'
import { assemblies, assemblyAggregate } from './assembly/aggregate.ts'
import { assetAggregate } from './asset/aggregate.ts'
import { assets, assetTables } from './asset/collections.ts'
import { assetRoutes } from './assets/asset-routes.ts'
import { crawlAggregate, crawls } from './crawl/aggregate.ts'
import { crawlRoutes } from './crawling/crawl-routes.ts'
import { createCrawler } from './crawling/crawler.ts'
import { createCrawlSchedule } from './crawling/schedule.ts'
import { sweepCrawls } from './crawling/sweep.ts'
import { createUidClaims } from './crawling/uid-claims.ts'
import type { CatalogDependencies } from './dependencies.ts'
import { createPublisher } from './publishing/publisher.ts'
import { typeRoutes } from './types/type-routes.ts'

export { assetAggregate } from './asset/aggregate.ts'
export type { CatalogDependencies } from './dependencies.ts'
export { tableMessageOf } from './publishing/publisher.ts'

/** Kinds of documents that the catalog keeps, for the adapter that makes their tables. */
export const catalogCollections: readonly CollectionShape[] = [assemblies, crawls, assets, assetTables]

/** For the repair and the rebuild of documents. */
export const catalogAggregates: readonly AnyAggregate[] = [assemblyAggregate, crawlAggregate, assetAggregate]

const sweepMilliseconds = 30_000

/** Assemblies, crawls, assets and their types. Its promises stand in the README. */
export function createCatalogService(given: CatalogDependencies): Service {
  const engine = withoutOwnData(given.engine, given.ownFolders ?? [], given.resolvePath)
  const deps = { ...given, engine }
  const { store, documents, clock, timers, newId, logger, soleInstance = true } = deps
  const handler = createCommandHandler(deps)
  // A first crawl takes an id for each column, so they come in large blocks.
  const numbers = createNumberBlocks({ store, clock, newId, blockSizes: { asset: 1000 } })
  const reservations = createReservations({ store, clock, newId })
  const sourceCheck = createSourceCheck(deps)
  const tools = { ...deps, handler, numbers, reservations, sourceCheck, claims: createUidClaims() }
  const crawler = createCrawler(tools)
  const removal = createRemoval(tools)
  const schedule = createCrawlSchedule({ ...deps, crawler })
  const publisher = createPublisher({ ...deps, handler })
  let sweeper: { stop(): void } | undefined
  let sweeping: Promise<void> | undefined

  async function sweep(first: boolean): Promise<void> {
    await sweepCrawls({ handler, documents, clock, logger, crawler }, { first })
    await removal.resume()
  }

  function sweepNow(): void {
    sweeping ??= sweep(false)
      .catch((error: unknown) => logger.warn({ error: messageOf(error) }, 'Crawls could not be looked over.'))
      .finally(() => {
        sweeping = undefined
      })
  }

  return {
    name: 'catalog',
    routes: [
      ...assemblyWriteRoutes({ ...tools, crawler, removal }),
      ...assemblyReadRoutes(deps),
      ...crawlRoutes({ documents, crawler }),
      ...assetRoutes(deps),
      ...typeRoutes(deps),
    ],
    async start() {
      await sweep(soleInstance)
      await publisher.start()
      schedule.start()
      sweeper = timers.every(sweepMilliseconds, sweepNow)
    },
    async stop() {
      sweeper?.stop()
      await Promise.all([sweeping, schedule.stop()])
      await Promise.all([crawler.stop(), removal.stop()])
      await publisher.stop()
    },
    async problems() {
      const parked = await publisher.parked()
      return parked.map(({ stream, reason }) => `Events of ${stream} are not published: ${reason}`)
    },
  }
}
