import type { CommandContext } from '@assay/event-store'
import { isoTime, type Logger, type NewId, type Timers } from '@assay/service-kit'
import { AssayError } from '@assay/service-kit/errors'
import { createWorker, type DueTime } from '@assay/work'
import type { Removal } from '../assemblies/removal.ts'
import { assemblyAggregate } from '../assembly/aggregate.ts'
import { crawlAggregate } from '../crawl/aggregate.ts'
import type { CrawlState, KnownCrawl } from '../crawl/crawl.ts'
import type { CancelCrawl } from '../crawl/decide.ts'
import { createCrawlLocks } from './crawl-locks.ts'
import { createCrawlWork } from './crawl-work.ts'
import type { CrawlTools } from './run-crawl.ts'

/** Maximum time that a cancel waits for the crawl to end by itself, with its counts, in milliseconds. */
const endMilliseconds = 5_000
/** Maximum number of concurrent crawls: the engine stays busy while some of them mark vanished assets. */
const crawlsAtOnce = 8

export interface Crawler {
  /**
   * Starts a crawl and returns immediately. `scheduled`: its due time, for a scheduled crawl. Throws `not-found`,
   * `unprocessable` while another crawl runs, `taken` if another replica took the due time.
   */
  start(tenant: string, assemblyId: number, context: CommandContext, scheduled?: DueTime): Promise<KnownCrawl>
  /** Throws `not-found`, `unprocessable` if the crawl has ended. */
  cancel(tenant: string, crawlId: number, context: CommandContext): Promise<KnownCrawl>
  /** Aborts the crawl of a deleted assembly. A crawl in another process ends at its next report. */
  abortOf(tenant: string, assemblyId: number, reason: string): Promise<void>
  /** Starts to run crawls, including unfinished crawls of earlier processes. */
  resume(): void
  /** Releases all crawls, so that the next start or another instance continues them. */
  stop(): Promise<void>
}

const system: CommandContext = { actor: 'system' }

export function createCrawler(
  deps: CrawlTools & {
    removal: Pick<Removal, 'remove'>
    timers: Timers
    newId: NewId
    logger: Logger
    soleInstance?: boolean | undefined
  },
): Crawler {
  const { handler, clock, timers, newId, soleInstance: isSole = false } = deps
  const locks = createCrawlLocks({
    ...deps,
    isSole,
    onStarted: (tenant, { id, startedAt }) => worker.take({ tenant, id: String(id), startedAt }),
  })
  const { work, running } = createCrawlWork({ ...deps, locks })
  const worker = createWorker({ ...deps, work, workerId: newId(), maxAtOnce: crawlsAtOnce, isSole })

  /** If this process runs the crawl, the event has its latest counts. */
  async function abort(
    { tenant, crawlId, context }: { tenant: string; crawlId: number; context: CommandContext },
    { type, reason }: Pick<CancelCrawl, 'type' | 'reason'>,
  ): Promise<CrawlState> {
    const run = running(tenant, crawlId)
    worker.cancelled(tenant, String(crawlId))
    if (run !== undefined) {
      const waiting = new AbortController()
      await Promise.race([run.ended, timers.sleep(endMilliseconds, waiting.signal)])
      waiting.abort()
      const state = await run.progress.end({ kind: 'aborted', reason }, context)
      if (state.status === 'aborted') return state
    }
    const command = { type, at: isoTime(clock.now()), reason } as const
    return (await handler.handle(crawlAggregate, { tenant, id: crawlId, command, context })).state
  }

  return {
    start: locks.begin,
    async cancel(tenant, crawlId, context) {
      const reason = `The crawl was cancelled by ${context.actor}.`
      const crawl = await abort({ tenant, crawlId, context }, { type: 'CancelCrawl', reason })
      if (crawl.status === 'absent') throw new AssayError('not-found', 'There is no such crawl.')
      await locks.release(tenant, crawl.assemblyId, crawlId)
      return crawl
    },
    async abortOf(tenant, assemblyId, reason) {
      const { state } = await handler.load(assemblyAggregate, tenant, assemblyId)
      if (state.status === 'absent' || state.crawlId === null) return
      await abort({ tenant, crawlId: state.crawlId, context: system }, { type: 'AbortCrawl', reason })
      await locks.release(tenant, assemblyId, state.crawlId)
    },
    resume: worker.start,
    stop: worker.stop,
  }
}
