import { nextRuns } from '@assay/contracts'
import type { Documents } from '@assay/documents'
import type { Clock, Logger, Timers } from '@assay/service-kit'
import { isAssayError, messageOf } from '@assay/service-kit/errors'
import { assemblies } from '../assembly/aggregate.ts'
import type { Crawler } from './crawler.ts'

const tickMilliseconds = 15_000

/**
 * Starts the crawls of assemblies that have a schedule. A time at which the service did not run, or at which another
 * crawl of the assembly runs, is left out: a crawl looks at everything anyway. Two instances may both be at it; the
 * place for one crawl lets one of them through.
 */
export function createCrawlSchedule(deps: {
  documents: Documents
  crawler: Crawler
  clock: Clock
  timers: Timers
  logger: Logger
}): { start(): void; stop(): Promise<void> } {
  const { documents, crawler, clock, timers, logger } = deps
  let ticker: { stop(): void } | undefined
  let ticking: Promise<void> | undefined
  let lookedAt = clock.now()

  async function tick(): Promise<void> {
    const from = lookedAt
    const now = clock.now()
    lookedAt = now
    for await (const { tenant, id, document } of documents.scan(assemblies, {
      where: [{ field: 'isScheduled', is: true }],
    })) {
      const { schedule, timeZone } = document.record
      if (schedule === null) continue
      const [due] = nextRuns(schedule, timeZone, from, 1)
      if (due === undefined || due > now) continue
      try {
        await crawler.start(tenant, Number(id), { actor: 'system' })
      } catch (error) {
        const about = { tenant, assemblyId: id, error: messageOf(error) }
        if (isAssayError(error, 'unprocessable')) logger.info(about, 'A scheduled crawl was left out.')
        else logger.error(about, 'A scheduled crawl could not be started.')
      }
    }
  }

  return {
    start() {
      lookedAt = clock.now()
      ticker = timers.every(tickMilliseconds, () => {
        ticking ??= tick()
          .catch((error: unknown) => logger.error({ error: messageOf(error) }, 'Schedules could not be looked at.'))
          .finally(() => {
            ticking = undefined
          })
      })
    },
    async stop() {
      ticker?.stop()
      await ticking
    },
  }
}
