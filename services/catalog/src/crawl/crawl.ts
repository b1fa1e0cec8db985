import { afterClaim, afterRelease, afterRenewal, type ClaimGranted, newWork, type OpenWork } from '@assay/work'

export type CrawlLine = { line: number; message: string }
/** `count` and `lines` are set for a file that was read except for malformed lines. */
export type CrawlError = { path: string; message: string; count?: number; lines?: CrawlLine[] }
export type SkippedFile = { path: string; message: string }

/** Counts so far; only tables are counted, not folders and columns. */
export type CrawlCounts = {
  found: number
  done: number
  added: number
  changed: number
  removed: number
  failed: number
  /** The number of errors and skipped files, including errors beyond the limit of `errors`. */
  errorCount: number
  skippedCount: number
}
export const noCounts: CrawlCounts = {
  found: 0,
  done: 0,
  added: 0,
  changed: 0,
  removed: 0,
  failed: 0,
  errorCount: 0,
  skippedCount: 0,
}

/** Maximum entries of each kind in a crawl. */
export const keptErrors = 100

type OfCrawl = { crawlId: number; at: string }
/** W3C Trace Context of the request for a crawl. */
export type CrawlTrace = { traceparent?: string | undefined; tracestate?: string | undefined }
/**
 * `errors`, `skipped`: new since the last event. `lastTable`: the state of the last table that the crawl wrote
 * (`asset-7@0`), so that callers who have seen the crawl can wait for its tables at other services.
 */
export type CrawlFigures = {
  counts: CrawlCounts
  errors: CrawlError[]
  skipped: SkippedFile[]
  lastTable: string | null
}

export type CrawlStarted = {
  type: 'CrawlStarted'
  data: OfCrawl & { assemblyId: number; by: string; trace?: CrawlTrace }
}
/** A worker crawls the source, from its beginning. */
export type CrawlClaimed = { type: 'CrawlClaimed'; data: OfCrawl & ClaimGranted }
export type CrawlProgressed = {
  type: 'CrawlProgressed'
  data: OfCrawl & CrawlFigures & { fence: number; until: string }
}
/** The worker stopped before the end, so any worker may claim the crawl. */
export type CrawlReleased = { type: 'CrawlReleased'; data: OfCrawl & CrawlFigures & { fence: number } }
export type CrawlFinished = { type: 'CrawlFinished'; data: OfCrawl & CrawlFigures }
export type CrawlFailed = { type: 'CrawlFailed'; data: OfCrawl & CrawlFigures & { reason: string } }
export type CrawlAborted = { type: 'CrawlAborted'; data: OfCrawl & CrawlFigures & { reason: string } }

export type CrawlEvent =
  | CrawlStarted
  | CrawlClaimed
  | CrawlProgressed
  | CrawlReleased
  | CrawlFinished
  | CrawlFailed
  | CrawlAborted

export type KnownCrawl = {
  status: 'running' | 'successful' | 'failed' | 'aborted'
  id: number
  assemblyId: number
  /** `null` means the crawl has ended. */
  work: OpenWork | null
  trace?: CrawlTrace
  startedAt: string
  finishedAt: string | null
  counts: CrawlCounts
  /** Unreadable tables, then files with malformed lines. */
  errors: CrawlError[]
  skipped: SkippedFile[]
  lastTable: string | null
}
export type CrawlState = { status: 'absent' } | KnownCrawl

export const initialCrawl: CrawlState = { status: 'absent' }

/** Each kind has its own limit, so that malformed lines never hide an unreadable table. */
function keptOf(errors: readonly CrawlError[]): CrawlError[] {
  const unread = errors.filter(({ count }) => count === undefined)
  const withLines = errors.filter(({ count }) => count !== undefined)
  return [...unread.slice(0, keptErrors), ...withLines.slice(0, keptErrors)]
}

/** The state after an event. */
export function evolveCrawl(state: CrawlState, event: CrawlEvent): CrawlState {
  if (event.type === 'CrawlStarted') {
    const { crawlId, assemblyId, at, trace } = event.data
    return {
      status: 'running',
      id: crawlId,
      assemblyId,
      work: newWork,
      ...(trace && { trace }),
      startedAt: at,
      finishedAt: null,
      counts: noCounts,
      errors: [],
      skipped: [],
      lastTable: null,
    }
  }
  if (state.status === 'absent') return state
  if (event.type === 'CrawlClaimed') {
    // Everything is crawled again, so errors are reported again.
    const counts = { ...state.counts, failed: 0, errorCount: 0, skippedCount: 0 }
    return { ...state, work: afterClaim(state.work ?? newWork, event.data), counts, errors: [], skipped: [] }
  }
  const { at, counts, lastTable } = event.data
  const errors = keptOf([...state.errors, ...event.data.errors])
  const skipped = [...state.skipped, ...event.data.skipped].slice(0, keptErrors)
  const seen = { ...state, counts, errors, skipped, lastTable }
  const { work } = state
  switch (event.type) {
    case 'CrawlProgressed':
      return work?.status === 'running' ? { ...seen, work: afterRenewal(work, event.data) } : seen
    case 'CrawlReleased':
      return work?.status === 'running' ? { ...seen, work: afterRelease(work) } : seen
    case 'CrawlFinished':
      return { ...seen, status: 'successful', work: null, finishedAt: at }
    case 'CrawlFailed':
    case 'CrawlAborted': {
      // The reason comes first, so that the limit on errors never cuts it off.
      const withReason = keptOf([{ path: '', message: event.data.reason }, ...errors])
      const status = event.type === 'CrawlFailed' ? 'failed' : 'aborted'
      const withReasonCounted = { ...counts, errorCount: counts.errorCount + 1 }
      return { ...seen, status, work: null, finishedAt: at, counts: withReasonCounted, errors: withReason }
    }
    default:
      return event satisfies never
  }
}
