import { type CommandContext, type CommandHandler, comparePositions } from '@assay/event-store'
import { type Clock, isoTime, type Timers } from '@assay/service-kit'
import { crawlAggregate } from '../crawl/aggregate.ts'
import { type CrawlCounts, type CrawlError, keptErrors, noCounts } from '../crawl/crawl.ts'
import type { EndCrawlRun } from '../crawl/decide.ts'

const tablesPerReport = 200
const millisecondsPerReport = 2_000
/** Without news a crawl still says that it is alive, well before anyone takes it for dead. */
const signOfLifeMilliseconds = 30_000
const longestMessage = 1_000

/** Counts a crawl and tells the log now and then: coarse, so that a crawl's stream stays short. */
export interface CrawlProgress {
  counts: CrawlCounts
  /** An event of a table was written there. */
  reached(position: string | undefined): void
  /** Adds one that is listed (the first 100); whether it counts as failed is the caller's. */
  addError(error: CrawlError): void
  /** Writes a report when one is due. */
  report(): void
  /** Writes the end, with everything that no report has told. */
  end(outcome: EndCrawlRun['outcome']): Promise<void>
}

/** `onEnded`: called when the log says that the crawl has ended already (cancelled elsewhere). `onError`: a report failed; the next one tells it all. */
export function createCrawlProgress(
  deps: { handler: CommandHandler; clock: Clock; timers: Timers },
  options: {
    tenant: string
    crawlId: number
    context: CommandContext
    onEnded: () => void
    onError: (error: unknown) => void
  },
): CrawlProgress {
  const { handler, clock, timers } = deps
  const { tenant, crawlId, context, onEnded, onError } = options
  const counts: CrawlCounts = { ...noCounts }
  let tablePosition: string | null = null
  let untold: CrawlError[] = []
  let errors = 0
  let told = { done: 0, text: JSON.stringify(noCounts), at: clock.now() }
  let reporting: Promise<void> | undefined

  function isDue(): boolean {
    const waited = clock.now() - told.at
    if (waited >= signOfLifeMilliseconds) return true
    const isNews = JSON.stringify(counts) !== told.text || untold.length > 0
    return isNews && (waited >= millisecondsPerReport || counts.done - told.done >= tablesPerReport)
  }

  async function write(): Promise<void> {
    const errorsNow = untold
    const now = { ...counts }
    untold = []
    told = { done: now.done, text: JSON.stringify(now), at: clock.now() }
    try {
      const at = isoTime(clock.now())
      const command = { type: 'ReportProgress', at, counts: now, errors: errorsNow, tablePosition } as const
      const { state } = await handler.handle(crawlAggregate, { tenant, id: crawlId, command, context })
      if (state.status !== 'running') onEnded()
    } catch (error) {
      untold = [...errorsNow, ...untold]
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
    addError({ path, message }) {
      errors += 1
      if (errors <= keptErrors) untold.push({ path, message: message.slice(0, longestMessage) })
    },
    report,
    async end(outcome) {
      ticker.stop()
      await reporting
      const at = isoTime(clock.now())
      const told = { counts: { ...counts }, errors: untold, tablePosition }
      const command: EndCrawlRun = { type: 'EndCrawlRun', at, ...told, outcome }
      await handler.handle(crawlAggregate, { tenant, id: crawlId, command, context })
    },
  }
}
