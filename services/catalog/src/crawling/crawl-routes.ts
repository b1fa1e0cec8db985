import { catalogOperations } from '@assay/contracts'
import { type Documents, findPage } from '@assay/documents'
import { type Route, route } from '@assay/service-kit'
import { AssayError } from '@assay/service-kit/errors'
import { contextOf } from '../assemblies/assembly-routes.ts'
import { assemblies } from '../assembly/aggregate.ts'
import { crawlRecordOf, crawls } from '../crawl/aggregate.ts'
import type { Crawler } from './crawler.ts'

/** Maximum number of tables that the answer with a list names. */
const maxNamed = 16

/** What a caller who has seen crawls should find at other services: their tables. */
function tablesOf(crawls: readonly { lastTable: string | null }[]): string[] {
  return crawls.flatMap(({ lastTable }) => lastTable ?? []).slice(0, maxNamed)
}

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
      return { body, states: tablesOf(found) }
    }),
    route(catalogOperations.getCrawl, async (call) => {
      const stored = await documents.get(crawls, call.identity.tenant, call.params.id)
      if (stored === undefined) throw new AssayError('not-found', 'There is no such crawl.')
      return { body: { data: stored.document.record }, states: tablesOf([stored.document]) }
    }),
    route(catalogOperations.cancelCrawl, async (call) => {
      const crawl = await crawler.cancel(call.identity.tenant, call.params.id, contextOf(call))
      return { body: { data: crawlRecordOf(crawl) }, states: tablesOf([crawl]) }
    }),
  ]
}
