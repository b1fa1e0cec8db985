import { type CommandContext, type CommandHandler, stateText } from '@assay/event-store'
import { type Clock, isoTime } from '@assay/service-kit'
import { crawlAggregate } from '../crawl/aggregate.ts'
import {
  type CrawlCounts,
  type CrawlError,
  type CrawlFigures,
  type CrawlState,
  type KnownCrawl,
  keptErrors,
  noCounts,
  type SkippedFile,
} from '../crawl/crawl.ts'
import type { CrawlCommand, CrawlOutcome } from '../crawl/decide.ts'

const longestMessage = 1_000

/** The counts of a claimed crawl, and its worker's reports to the log. */
export interface CrawlProgress {
  counts: CrawlCounts
  /** Records that the crawl has written a table. */
  wrote(tableId: number, revision: number): void
  /** Adds an error to the list (the first 100); the caller decides whether it counts as failed. */
  addError(error: CrawlError): void
  /** Sets the skipped files of the whole crawl. */
  setSkipped(skipped: { total: number; first: readonly SkippedFile[] }): void
  /** Reports progress, and renews the claim. `held`: this worker still has the crawl. */
  report(at: string, until: string): Promise<'held' | 'cancelled' | 'lost'>
  /** Records the end of the crawl. Returns the crawl's final state. */
  end(outcome: CrawlOutcome, context: CommandContext): Promise<CrawlState>
  /** Releases the claim, so that another worker continues. */
  release(at: string): Promise<void>
}

/** `crawl`: its state when it was claimed. Its counts continue from the last report. */
export function createCrawlProgress(
  deps: { handler: CommandHandler; clock: Clock },
  { tenant, crawl, fence, context }: { tenant: string; crawl: KnownCrawl; fence: number; context: CommandContext },
): CrawlProgress {
  const { handler, clock } = deps
  const before = crawl.counts
  const counts: CrawlCounts = { ...noCounts }
  let { lastTable } = crawl
  let unreported: CrawlError[] = []
  let skippedNow: SkippedFile[] = []
  const kept = { unread: 0, withLines: 0 }
  let reporting: Promise<unknown> = Promise.resolve()

  /**
   * A crawl that was taken over adds to the counts of earlier workers, and its progress never decreases. Once finished,
   * it reports the tables that it has processed itself.
   */
  function figures(isFinished: boolean): CrawlCounts {
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

  /** Sends one report at a time. If a report fails, the next one repeats its errors. */
  function send(commandOf: (figures: CrawlFigures) => CrawlCommand, { isFinished = false, by = context } = {}) {
    const report = reporting.then(async () => {
      const errors = unreported
      const skipped = skippedNow
      unreported = []
      skippedNow = []
      try {
        const command = commandOf({ counts: figures(isFinished), errors, skipped, lastTable })
        return await handler.handle(crawlAggregate, { tenant, id: crawl.id, command, context: by })
      } catch (error) {
        unreported = [...errors, ...unreported]
        skippedNow = [...skipped, ...skippedNow]
        throw error
      }
    })
    reporting = report.catch(() => undefined)
    return report
  }

  return {
    counts,
    wrote(tableId, revision) {
      lastTable = stateText('asset', tableId, revision)
    },
    addError({ path, message, ...lines }) {
      counts.errorCount += 1
      const kind = lines.count === undefined ? 'unread' : 'withLines'
      kept[kind] += 1
      if (kept[kind] <= keptErrors) unreported.push({ path, message: message.slice(0, longestMessage), ...lines })
    },
    setSkipped({ total, first }) {
      counts.skippedCount = total
      skippedNow = first.slice(0, keptErrors)
    },
    async report(at, until) {
      const { events, state } = await send((all) => ({ type: 'ReportProgress', at, until, fence, ...all }))
      if (events.length > 0) return 'held'
      return state.status === 'aborted' ? 'cancelled' : 'lost'
    },
    async end(outcome, by) {
      const at = isoTime(clock.now())
      const options = { isFinished: outcome.kind === 'finished', by }
      return (await send((all) => ({ type: 'EndCrawlRun', at, fence, ...all, outcome }), options)).state
    },
    async release(at) {
      await send((all) => ({ type: 'ReleaseCrawl', at, fence, ...all }))
    },
  }
}
