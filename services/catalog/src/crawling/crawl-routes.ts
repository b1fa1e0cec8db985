import { catalogOperations } from '@assay/contracts'
import { type Documents, findPage } from '@assay/documents'
import { comparePositions, type Position } from '@assay/event-store'
import { type Route, route } from '@assay/service-kit'
import { AssayError } from '@assay/service-kit/errors'
import { contextOf } from '../assemblies/assembly-routes.ts'
import { assemblies } from '../assembly/aggregate.ts'
import { crawlRecordOf, crawls } from '../crawl/aggregate.ts'
import type { Crawler } from './crawler.ts'

function latest(positions: readonly (Position | null)[]): Position | undefined {
  const known = positions.filter((position) => position !== null)
  return known.toSorted(comparePositions).at(-1)
}

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
      const body = { data: found.map(({ record }) => record), meta: { count, page, size } }
      return { body, position: latest(found.map(({ tablePosition }) => tablePosition)) }
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
