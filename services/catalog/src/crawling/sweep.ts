import type { Documents } from '@assay/documents'
import type { CommandHandler } from '@assay/event-store'
import { type Clock, isoTime, type Logger } from '@assay/service-kit'
import { isAssayError, messageOf } from '@assay/service-kit/errors'
import { assemblies } from '../assembly/aggregate.ts'
import { crawlAggregate, crawls } from '../crawl/aggregate.ts'
import type { EndCrawlRun } from '../crawl/decide.ts'
import type { Crawler } from './crawler.ts'

/** A crawl reports every 30 s at least; one that has not for so long runs nowhere. With the sweep's own pause: under two minutes. */
const silenceMilliseconds = 75_000

/**
 * Looks after what an earlier process left open: crawls that run nowhere are taken up, or become FAILED with the reason
 * where they cannot be, and places of ended crawls are given back. `first`: at the start of the only instance, when nothing
 * of an earlier process can still be running.
 */
export async function sweepCrawls(
  deps: {
    handler: CommandHandler
    documents: Documents
    clock: Clock
    logger: Logger
    crawler: Pick<Crawler, 'takeUp' | 'isRunningHere' | 'release'>
  },
  options: { first: boolean },
): Promise<void> {
  const { handler, documents, clock, logger, crawler } = deps
  const left = new Set<string>()

  for await (const { tenant, document } of documents.scan(crawls, { where: [{ field: 'status', is: 'RUNNING' }] })) {
    const { record, runner, seenAt } = document
    if (crawler.isRunningHere(tenant, record.id)) continue
    const isSilent = clock.now() - Date.parse(seenAt) >= silenceMilliseconds
    if (!options.first && !isSilent && runner !== null) continue
    const { id, assemblyId } = record
    try {
      await crawler.takeUp(tenant, { id, assemblyId, runner, seenAt })
    } catch (error) {
      if (!isAssayError(error, 'unprocessable')) {
        // The others are not held up by it; it keeps its place, and is tried again.
        logger.error({ tenant, crawlId: id, error: messageOf(error) }, 'A crawl that ran nowhere was not taken up.')
        left.add(`${tenant}/${id}`)
        continue
      }
      const outcome = { kind: 'failed', reason: error.message } as const
      const command: EndCrawlRun = { type: 'EndCrawlRun', at: isoTime(clock.now()), errors: [], outcome }
      await handler.handle(crawlAggregate, { tenant, id, command, context: { actor: 'system' } })
      await crawler.release(tenant, assemblyId, id)
      logger.warn({ tenant, crawlId: id, runner, error: error.message }, 'A crawl that ran nowhere was ended.')
    }
  }
  if (!options.first) return
  for await (const { tenant, id, document } of documents.scan(assemblies)) {
    const { crawlId } = document
    if (crawlId === null || crawler.isRunningHere(tenant, crawlId) || left.has(`${tenant}/${crawlId}`)) continue
    try {
      await crawler.release(tenant, Number(id), crawlId)
    } catch (error) {
      logger.error({ tenant, crawlId, error: messageOf(error) }, 'The place of an ended crawl could not be freed.')
    }
  }
}
