import { AssayError } from '@assay/service-kit/errors'
import { type ClaimRequest, deathLimit, decideClaim, holds } from '@assay/work'
import type { CrawlCounts, CrawlError, CrawlEvent, CrawlState, KnownCrawl, SkippedFile } from './crawl.ts'

export type StartCrawl = {
  type: 'StartCrawl'
  at: string
  crawlId: number
  assemblyId: number
  by: string
  worker: string
  until: string
}
/** Takes the place of a worker that died, or gave the crawl back. */
export type TakeUpCrawl = { type: 'TakeUpCrawl' } & ClaimRequest
/** Ends a crawl that nobody may take up any more, unless a worker has it. */
export type FailLeftCrawl = { type: 'FailLeftCrawl'; reason: string } & ClaimRequest
/** Says how far it is, and renews the claim; `GiveBackCrawl` hands it back. */
export type ReportProgress = {
  type: 'ReportProgress' | 'GiveBackCrawl'
  at: string
  fence: number
  /** When the claim expires. */
  until: string
  counts: CrawlCounts
  errors: CrawlError[]
  skipped?: SkippedFile[]
  tablePosition: string | null
}
export type EndCrawlRun = {
  type: 'EndCrawlRun'
  at: string
  fence: number
  /** Absent: the figures of the last report. */
  counts?: CrawlCounts
  tablePosition?: string | null
  errors: CrawlError[]
  skipped?: SkippedFile[]
  outcome: { kind: 'finished' } | { kind: 'failed'; reason: string } | { kind: 'aborted'; reason: string }
}
/** Whoever carries it out. `CancelCrawl` is for people: a crawl that has ended is an error. */
export type CancelCrawl = { type: 'CancelCrawl' | 'AbortCrawl'; at: string; reason: string }
export type CrawlCommand = StartCrawl | TakeUpCrawl | FailLeftCrawl | ReportProgress | EndCrawlRun | CancelCrawl

function takeUp(command: TakeUpCrawl | FailLeftCrawl, state: CrawlState): CrawlEvent[] {
  if (state.status !== 'running') return []
  const granted = decideClaim(state.work ?? undefined, command)
  if (granted === 'taken') return []
  if (granted !== 'died' && command.type === 'TakeUpCrawl')
    return [{ type: 'CrawlTakenUp', data: { crawlId: state.id, ...granted } }]
  const { id: crawlId, counts, tablePosition } = state
  const reason =
    command.type === 'FailLeftCrawl'
      ? command.reason
      : `The service ended ${deathLimit} times while this crawl ran. Start it again.`
  const data = { crawlId, at: command.at, counts, errors: [], skipped: [], tablePosition, reason }
  return [{ type: 'CrawlFailed', data }]
}

/** What a worker says of a crawl that another one has by now counts for nothing. */
function isHeld(state: CrawlState, fence: number): state is KnownCrawl {
  return state.status === 'running' && holds(state.work ?? undefined, fence)
}

function end(command: EndCrawlRun, state: CrawlState): CrawlEvent[] {
  if (!isHeld(state, command.fence)) return []
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

/** The events of a command on a crawl. Throws `not-found`, `unprocessable`. */
export function decideCrawl(command: CrawlCommand, state: CrawlState): CrawlEvent[] {
  switch (command.type) {
    case 'StartCrawl': {
      if (state.status !== 'absent') return []
      const { crawlId, assemblyId, by, worker, at, until } = command
      return [{ type: 'CrawlStarted', data: { crawlId, at, assemblyId, by, worker, until, fence: 1 } }]
    }
    case 'TakeUpCrawl':
    case 'FailLeftCrawl':
      return takeUp(command, state)
    case 'ReportProgress':
    case 'GiveBackCrawl': {
      const { fence, until } = command
      if (!isHeld(state, fence)) return []
      const data = { ...progressOf(command), crawlId: state.id, fence }
      return command.type === 'ReportProgress'
        ? [{ type: 'CrawlProgressed', data: { ...data, until } }]
        : [{ type: 'CrawlGivenBack', data }]
    }
    case 'EndCrawlRun':
      return end(command, state)
    case 'AbortCrawl':
    case 'CancelCrawl': {
      if (state.status !== 'running' && command.type === 'AbortCrawl') return []
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
