import { catalogOperations } from '@assay/contracts'
import { type Documents, findPage } from '@assay/documents'
import { type Route, route } from '@assay/service-kit'
import { AssayError } from '@assay/service-kit/errors'
import { contextOf } from '../assemblies/assembly-routes.ts'
import { assemblies } from '../assembly/aggregate.ts'
import { crawlRecordOf, crawls } from '../crawl/aggregate.ts'
import type { Crawler } from './crawler.ts'

/**
 * The answered positions are positions of table events: other services receive these, so nobody ever waits for an event
 * that never reaches them.
 */
export function crawlRoutes(deps: { documents: Documents; crawler: Crawler }): Route[] {
  const { documents, crawler } = deps
  return [
    route(catalogOperations.startCrawl, async (call) => {
      const crawl = await crawler.start(call.identity.tenant, call.params.id, contextOf(call))
      return { body: { data: crawlRecordOf(crawl) } }
    }),
    route(catalogOperations.listCrawls, async (call) => {
      const { tenant } = call.identity
      const { page, size, sortBy } = call.query
      // A deleted assembly keeps its list of crawls.
      if ((await documents.get(assemblies, tenant, call.params.id)) === undefined)
        throw new AssayError('not-found', 'There is no such assembly.')
      const { documents: found, count } = await findPage(documents, call, crawls, {
        tenant,
        where: [{ field: 'assemblyId', is: call.params.id }],
        sort: [sortBy ?? { field: 'id', direction: 'desc' }],
        page,
        size,
      })
      return { body: { data: found.map(({ record }) => record), meta: { count, page, size } } }
    }),
    route(catalogOperations.getCrawl, async (call) => {
      const stored = await documents.get(crawls, call.identity.tenant, call.params.id)
      if (stored === undefined) throw new AssayError('not-found', 'There is no such crawl.')
      const { record, tablePosition } = stored.document
      return { body: { data: record }, position: tablePosition ?? undefined }
    }),
    route(catalogOperations.cancelCrawl, async (call) => {
      const crawl = await crawler.cancel(call.identity.tenant, call.params.id, contextOf(call))
      return { body: { data: crawlRecordOf(crawl) }, position: crawl.tablePosition ?? undefined }
    }),
  ]
}
