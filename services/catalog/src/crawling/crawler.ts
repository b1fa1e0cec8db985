import type { CommandContext } from '@assay/event-store'
import { isoTime, type Logger, type NewId, type Timers } from '@assay/service-kit'
import { AssayError, isAssayError, messageOf } from '@assay/service-kit/errors'
import type { DueTime } from '@assay/work'
import { assemblyAggregate } from '../assembly/aggregate.ts'
import type { AssemblyState, KnownAssembly } from '../assembly/assembly.ts'
import { crawlAggregate } from '../crawl/aggregate.ts'
import type { KnownCrawl } from '../crawl/crawl.ts'
import type { EndCrawlRun, ReportProgress } from '../crawl/decide.ts'
import { createCrawlProgress } from './progress.ts'
import { type CrawlTools, runCrawl } from './run-crawl.ts'
import { vanishAssets } from './vanishing.ts'

/** How long a cancel waits for the crawl to end by itself, with its figures. */
const endMilliseconds = 5_000
/** How long before one whose engine or store is gone counts as failed: a stop of all that is here may be why. */
const goneMilliseconds = 2_000
/** A place that was taken for a crawl of which nothing is known after this time was left by a process that died. */
const birthMilliseconds = 60_000

export type LeftCrawl = { id: number; assemblyId: number; runner: string | null; seenAt: string }

export interface Crawler {
  /** Name of this instance in the crawls that it carries out. */
  runner: string
  /**
   * Begins a crawl and answers at once; `scheduled`: one that is due. Errors: `not-found`, `unprocessable` while one runs,
   * `taken` where the due time was taken by another replica.
   */
  start(
    tenant: string,
    assemblyId: number,
    context: CommandContext,
    scheduled?: DueTime,
  ): Promise<{ crawl: KnownCrawl }>
  /** Errors: `not-found`, `unprocessable` when it has ended. */
  cancel(tenant: string, crawlId: number, context: CommandContext): Promise<{ crawl: KnownCrawl }>
  /** Aborts the crawl of a deleted assembly and waits for its end; one that runs elsewhere ends with its next report. */
  abortOf(tenant: string, assemblyId: number, reason: string): Promise<void>
  /** Gives all back, for the next start or another instance, and waits for that. Nothing begins afterwards. */
  stop(): Promise<void>
  /**
   * Goes on with a crawl whose instance died or stopped, from its beginning: what is there already is not written again.
   * Of several instances that try, one does. Errors: `unprocessable`, with the reason, where it cannot be.
   */
  takeUp(tenant: string, crawl: LeftCrawl): Promise<void>
  isRunningHere(tenant: string, crawlId: number): boolean
  /** Gives the assembly's place back after a crawl. */
  release(tenant: string, assemblyId: number, crawlId: number): Promise<void>
}

interface Run {
  tenant: string
  assemblyId: number
  controller: AbortController
  ended: Promise<void>
}

const system: CommandContext = { actor: 'system' }

/** The assembly was deleted here, where its assets are marked once the crawl has ended. */
class DeletedHere extends Error {}

