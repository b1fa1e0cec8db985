import type { Documents } from '@assay/documents'
import type { CommandContext, CommandHandler, NumberBlocks } from '@assay/event-store'
import { type Clock, currentTrace, isoTime, type Logger } from '@assay/service-kit'
import { AssayError, messageOf } from '@assay/service-kit/errors'
import type { DueTime } from '@assay/work'
import { assemblies, assemblyAggregate } from '../assembly/aggregate.ts'
import type { AssemblyState } from '../assembly/assembly.ts'
import { crawlAggregate, crawls } from '../crawl/aggregate.ts'
import type { KnownCrawl } from '../crawl/crawl.ts'

/** If a lock is held for this many milliseconds and its crawl does not exist, the process that took it has died. */
const startMilliseconds = 60_000

/** A lock that allows one crawl per assembly, held from before the crawl starts until after it ends. */
export interface CrawlLocks {
  /** Takes the lock and starts the crawl. Throws the errors of `Crawler.start`. */
  begin(tenant: string, assemblyId: number, context: CommandContext, scheduled?: DueTime): Promise<KnownCrawl>
  release(tenant: string, assemblyId: number, crawlId: number): Promise<void>
  /** Starts the crawls and releases the locks that a dead process left. */
  repair(isRunning: () => boolean): Promise<void>
}

const system: CommandContext = { actor: 'system' }

/** `isSole`: when this process starts, no earlier process can still run. `onStarted`: the crawl waits for a worker. */
export function createCrawlLocks(deps: {
  handler: CommandHandler
  documents: Documents
  numbers: NumberBlocks
  clock: Clock
  logger: Logger
  isSole: boolean
  onStarted(tenant: string, crawl: KnownCrawl): void
}): CrawlLocks {
  const { handler, documents, numbers, clock, logger, onStarted } = deps
  const now = () => isoTime(clock.now())
  let waitMs = deps.isSole ? 0 : startMilliseconds

  async function release(tenant: string, assemblyId: number, crawlId: number): Promise<void> {
    const command = { type: 'EndCrawl', at: now(), by: 'system', crawlId } as const
    await handler.handle(assemblyAggregate, { tenant, id: assemblyId, command, context: system })
  }

  /** The ended crawl that still holds the assembly's lock. */
  async function endedHolder(tenant: string, assembly: AssemblyState): Promise<number | null> {
    if (assembly.status === 'absent' || assembly.crawlId === null) return null
    const { state } = await handler.load(crawlAggregate, tenant, assembly.crawlId)
    return state.status === 'running' || state.status === 'absent' ? null : assembly.crawlId
  }

  async function start(tenant: string, crawlId: number, assemblyId: number, context: CommandContext) {
    const trace = currentTrace()
    const of = { crawlId, assemblyId, by: context.actor, ...(trace.traceparent === undefined ? {} : { trace }) }
    const command = { type: 'StartCrawl', at: now(), ...of } as const
    const { state, events } = await handler.handle(crawlAggregate, { tenant, id: crawlId, command, context })
    if (state.status === 'absent') throw new AssayError('internal', 'The crawl was not started.')
    if (events.length > 0) onStarted(tenant, state)
    return state
  }

  async function repairOne(tenant: string, assemblyId: number, before: number): Promise<void> {
    const { state: assembly } = await handler.load(assemblyAggregate, tenant, assemblyId)
    if (assembly.status === 'absent' || assembly.crawlId === null) return
    const { crawlId, crawlBegunAt } = assembly
    const { state: crawl } = await handler.load(crawlAggregate, tenant, crawlId)
    if (crawl.status === 'running') return
    if (crawl.status === 'absent' && Date.parse(crawlBegunAt ?? '') > before) return
    if (crawl.status === 'absent' && assembly.status === 'active') await start(tenant, crawlId, assemblyId, system)
    else await release(tenant, assemblyId, crawlId)
  }

  return {
    async begin(tenant, assemblyId, context, scheduled) {
      const { state: before } = await handler.load(assemblyAggregate, tenant, assemblyId)
      const replaces = await endedHolder(tenant, before)
      const [crawlId = 0] = await numbers.take(tenant, 'crawl')
      const command = { type: 'BeginCrawl', at: now(), by: context.actor, crawlId, replaces, scheduled } as const
      await handler.handle(assemblyAggregate, { tenant, id: assemblyId, command, context })
      return start(tenant, crawlId, assemblyId, context)
    },
    release,
    async repair(isRunning) {
      const before = clock.now() - waitMs
      waitMs = startMilliseconds
      for await (const { tenant, document } of documents.scan(assemblies, {
        where: [{ field: 'crawling', is: true }],
      })) {
        if (!isRunning()) return
        const { record, crawlId } = document
        const crawl = crawlId === null ? undefined : await documents.get(crawls, tenant, crawlId)
        if (crawl?.document.record.status === 'RUNNING') continue
        try {
          await repairOne(tenant, record.id, before)
        } catch (error) {
          // A failure does not delay other assemblies; the next sweep retries.
          const about = { tenant, assemblyId: record.id, crawlId, error: messageOf(error) }
          logger.error(about, 'An interrupted start or end of a crawl could not be completed.')
        }
      }
    },
  }
}
