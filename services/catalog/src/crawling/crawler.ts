import type { CommandContext } from '@assay/event-store'
import { isoTime, type Logger, type NewId, type Timers } from '@assay/service-kit'
import { AssayError, isAssayError, messageOf } from '@assay/service-kit/errors'
import type { DueTime } from '@assay/work'
import { assemblyAggregate } from '../assembly/aggregate.ts'
import type { AssemblyState, KnownAssembly } from '../assembly/assembly.ts'
import { crawlAggregate } from '../crawl/aggregate.ts'
import type { CrawlState, KnownCrawl } from '../crawl/crawl.ts'
import type { EndCrawlRun, FailLeftCrawl, TakeUpCrawl } from '../crawl/decide.ts'
import { claimedUntil, createCrawlProgress } from './progress.ts'
import { type CrawlTools, runCrawl } from './run-crawl.ts'
import { vanishAssets } from './vanishing.ts'

/** How long a cancel waits for the crawl to end by itself, with its figures. */
const endMilliseconds = 5_000
/** How long before a crawl without engine or store counts as failed: the cause may be a stop of the whole process. */
const goneMilliseconds = 2_000
/** A place that was taken for a crawl of which nothing is known after this time was taken by a process that died. */
const birthMilliseconds = 60_000

export interface Crawler {
  /**
   * Starts a crawl and answers at once; `scheduled`: a due one. Errors: `not-found`, `unprocessable` while one runs,
   * `taken` if another replica took the due time.
   */
  start(
    tenant: string,
    assemblyId: number,
    context: CommandContext,
    scheduled?: DueTime,
  ): Promise<{ crawl: KnownCrawl }>
  /** Errors: `not-found`, `unprocessable` if it has ended. */
  cancel(tenant: string, crawlId: number, context: CommandContext): Promise<{ crawl: KnownCrawl }>
  /**
   * Aborts the crawl of a deleted assembly and waits for its end; one that runs elsewhere ends with its next report.
   */
  abortOf(tenant: string, assemblyId: number, reason: string): Promise<void>
  /** Releases all crawls, for the next start or another instance, and waits for that. No crawl starts afterwards. */
  stop(): Promise<void>
  /**
   * Looks after the crawl that holds the place of an assembly: goes on with one whose worker died or gave it back, from its
   * beginning (what is there already is not written again), begins one whose start died, fails one that nobody may go on
   * with, and frees the place of one that has ended. Of several instances that try, one does. `isSole`: there is no other.
   */
  lookAfter(tenant: string, assemblyId: number, options: { isSole: boolean }): Promise<void>
}

/** A crawl that this worker has claimed. */
interface Held {
  crawl: KnownCrawl
  fence: number
}

interface Run {
  tenant: string
  assemblyId: number
  controller: AbortController
  ended: Promise<void>
}

const system: CommandContext = { actor: 'system' }

/** The assembly was deleted here; its assets are marked once the crawl has ended. */
class DeletedHere extends Error {}

