import { AssayError } from '@assay/service-kit/errors'
import type { CrawlCounts, CrawlError, CrawlEvent, CrawlState, KnownCrawl, SkippedFile } from './crawl.ts'

export type StartCrawl = {
  type: 'StartCrawl'
  at: string
  crawlId: number
  assemblyId: number
  by: string
  runner: string
}
/**
 * Takes the place of a runner that gives no sign of life, or gave the crawl back. `runner`, `seenAt` as `before` was seen:
 * of several who saw the same, one gets it.
 */
export type TakeUpCrawl = {
  type: 'TakeUpCrawl'
  at: string
  runner: string
  before: { runner: string | null; seenAt: string }
}
/** Tells how far it is; `GiveBackCrawl` also that `runner` goes no further. Of another than the crawl's runner it counts for nothing. */
export type ReportProgress = {
  type: 'ReportProgress' | 'GiveBackCrawl'
  at: string
  runner: string
  counts: CrawlCounts
  errors: CrawlError[]
  skipped?: SkippedFile[]
  tablePosition: string | null
}
export type EndCrawlRun = {
  type: 'EndCrawlRun'
  at: string
  /** Only while this one carries it out. Absent: whoever does. */
  runner?: string
  /** Absent figures: those of the last progress stand. */
  counts?: CrawlCounts
  tablePosition?: string | null
  errors: CrawlError[]
  skipped?: SkippedFile[]
  outcome: { kind: 'finished' } | { kind: 'failed'; reason: string } | { kind: 'aborted'; reason: string }
}
/** As `EndCrawlRun` with `aborted`, but for people: a crawl that has ended is an error. */
export type CancelCrawl = { type: 'CancelCrawl'; at: string; reason: string }
/** Instances that may carry out one crawl and die: it may be the crawl that ends them. */
export const attemptLimit = 3

export type CrawlCommand = StartCrawl | TakeUpCrawl | ReportProgress | EndCrawlRun | CancelCrawl

/** Whether another instance has the crawl by now. */
function isDisplaced({ runner }: { runner?: string }, state: KnownCrawl): boolean {
  return runner !== undefined && runner !== state.runner
}

function takeUp({ at, runner, before }: TakeUpCrawl, state: CrawlState): CrawlEvent[] {
  if (state.status !== 'running' || state.runner !== before.runner || state.seenAt !== before.seenAt) return []
  if (state.runner !== null && state.lost + 1 >= attemptLimit)
    throw new AssayError(
      'unprocessable',
      `The service ended ${attemptLimit} times while this crawl ran. Start it again.`,
    )
  return [{ type: 'CrawlTakenUp', data: { crawlId: state.id, at, runner } }]
}

function end(command: EndCrawlRun, state: CrawlState): CrawlEvent[] {
  // Whoever ended it first is right: a runner that comes late adds nothing.
  if (state.status !== 'running' || isDisplaced(command, state)) return []
  const { at, errors, skipped = [], outcome, counts = state.counts, tablePosition = state.tablePosition } = command
  const data = { crawlId: state.id, at, counts, errors, skipped, tablePosition }
  switch (outcome.kind) {
    case 'finished':
      return [{ type: 'CrawlFinished', data }]
    case 'failed':
      return [{ type: 'CrawlFailed', data: { ...data, reason: outcome.reason } }]
    case 'aborted':
      return [{ type: 'CrawlAborted', data: { ...data, reason: outcome.reason } }]
    default:
      return outcome satisfies never
  }
}

function progressOf({ at, counts, errors, skipped = [], tablePosition }: ReportProgress) {
  return { at, counts, errors, skipped, tablePosition }
}

/** What a command means for a crawl. Throws `not-found`, `unprocessable`. */
export function decideCrawl(command: CrawlCommand, state: CrawlState): CrawlEvent[] {
  switch (command.type) {
    case 'StartCrawl': {
      if (state.status !== 'absent') return []
      const { crawlId, assemblyId, by, runner, at } = command
      return [{ type: 'CrawlStarted', data: { crawlId, at, assemblyId, by, runner } }]
    }
    case 'TakeUpCrawl':
      return takeUp(command, state)
    case 'ReportProgress':
    case 'GiveBackCrawl': {
      if (state.status !== 'running' || isDisplaced(command, state)) return []
      const type = command.type === 'ReportProgress' ? 'CrawlProgressed' : 'CrawlGivenBack'
      return [{ type, data: { ...progressOf(command), crawlId: state.id } }]
    }
    case 'EndCrawlRun':
      return end(command, state)
    case 'CancelCrawl': {
      if (state.status === 'absent') throw new AssayError('not-found', 'There is no such crawl.')
      if (state.status !== 'running')
        throw new AssayError('unprocessable', `Crawl ${state.id} has already finished; there is nothing to cancel.`)
      const { at, reason } = command
      const { id: crawlId, counts, tablePosition } = state
      return [{ type: 'CrawlAborted', data: { crawlId, at, counts, errors: [], skipped: [], tablePosition, reason } }]
    }
    default:
      return command satisfies never
  }
}