export function createCrawler(deps: CrawlTools & { timers: Timers; newId: NewId; logger: Logger }): Crawler {
  const { handler, numbers, clock, timers, newId, logger } = deps
  const runner = newId()
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
    return { kind: 'failed', reason: 'The crawl met an error of the program; the log of the service has its details.' }
  }

  /** Why a crawl has ended early; `undefined`: because the service stops. */
  async function failureOf(error: unknown, { signal }: AbortController): Promise<EndCrawlRun['outcome'] | undefined> {
    if (!signal.aborted && isAssayError(error, 'unavailable')) await timers.sleep(goneMilliseconds, signal)
    return signal.reason === stopped ? undefined : outcomeOf(error, signal)
  }

  async function carryOut(tenant: string, crawl: KnownCrawl, assembly: KnownAssembly, controller: AbortController) {
    const { signal } = controller
    const about = { tenant, crawlId: crawl.id, assemblyId: assembly.id }
    const progress = createCrawlProgress(deps, {
      tenant,
      crawl,
      runner,
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
      // The place stays with it while it runs elsewhere, or waits for that.
      if (status !== 'running') await release(tenant, assembly.id, crawl.id)
    } catch (error) {
      // The sweep takes it up, as a crawl that runs nowhere.
      logger.error({ ...about, error: messageOf(error) }, 'The end of a crawl could not be written.')
    }
    if (signal.reason instanceof DeletedHere) return
    await clearDeleted(tenant, assembly.id).catch((error: unknown) =>
      logger.error({ ...about, error: messageOf(error) }, 'What a crawl found of a deleted assembly is not marked.'),
    )
  }

  /** Marks what a crawl has written after another instance had deleted its assembly, and marked what was there. */
  async function clearDeleted(tenant: string, assemblyId: number): Promise<void> {
    const { state } = await handler.load(assemblyAggregate, tenant, assemblyId)
    if (state.status === 'active') return
    const reason = 'assembly-deleted'
    const { signal } = stopping
    const of = { tenant, assemblyId, reason, keep: () => false, context: system, signal, onVanished() {} } as const
    await vanishAssets(deps, of)
  }

  /** The crawl that holds the assembly's place though it has ended, or never came to be. */
  async function leftOver(tenant: string, assembly: AssemblyState): Promise<number | null> {
    if (assembly.status === 'absent' || assembly.crawlId === null) return null
    const { crawlId, crawlBegunAt } = assembly
    const { state } = await handler.load(crawlAggregate, tenant, crawlId)
    if (state.status === 'running') return null
    const isFresh = clock.now() - Date.parse(crawlBegunAt ?? '') < birthMilliseconds
    return state.status === 'absent' && isFresh ? null : crawlId
  }

  async function begin(tenant: string, crawl: KnownCrawl, assembly: KnownAssembly): Promise<void> {
    if (stopping.signal.aborted) {
      const { id, counts, tablePosition } = crawl
      const command: ReportProgress = { type: 'GiveBackCrawl', at: now(), runner, counts, errors: [], tablePosition }
      await handler.handle(crawlAggregate, { tenant, id, command, context: system })
      return
    }
    const controller = new AbortController()
    const key = keyOf(tenant, crawl.id)
    const ended = carryOut(tenant, crawl, assembly, controller).finally(() => runs.delete(key))
    runs.set(key, { tenant, assemblyId: assembly.id, controller, ended })
  }

  return {
    runner,
    async start(tenant, assemblyId, context, scheduled) {
      if (stopping.signal.aborted)
        throw new AssayError('unavailable', 'The service is stopping. Try again in a moment.')
      const { state: before } = await handler.load(assemblyAggregate, tenant, assemblyId)
      const replaces = await leftOver(tenant, before)
      const [crawlId = 0] = await numbers.take(tenant, 'crawl')
      const by = context.actor
      const place = { type: 'BeginCrawl', at: now(), by, crawlId, replaces, scheduled } as const
      const { state: assembly } = await handler.handle(assemblyAggregate, {
        tenant,
        id: assemblyId,
        command: place,
        context,
      })
      const command = { type: 'StartCrawl', at: now(), crawlId, assemblyId, by, runner } as const
      const { state: crawl } = await handler.handle(crawlAggregate, { tenant, id: crawlId, command, context })
      if (assembly.status === 'absent' || crawl.status === 'absent')
        throw new AssayError('internal', 'A crawl was begun without its assembly.')
      await begin(tenant, crawl, assembly)
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
      const command: EndCrawlRun = { type: 'EndCrawlRun', at: now(), errors: [], outcome: { kind: 'aborted', reason } }
      await handler.handle(crawlAggregate, { tenant, id: state.crawlId, command, context: system })
      await release(tenant, assemblyId, state.crawlId)
    },
    async stop() {
      stopping.abort()
      for (const run of runs.values()) run.controller.abort(stopped)
      await Promise.all([...runs.values()].map((run) => run.ended))
    },
    async takeUp(tenant, { id, assemblyId, runner: lastRunner, seenAt }) {
      if (stopping.signal.aborted) return
      const { state: assembly } = await handler.load(assemblyAggregate, tenant, assemblyId)
      if (assembly.status !== 'active' || assembly.crawlId !== id)
        throw new AssayError(
          'unprocessable',
          'The service stopped while this crawl ran, and its assembly is gone since.',
        )
      const command = { type: 'TakeUpCrawl', at: now(), runner, before: { runner: lastRunner, seenAt } } as const
      const { state: crawl, events } = await handler.handle(crawlAggregate, { tenant, id, command, context: system })
      if (crawl.status === 'absent' || events.length === 0) return
      logger.info({ tenant, crawlId: id, assemblyId, lastRunner }, 'A crawl that ran nowhere was taken up.')
      await begin(tenant, crawl, assembly)
    },
    isRunningHere: (tenant, crawlId) => runs.has(keyOf(tenant, crawlId)),
    release,
  }
}
