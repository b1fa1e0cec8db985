import { AssayError } from '@assay/service-kit/errors'
import { type ClaimRequest, deathLimit, decideClaim, holds } from '@assay/work'
import type { CrawlEvent, CrawlFigures, CrawlState, CrawlTrace, KnownCrawl } from './crawl.ts'

export type StartCrawl = {
  type: 'StartCrawl'
  at: string
  crawlId: number
  assemblyId: number
  by: string
  trace?: CrawlTrace
}
export type ClaimCrawl = { type: 'ClaimCrawl' } & ClaimRequest
/** Reports progress, and renews the claim until `until`. */
export type ReportProgress = { type: 'ReportProgress'; at: string; fence: number; until: string } & CrawlFigures
export type ReleaseCrawl = { type: 'ReleaseCrawl'; at: string; fence: number } & CrawlFigures
export type CrawlOutcome =
  | { kind: 'finished' }
  | { kind: 'failed'; reason: string }
  | { kind: 'aborted'; reason: string }
export type EndCrawlRun = { type: 'EndCrawlRun'; at: string; fence: number; outcome: CrawlOutcome } & CrawlFigures
/** Ends the crawl, whichever worker has it. Users send `CancelCrawl`, for which an ended crawl is an error. */
export type CancelCrawl = { type: 'CancelCrawl' | 'AbortCrawl'; at: string; reason: string }
export type CrawlCommand = StartCrawl | ClaimCrawl | ReportProgress | ReleaseCrawl | EndCrawlRun | CancelCrawl

function claim(command: ClaimCrawl, state: CrawlState): CrawlEvent[] {
  if (state.status !== 'running') return []
  const { id: crawlId, counts, lastTable } = state
  const granted = decideClaim(state.work ?? undefined, command)
  if (granted === 'taken') return []
  if (granted !== 'died') return [{ type: 'CrawlClaimed', data: { crawlId, ...granted } }]
  const reason = `The process that ran this crawl died ${deathLimit} times. Start the crawl again.`
  const data = { crawlId, at: command.at, counts, errors: [], skipped: [], lastTable, reason }
  return [{ type: 'CrawlFailed', data }]
}

/** Whether the worker with this fence still has its claim. */
function isHeld(state: CrawlState, fence: number): state is KnownCrawl {
  return state.status === 'running' && holds(state.work ?? undefined, fence)
}

function ofWorker(command: ReportProgress | ReleaseCrawl | EndCrawlRun, state: CrawlState): CrawlEvent[] {
  const { at, fence, counts, errors, skipped, lastTable } = command
  if (!isHeld(state, fence)) return []
  const data = { crawlId: state.id, at, counts, errors, skipped, lastTable }
  if (command.type === 'ReportProgress')
    return [{ type: 'CrawlProgressed', data: { ...data, fence, until: command.until } }]
  if (command.type === 'ReleaseCrawl') return [{ type: 'CrawlReleased', data: { ...data, fence } }]
  const { outcome } = command
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

/** The events of a command on a crawl. Throws `not-found`, `unprocessable`. */
export function decideCrawl(command: CrawlCommand, state: CrawlState): CrawlEvent[] {
  switch (command.type) {
    case 'StartCrawl': {
      if (state.status !== 'absent') return []
      const { crawlId, assemblyId, by, at, trace } = command
      return [{ type: 'CrawlStarted', data: { crawlId, at, assemblyId, by, ...(trace && { trace }) } }]
    }
    case 'ClaimCrawl':
      return claim(command, state)
    case 'ReportProgress':
    case 'ReleaseCrawl':
    case 'EndCrawlRun':
      return ofWorker(command, state)
    case 'AbortCrawl':
    case 'CancelCrawl': {
      if (state.status !== 'running' && command.type === 'AbortCrawl') return []
      if (state.status === 'absent') throw new AssayError('not-found', 'There is no such crawl.')
      if (state.status !== 'running')
        throw new AssayError('unprocessable', `Crawl ${state.id} has already finished; there is nothing to cancel.`)
      const { at, reason } = command
      const { id: crawlId, counts, lastTable } = state
      return [{ type: 'CrawlAborted', data: { crawlId, at, counts, errors: [], skipped: [], lastTable, reason } }]
    }
    default:
      return command satisfies never
  }
}
