import {
  type Crawl,
  openableSourceTypes,
  annotationOperations as operations,
  unknownOfPipelineRecord,
} from '@assay/contracts'
import type { Documents } from '@assay/documents'
import { type Route, route } from '@assay/service-kit'
import { AssayError, isAssayError } from '@assay/service-kit/errors'
import { contextOf } from '../assemblies/assembly-routes.ts'
import { findAssembly } from '../assemblies/find-assembly.ts'
import { crawls } from '../crawl/aggregate.ts'
import type { Crawler } from '../crawling/crawler.ts'
import { sourceTypeNamed } from '../types/source-types.ts'

/** The only data plane is Assay's own engine. */
const pipelineId = 1
const pipelineName = 'default'

function crawlerStatusOf(status: Crawl['status']): 'RUNNING' | 'COMPLETED' | 'FAILED' {
  if (status === 'RUNNING') return 'RUNNING'
  return status === 'SUCCESSFUL' ? 'COMPLETED' : 'FAILED'
}

/** Routes that older clients call in addition to the routes of assemblies and crawls. */
export function clientRoutes(deps: { documents: Documents; crawler: Crawler; version: string }): Route[] {
  const { documents, crawler, version } = deps
  return [
    route(operations.listConnectionTypes, async () => {
      const data = openableSourceTypes.flatMap((type) => {
        const id = sourceTypeNamed(type)?.id
        return id === undefined ? [] : [{ id, type }]
      })
      return { body: { data } }
    }),
    route(operations.getAnalyticsPipeline, async (call) => {
      const { identifier } = call.params
      if (identifier !== pipelineName && identifier !== String(pipelineId))
        throw new AssayError('not-found', `There is no such data plane. The only one is named ${pipelineName}.`)
      return {
        body: {
          pipeline: {
            id: pipelineId,
            name: pipelineName,
            tenantId: call.identity.tenant,
            version,
            dataplaneType: 'EMBEDDED',
            statusReportInterval: 0,
            isHosted: true,
            isInternalCall: true,
            isPaused: false,
            isRequestSentByDataplane: false,
            isRotationInProgress: false,
            description: '',
            status: 'ACTIVE',
            ...unknownOfPipelineRecord,
          },
        },
      }
    }),
    route(operations.getCrawlerStatus, async (call) => {
      const { tenant } = call.identity
      const { document } = await findAssembly(documents, tenant, call.params.assemblyName)
      const { documents: found } = await documents.find(crawls, tenant, {
        where: [{ field: 'assemblyId', is: document.record.id }],
        sort: [{ field: 'id', direction: 'desc' }],
        size: 1,
      })
      const last = found[0]?.record.status
      if (last === undefined) throw new AssayError('not-found', 'This assembly was never crawled.')
      return { body: { data: { assemblyName: document.record.name, status: crawlerStatusOf(last) } } }
    }),
    route(operations.startCrawler, async (call) => {
      const { tenant } = call.identity
      const { document } = await findAssembly(documents, tenant, call.params.assemblyName)
      const { id, name: assemblyName } = document.record
      try {
        await crawler.start(tenant, id, contextOf(call))
        return { body: { data: { assemblyName, isSuccess: true } } }
      } catch (error) {
        if (!isAssayError(error, 'unprocessable')) throw error
        return { body: { data: { assemblyName, isSuccess: false } } }
      }
    }),
  ]
}
