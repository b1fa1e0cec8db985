import { AssayError } from '@assay/service-kit/errors'
import type { CrawlCounts, CrawlError, CrawlEvent, CrawlState } from './crawl.ts'

export type StartCrawl = {
  type: 'StartCrawl'
  at: string
  crawlId: number
  assemblyId: number
  by: string
  runner: string
}
export type ReportProgress = {
  type: 'ReportProgress'
  at: string
  counts: CrawlCounts
  errors: CrawlError[]
  tablePosition: string | null
}
export type EndCrawlRun = {
  type: 'EndCrawlRun'
  at: string
  /** Absent figures: those of the last progress stand. */
  counts?: CrawlCounts
  tablePosition?: string | null
  errors: CrawlError[]
  outcome: { kind: 'finished' } | { kind: 'failed'; reason: string } | { kind: 'aborted'; reason: string }
}
/** As `EndCrawlRun` with `aborted`, but for people: a crawl that has ended is an error. */
export type CancelCrawl = { type: 'CancelCrawl'; at: string; reason: string }
export type CrawlCommand = StartCrawl | ReportProgress | EndCrawlRun | CancelCrawl

function end(command: EndCrawlRun, state: CrawlState): CrawlEvent[] {
  // Whoever ended it first is right: a runner that comes late adds nothing.
  if (state.status !== 'running') return []
  const { at, errors, outcome, counts = state.counts, tablePosition = state.tablePosition } = command
  const data = { crawlId: state.id, at, counts, errors, tablePosition }
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

function progressOf({ at, counts, errors, tablePosition }: ReportProgress) {
  return { at, counts, errors, tablePosition }
}

/** What a command means for a crawl. Throws `not-found`, `unprocessable`. */
export function decideCrawl(command: CrawlCommand, state: CrawlState): CrawlEvent[] {
  switch (command.type) {
    case 'StartCrawl': {
      if (state.status !== 'absent') return []
      const { crawlId, assemblyId, by, runner, at } = command
      return [{ type: 'CrawlStarted', data: { crawlId, at, assemblyId, by, runner } }]
    }
    case 'ReportProgress':
      if (state.status !== 'running') return []
      return [{ type: 'CrawlProgressed', data: { ...progressOf(command), crawlId: state.id } }]
    case 'EndCrawlRun':
      return end(command, state)
    case 'CancelCrawl': {
      if (state.status === 'absent') throw new AssayError('not-found', 'There is no such crawl.')
      if (state.status !== 'running')
        throw new AssayError('unprocessable', `Crawl ${state.id} has already finished; there is nothing to cancel.`)
      const { at, reason } = command
      const { id: crawlId, counts, tablePosition } = state
      return [{ type: 'CrawlAborted', data: { crawlId, at, counts, errors: [], tablePosition, reason } }]
    }
    default:
      return command satisfies never
  }
}
