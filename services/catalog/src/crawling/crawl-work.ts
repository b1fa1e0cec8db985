import type { CommandContext } from '@assay/event-store'
import type { Logger, Timers } from '@assay/service-kit'
import { AssayError, isAssayError, messageOf } from '@assay/service-kit/errors'
import { type ClaimedWork, holds, type WorkProgress, type WorkSource } from '@assay/work'
import type { Removal } from '../assemblies/removal.ts'
import { assemblyAggregate } from '../assembly/aggregate.ts'
import { crawlAggregate, crawlWork } from '../crawl/aggregate.ts'
import { correlationOfCrawl } from '../crawl/correlation.ts'
import type { KnownCrawl } from '../crawl/crawl.ts'
import type { CrawlOutcome } from '../crawl/decide.ts'
import type { CrawlLocks } from './crawl-locks.ts'
import { type CrawlProgress, createCrawlProgress } from './progress.ts'
import { type CrawlTools, runCrawl } from './run-crawl.ts'

/** Delay in milliseconds before a crawl fails because engine or store is unavailable: the process may be stopping. */
const goneMilliseconds = 2_000
/** Maximum number of tables between two reports of the progress. */
const tablesPerStage = 200

const system: CommandContext = { actor: 'system' }

/** A crawl that this process runs. */
export interface RunningCrawl {
  progress: CrawlProgress
  /** Resolves after the last write. */
  ended: Promise<void>
}

export interface CrawlWork {
  work: WorkSource<WorkProgress>
  running(tenant: string, crawlId: number): RunningCrawl | undefined
}

type CarryOut = ClaimedWork<WorkProgress>['carryOut']

/** Crawls as a source of work for the worker. */
export function createCrawlWork(
  deps: CrawlTools & { locks: CrawlLocks; removal: Pick<Removal, 'remove'>; timers: Timers; logger: Logger },
): CrawlWork {
  const { handler, locks, removal, timers, logger } = deps
  const running = new Map<string, RunningCrawl>()
  const keyOf = (tenant: string, crawlId: number) => `${tenant}/${crawlId}`

  /** Marks assets that a crawl wrote after another instance had deleted its assembly and marked the existing ones. */
  async function markLateAssets(tenant: string, assemblyId: number): Promise<void> {
    try {
      const { state } = await handler.load(assemblyAggregate, tenant, assemblyId)
      if (state.status !== 'active') await removal.remove(tenant, assemblyId)
    } catch (error) {
      const about = { tenant, assemblyId, error: messageOf(error) }
      logger.error(about, 'Assets that a crawl found in a deleted assembly could not be marked as deleted.')
    }
  }

  async function crawlSource(
    { tenant, crawl, fence, progress }: { tenant: string; crawl: KnownCrawl; fence: number; progress: CrawlProgress },
    { signal, onProgress, confirm }: Parameters<CarryOut>[0],
  ): Promise<void> {
    const { counts } = progress
    const { assemblyId } = crawl
    /** Reads the log each time: assets that another instance has found since a cancel must not be marked as deleted. */
    const confirmNow = async () => {
      await confirm()
      const { state } = await handler.load(crawlAggregate, tenant, crawl.id)
      if (state.status !== 'running' || !holds(state.work ?? undefined, fence))
        throw new AssayError('unavailable', 'This crawl was cancelled, or another instance runs it.')
    }
    const onTaken = () => onProgress({ stage: `${counts.found}/${Math.floor(counts.done / tablesPerStage)}` })
    try {
      const { state: assembly } = await handler.load(assemblyAggregate, tenant, assemblyId)
      if (assembly.status !== 'active')
        throw new AssayError('unprocessable', 'The assembly of this crawl has been deleted.')
      const context = { ...system, correlationId: correlationOfCrawl(crawl.id) }
      await runCrawl(deps, { tenant, assembly, progress, context, signal, onTaken, confirm: confirmNow })
    } catch (error) {
      if (!signal.aborted && isAssayError(error, 'unavailable')) await timers.sleep(goneMilliseconds, signal)
      throw error
    } finally {
      await markLateAssets(tenant, assemblyId)
    }
  }

  function claimedCrawl(tenant: string, crawl: KnownCrawl, fence: number): ClaimedWork<WorkProgress> {
    const { id, assemblyId, trace } = crawl
    const progress = createCrawlProgress(deps, { tenant, crawl, fence, context: system })
    const end = async (outcome: CrawlOutcome) => {
      const { status } = await progress.end(outcome, system)
      if (status !== 'running') await locks.release(tenant, assemblyId, id)
      return status === 'successful'
    }
    return {
      what: 'crawl',
      about: { tenant, crawlId: id, assemblyId },
      trace,
      renew: progress.report,
      async carryOut(options) {
        const crawling = crawlSource({ tenant, crawl, fence, progress }, options)
        const ended = crawling.then(undefined, () => undefined)
        running.set(keyOf(tenant, id), { progress, ended })
        await crawling.finally(() => running.delete(keyOf(tenant, id)))
        return { succeed: () => end({ kind: 'finished' }) }
      },
      fail: async (_at, reason) => void (await end({ kind: 'failed', reason })),
      release: progress.release,
    }
  }

  return {
    running: (tenant, crawlId) => running.get(keyOf(tenant, crawlId)),
    work: {
      kind: crawlWork,
      what: 'crawl',
      repair: locks.repair,
      async claim({ tenant, id }, claim) {
        const command = { type: 'ClaimCrawl', ...claim } as const
        const request = { tenant, id: Number(id), command, context: system }
        const { state, events } = await handler.handle(crawlAggregate, request)
        if (events.length === 0 || state.status === 'absent') return undefined
        if (state.work?.status === 'running') return claimedCrawl(tenant, state, state.work.claim.fence)
        await locks.release(tenant, state.assemblyId, state.id)
        return undefined
      },
    },
  }
}
