import { type CommandContext, type CommandHandler, comparePositions } from '@assay/event-store'
import { type Clock, isoTime, type Timers } from '@assay/service-kit'
import { holds } from '@assay/work'
import { crawlAggregate } from '../crawl/aggregate.ts'
import {
  type CrawlCounts,
  type CrawlError,
  type CrawlState,
  type KnownCrawl,
  keptErrors,
  noCounts,
  type SkippedFile,
} from '../crawl/crawl.ts'
import type { EndCrawlRun, ReportProgress } from '../crawl/decide.ts'

const tablesPerReport = 200
const millisecondsPerReport = 2_000
/** Without events a crawl still reports that it is alive, well before anyone assumes it dead. */
const signOfLifeMilliseconds = 30_000
const longestMessage = 1_000
/** How long a claim of a crawl holds without a sign of life. With the sweep's own pause: under two minutes. */
const leaseMilliseconds = 75_000

/** When a claim that is made or renewed at `at` (epoch milliseconds) expires. */
export function claimedUntil(at: number): string {
  return isoTime(at + leaseMilliseconds)
}

/** Counts a crawl and reports to the log occasionally, so that a crawl's stream stays short. */
export interface CrawlProgress {
  counts: CrawlCounts
  /** The position of a table event that was written. */
  reached(position: string | undefined): void
  /** Adds an error to the list (the first 100); the caller decides whether it counts as failed. */
  addError(error: CrawlError): void
  /** For a whole crawl: skipped files. */
  setSkipped(skipped: { total: number; first: readonly SkippedFile[] }): void
  /** Writes a report if one is due. */
  report(): void
  /** Checks in the log that the crawl still runs, and here. */
  confirm(): Promise<void>
  /** Writes the end, with everything not reported yet. Answers the crawl's final state. */
  end(outcome: EndCrawlRun['outcome']): Promise<CrawlState>
  /** Like `end`, but another instance continues. */
  giveBack(): Promise<CrawlState>
}

/**
 * `crawl`: as it was started or taken over; its figures continue from the last report. `onEnded`: called when the log
 * says that it has ended already (cancelled elsewhere), or that another instance has it. `onError`: a report failed;
 * the next one repeats everything.
 */
export function createCrawlProgress(
  deps: { handler: CommandHandler; clock: Clock; timers: Timers },
  options: {
    tenant: string
    crawl: KnownCrawl
    fence: number
    context: CommandContext
    onEnded: () => void
    onError: (error: unknown) => void
  },
): CrawlProgress {
  const { handler, clock, timers } = deps
  const { tenant, crawl, fence, context, onEnded, onError } = options
  const before = crawl.counts
  const counts: CrawlCounts = { ...noCounts }
  let tablePosition = crawl.tablePosition
  let untold: CrawlError[] = []
  const kept = { unread: 0, withLines: 0 }
  let skippedNow: SkippedFile[] = []
  let told = { done: 0, text: JSON.stringify(noCounts), at: clock.now() }
  let reporting: Promise<void> | undefined

  function isDue(): boolean {
    const waited = clock.now() - told.at
    if (waited >= signOfLifeMilliseconds) return true
    const isNews = JSON.stringify(counts) !== told.text || untold.length > 0
    return isNews && (waited >= millisecondsPerReport || counts.done - told.done >= tablesPerReport)
  }

  /**
   * Earlier writes stay, so the progress never decreases, except that a finished crawl reports what it has really
   * processed.
   */
  function figures(isFinished = false): CrawlCounts {
    return {
      found: Math.max(isFinished ? 0 : before.found, counts.found),
      done: Math.max(isFinished ? 0 : before.done, counts.done),
      added: before.added + counts.added,
      changed: before.changed + counts.changed,
      removed: before.removed + counts.removed,
      failed: counts.failed,
      errorCount: counts.errorCount,
      skippedCount: counts.skippedCount,
    }
  }

  const tell = async (command: ReportProgress | EndCrawlRun): Promise<CrawlState> =>
    (await handler.handle(crawlAggregate, { tenant, id: crawl.id, command, context })).state

  function lookAt(state: CrawlState): void {
    if (state.status !== 'running' || !holds(state.work ?? undefined, fence)) onEnded()
  }

  async function write(): Promise<void> {
    const errorsNow = untold
    const skipped = skippedNow
    const now = { ...counts }
    untold = []
    skippedNow = []
    told = { done: now.done, text: JSON.stringify(now), at: clock.now() }
    try {
      const at = clock.now()
      const command = {
        type: 'ReportProgress',
        at: isoTime(at),
        until: claimedUntil(at),
        fence,
        counts: figures(),
        errors: errorsNow,
        skipped,
        tablePosition,
      } as const
      lookAt(await tell(command))
    } catch (error) {
      untold = [...errorsNow, ...untold]
      skippedNow = [...skipped, ...skippedNow]
      onError(error)
    }
  }

  function report(): void {
    if (reporting !== undefined || !isDue()) return
    reporting = write().finally(() => {
      reporting = undefined
    })
  }

  const ticker = timers.every(1_000, report)

  return {
    counts,
    reached(position) {
      if (position === undefined) return
      if (tablePosition === null || comparePositions(position, tablePosition) > 0) tablePosition = position
    },
    addError({ path, message, ...lines }) {
      counts.errorCount += 1
      const kind = lines.count === undefined ? 'unread' : 'withLines'
      kept[kind] += 1
      if (kept[kind] <= keptErrors) untold.push({ path, message: message.slice(0, longestMessage), ...lines })
    },
    setSkipped({ total, first }) {
      counts.skippedCount = total
      skippedNow = first.slice(0, keptErrors)
    },
    report,
    async confirm() {
      lookAt((await handler.load(crawlAggregate, tenant, crawl.id)).state)
    },
    async end(outcome) {
      ticker.stop()
      await reporting
      const told = { counts: figures(outcome.kind === 'finished'), errors: untold, skipped: skippedNow, tablePosition }
      return tell({ type: 'EndCrawlRun', at: isoTime(clock.now()), fence, ...told, outcome })
    },
    async giveBack() {
      ticker.stop()
      await reporting
      const told = { counts: figures(), errors: untold, skipped: skippedNow, tablePosition }
      const at = isoTime(clock.now())
      return tell({ type: 'GiveBackCrawl', at, until: at, fence, ...told })
    },
  }
}