export function createCrawler(deps: CrawlTools & { timers: Timers; newId: NewId; logger: Logger }): Crawler {
  const { handler, numbers, clock, timers, newId, logger } = deps
  const worker = newId()
  const runs = new Map<string, Run>()
  const stopping = new AbortController()
  const stopped = new Error('The service stops.')
  const keyOf = (tenant: string, crawlId: number) => `${tenant}/${crawlId}`
  const now = () => isoTime(clock.now())

  async function release(tenant: string, assemblyId: number, crawlId: number): Promise<void> {
    const command = { type: 'EndCrawl', at: now(), by: 'system', crawlId } as const
    await handler.handle(assemblyAggregate, { tenant, id: assemblyId, command, context: system })
  }

  function outcomeOf(error: unknown, signal: AbortSignal): EndCrawlRun['outcome'] {
    if (signal.aborted) return { kind: 'aborted', reason: messageOf(signal.reason) }
    if (isAssayError(error) && error.code !== 'internal') return { kind: 'failed', reason: error.message }
    return {
      kind: 'failed',
      reason:
        'The crawl failed because of an error in Assay. Try again; if it fails again, an operator finds the cause in the log.',
    }
  }

  /** Why a crawl ended early; `undefined`: the service stops. */
  async function failureOf(error: unknown, { signal }: AbortController): Promise<EndCrawlRun['outcome'] | undefined> {
    if (!signal.aborted && isAssayError(error, 'unavailable')) await timers.sleep(goneMilliseconds, signal)
    return signal.reason === stopped ? undefined : outcomeOf(error, signal)
  }

  async function carryOut(
    tenant: string,
    { crawl, fence }: Held,
    assembly: KnownAssembly,
    controller: AbortController,
  ) {
    const { signal } = controller
    const about = { tenant, crawlId: crawl.id, assemblyId: assembly.id }
    const progress = createCrawlProgress(deps, {
      tenant,
      crawl,
      fence,
      context: system,
      onEnded: () => controller.abort(new Error('The crawl was cancelled, or another instance has it.')),
      onError: (error) => logger.warn({ ...about, error: messageOf(error) }, 'A crawl could not tell its progress.'),
    })
    let outcome: EndCrawlRun['outcome'] | undefined = { kind: 'finished' }
    try {
      await runCrawl(deps, { tenant, assembly, progress, context: system, signal })
    } catch (error) {
      outcome = await failureOf(error, controller)
      if (outcome?.kind === 'failed') logger.warn({ ...about, error: messageOf(error) }, 'A crawl failed.')
    }
    try {
      const { status } = await (outcome === undefined ? progress.giveBack() : progress.end(outcome))
      // It keeps the slot while it runs elsewhere, or waits for that.
      if (status !== 'running') await release(tenant, assembly.id, crawl.id)
    } catch (error) {
      // The sweep takes it over, as a crawl without a runner.
      logger.error({ ...about, error: messageOf(error) }, 'The end of a crawl could not be written.')
    }
    if (signal.reason instanceof DeletedHere) return
    await clearDeleted(tenant, assembly.id).catch((error: unknown) =>
      logger.error({ ...about, error: messageOf(error) }, 'What a crawl found of a deleted assembly is not marked.'),
    )
  }

  /** Marks what a crawl has written after another instance had deleted its assembly and marked the existing assets. */
  async function clearDeleted(tenant: string, assemblyId: number): Promise<void> {
    const { state } = await handler.load(assemblyAggregate, tenant, assemblyId)
    if (state.status === 'active') return
    const reason = 'assembly-deleted'
    const { signal } = stopping
    const of = { tenant, assemblyId, reason, keep: () => false, context: system, signal, onVanished() {} } as const
    await vanishAssets(deps, of)
  }

  /** The crawl that holds the assembly's place though it has ended. */
  async function endedOne(tenant: string, assembly: AssemblyState): Promise<number | null> {
    if (assembly.status === 'absent' || assembly.crawlId === null) return null
    const { state } = await handler.load(crawlAggregate, tenant, assembly.crawlId)
    return state.status === 'running' || state.status === 'absent' ? null : assembly.crawlId
  }

  /** Begins to carry out what this worker has claimed. */
  async function begin(tenant: string, crawl: CrawlState, assembly: KnownAssembly): Promise<void> {
    if (crawl.status !== 'running' || crawl.work?.status !== 'running') return
    const { fence } = crawl.work.claim
    if (stopping.signal.aborted) {
      const { id, counts, tablePosition } = crawl
      const told = { at: now(), until: now(), fence, counts, errors: [], tablePosition }
      const command = { type: 'GiveBackCrawl', ...told } as const
      await handler.handle(crawlAggregate, { tenant, id, command, context: system })
      return
    }
    const controller = new AbortController()
    const key = keyOf(tenant, crawl.id)
    const ended = carryOut(tenant, { crawl, fence }, assembly, controller).finally(() => runs.delete(key))
    runs.set(key, { tenant, assemblyId: assembly.id, controller, ended })
  }

  /** Claims a crawl for the first time. Of several who try, one gets it. */
  async function startCrawl(tenant: string, crawlId: number, assembly: KnownAssembly, context: CommandContext) {
    const at = clock.now()
    const of = { crawlId, assemblyId: assembly.id, by: context.actor, worker }
    const command = { type: 'StartCrawl', at: isoTime(at), until: claimedUntil(at), ...of } as const
    const { state, events } = await handler.handle(crawlAggregate, { tenant, id: crawlId, command, context })
    if (events.length > 0) await begin(tenant, state, assembly)
    return state
  }

  return {
    async start(tenant, assemblyId, context, scheduled) {
      if (stopping.signal.aborted)
        throw new AssayError('unavailable', 'The service is stopping. Try again in a moment.')
      const { state: before } = await handler.load(assemblyAggregate, tenant, assemblyId)
      const replaces = await endedOne(tenant, before)
      const [crawlId = 0] = await numbers.take(tenant, 'crawl')
      const by = context.actor
      const place = { type: 'BeginCrawl', at: now(), by, crawlId, replaces, scheduled } as const
      const { state: assembly } = await handler.handle(assemblyAggregate, {
        tenant,
        id: assemblyId,
        command: place,
        context,
      })
      const crawl = assembly.status === 'absent' ? undefined : await startCrawl(tenant, crawlId, assembly, context)
      if (crawl === undefined || crawl.status === 'absent')
        throw new AssayError('internal', 'A crawl was begun without its assembly.')
      return { crawl }
    },
    async cancel(tenant, crawlId, context) {
      const reason = `The crawl was cancelled by ${context.actor}.`
      const { state: before } = await handler.load(crawlAggregate, tenant, crawlId)
      const run = runs.get(keyOf(tenant, crawlId))
      if (run !== undefined && before.status === 'running') {
        run.controller.abort(new Error(reason))
        const waiting = new AbortController()
        await Promise.race([run.ended, timers.sleep(endMilliseconds, waiting.signal)])
        waiting.abort()
        const { state } = await handler.load(crawlAggregate, tenant, crawlId)
        if (state.status === 'aborted') return { crawl: state }
      }
      const command = { type: 'CancelCrawl', at: now(), reason } as const
      const { state } = await handler.handle(crawlAggregate, { tenant, id: crawlId, command, context })
      if (state.status === 'absent') throw new AssayError('not-found', 'There is no such crawl.')
      await release(tenant, state.assemblyId, crawlId)
      return { crawl: state }
    },
    async abortOf(tenant, assemblyId, reason) {
      const own = [...runs.values()].filter((run) => run.tenant === tenant && run.assemblyId === assemblyId)
      for (const run of own) run.controller.abort(new DeletedHere(reason))
      await Promise.all(own.map((run) => run.ended))
      const { state } = await handler.load(assemblyAggregate, tenant, assemblyId)
      if (state.status === 'absent' || state.crawlId === null) return
      const command = { type: 'AbortCrawl', at: now(), reason } as const
      await handler.handle(crawlAggregate, { tenant, id: state.crawlId, command, context: system })
      await release(tenant, assemblyId, state.crawlId)
    },
    async stop() {
      stopping.abort()
      for (const run of runs.values()) run.controller.abort(stopped)
      await Promise.all([...runs.values()].map((run) => run.ended))
    },
    async lookAfter(tenant, assemblyId, { isSole }) {
      const { state: assembly } = await handler.load(assemblyAggregate, tenant, assemblyId)
      if (stopping.signal.aborted || assembly.status === 'absent' || assembly.crawlId === null) return
      const { crawlId: id, crawlBegunAt } = assembly
      if (runs.has(keyOf(tenant, id))) return
      const { state: before } = await handler.load(crawlAggregate, tenant, id)
      if (before.status === 'absent') {
        const isFresh = clock.now() - Date.parse(crawlBegunAt ?? '') < birthMilliseconds
        if (isFresh && !isSole) return
        if (assembly.status === 'active') await startCrawl(tenant, id, assembly, system)
        else await release(tenant, assemblyId, id)
        return
      }
      const at = clock.now()
      const claim = { worker, at: isoTime(at), until: claimedUntil(at), isSole }
      const reason = 'The service stopped while this crawl ran, and its assembly is gone since.'
      const command: TakeUpCrawl | FailLeftCrawl =
        assembly.status === 'active' ? { type: 'TakeUpCrawl', ...claim } : { type: 'FailLeftCrawl', ...claim, reason }
      const { state, events } = await handler.handle(crawlAggregate, { tenant, id, command, context: system })
      if (events.length > 0) {
        const message = state.status === 'running' ? 'A crawl was taken over.' : 'A crawl that ran nowhere was ended.'
        logger.info({ tenant, crawlId: id, assemblyId }, message)
        await begin(tenant, state, assembly)
      }
      if (state.status !== 'running') await release(tenant, assemblyId, id)
    },
  }
}
