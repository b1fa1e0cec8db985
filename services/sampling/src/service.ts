import { copiesBehind, keepingCopies, topicsOf } from '@assay/catalog-copies'
import { sampleData } from '@assay/contracts'
import {
  type AnyAggregate,
  createCommandHandler,
  createReadYourWrites,
  notingWrites,
  streamSnapshots,
} from '@assay/event-store'
import type { Subscription } from '@assay/message-bus'
import type { Service } from '@assay/service-kit'
import { messageOf } from '@assay/service-kit/errors'
import { createRequestedFiles, openWork } from '@assay/work'
import { v4 } from 'uuid'
import { assetSamplesAggregate, sampleJobs } from './asset-samples/aggregate.ts'
import { samplingCopies } from './copies/copies.ts'
import { samplingDatabases } from './copies/databases.ts'
import { samplingTables } from './copies/tables.ts'
import { samplingTagCopies } from './copies/tags.ts'
import { samplingTemplates } from './copies/templates.ts'
import type { SamplingServiceDeps } from './dependencies.ts'
import { measuredSamples } from './measured-samples.ts'
import { createPublisher } from './publishing/publisher.ts'
import { isPublished } from './publishing/sample-messages.ts'
import { requestingRoutes } from './requesting/routes.ts'
import { createSampleWorker } from './sampling/worker.ts'

export { samplingCopies } from './copies/copies.ts'
export type { SamplingServiceDeps } from './dependencies.ts'

/** Collections, for the documents adapter. */
export const samplingCollections = [
  sampleJobs,
  samplingTables,
  samplingTagCopies.tags,
  samplingTagCopies.associations,
  samplingTemplates,
  samplingDatabases,
  openWork,
  streamSnapshots,
] as const

/** Aggregates for repair and rebuild. Local read models of the catalog's tables and tags come from the bus. */
export const samplingAggregates: readonly AnyAggregate[] = [assetSamplesAggregate]

const defaultCacheMs = 60 * 60_000

/** Shows the first rows of assets. */
export function createSamplingService(deps: SamplingServiceDeps): Service {
  const { documents, timers, bus, logger, cacheMs = defaultCacheMs } = deps
  const commands = createCommandHandler({
    ...deps,
    commit: measuredSamples(notingWrites(deps.commit, isPublished), deps.metrics),
  })
  const readYourWrites = createReadYourWrites({ timers, missing: copiesBehind(documents, samplingCopies) })
  const stored = createRequestedFiles({ ...deps, folder: 'samples', schema: sampleData })
  const worker = createSampleWorker({ ...deps, commands, stored })
  const publisher = createPublisher({
    ...deps,
    onError: (error, { event, parked }) => {
      const about = { stream: event?.stream, revision: event?.revision, parked, error: messageOf(error) }
      logger.error(about, 'an event of a sample was not published')
    },
  })
  /** Time-ordered ids, as used elsewhere, could be guessed in part. */
  const newRequestId = () => v4({ random: deps.newSecret() })
  let subscription: Subscription | undefined

  return {
    name: 'sampling',
    routes: requestingRoutes({ ...deps, commands, readYourWrites, stored, worker, newRequestId, cacheMs }),
    async start() {
      const handle = keepingCopies({ documents, copies: samplingCopies })
      subscription = await bus.subscribe({ topics: topicsOf(samplingCopies), group: 'sampling', handle })
      await publisher.start()
      worker.start()
    },
    async stop() {
      await worker.stop()
      await subscription?.close()
      subscription = undefined
      await publisher.stop()
    },
    async problems() {
      // Parked streams do not make the service unready: other streams continue, and one parked stream would take every
      // replica out of service.
      return subscription === undefined ? ['The sampling service has not started.'] : []
    },
  }
}
