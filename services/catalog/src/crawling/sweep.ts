import type { Documents } from '@assay/documents'
import type { Logger } from '@assay/service-kit'
import { messageOf } from '@assay/service-kit/errors'
import { assemblies } from '../assembly/aggregate.ts'
import type { Crawler } from './crawler.ts'

/**
 * Looks after the crawls that are open, those that a process left which died among them. `isSole`: at the start of the only
 * instance, when nothing of an earlier process can still be running.
 */
export async function sweepCrawls(
  deps: { documents: Documents; logger: Logger; crawler: Pick<Crawler, 'lookAfter'> },
  options: { isSole: boolean },
): Promise<void> {
  const { documents, logger, crawler } = deps
  for await (const { tenant, id } of documents.scan(assemblies, { where: [{ field: 'crawling', is: true }] })) {
    try {
      await crawler.lookAfter(tenant, Number(id), options)
    } catch (error) {
      // It does not hold up the others; the next sweep tries again.
      logger.error({ tenant, assemblyId: id, error: messageOf(error) }, 'An open crawl could not be looked after.')
    }
  }
}
