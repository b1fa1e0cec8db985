import { describe, expect, it } from 'vitest'
import { type CrawlFigures, type CrawlState, evolveCrawl, initialCrawl, noCounts } from './crawl.ts'
import { type CrawlCommand, decideCrawl } from './decide.ts'

const at = '2026-01-01T00:00:00.000Z'
const until = '2026-01-01T00:01:00.000Z'
const start: CrawlCommand = { type: 'StartCrawl', at, crawlId: 5, assemblyId: 1, by: 'ann' }
const claim = (worker: string, hour = 0): CrawlCommand => ({
  type: 'ClaimCrawl',
  worker,
  at: `2026-01-01T0${hour}:00:00.000Z`,
  until: `2026-01-01T0${hour}:01:00.000Z`,
})
const figures = (done = 0, errors = 0): CrawlFigures => ({
  counts: { ...noCounts, done },
  lastTable: null,
  errors: Array.from({ length: errors }, (_, index) => ({ path: `p${index}`, message: 'm' })),
  skipped: [],
})
const report = (errors: number): CrawlCommand => ({
  type: 'ReportProgress',
  at,
  until,
  fence: 1,
  ...figures(3, errors),
})
const release = (fence: number): CrawlCommand => ({ type: 'ReleaseCrawl', at, fence, ...figures() })
const finish = (fence: number): CrawlCommand => ({
  ...{ type: 'EndCrawlRun', at, fence, ...figures(4) },
  outcome: { kind: 'finished' },
})
const end = (kind: 'failed' | 'aborted'): CrawlCommand => ({
  ...{ type: 'EndCrawlRun', at, fence: 1, ...figures(4) },
  outcome: { kind, reason: 'why' },
})
const cancel = (reason = 'why'): CrawlCommand => ({ type: 'CancelCrawl', at, reason })
const given = (...commands: CrawlCommand[]): CrawlState =>
  commands.reduce(
    (state, command) => decideCrawl(command, state).reduce(evolveCrawl, state),
    initialCrawl as CrawlState,
  )

describe('a crawl', () => {
  it('given a running crawl, when it fails, then it has its last figures, and its errors after the reason', () => {
    expect(given(start, claim('r'), report(1), end('failed'))).toMatchObject({
      status: 'failed',
      finishedAt: at,
      work: null,
      counts: { done: 4 },
      errors: [
        { path: '', message: 'why' },
        { path: 'p0', message: 'm' },
      ],
    })
  })

  it('given a running crawl, when it is cancelled, then it has the figures of its last report', () => {
    expect(given(start, claim('r'), report(1), cancel())).toMatchObject({ status: 'aborted', counts: { done: 3 } })
  })

  it('given more than a hundred errors, then a hundred are kept, the reason first', () => {
    const state = given(start, claim('r'), report(80), report(80), end('aborted'))
    if (state.status === 'absent') throw new Error('absent')
    expect(state.errors).toHaveLength(100)
    expect(state.errors[0]).toEqual({ path: '', message: 'why' })
  })

  it('given an expired claim, when two workers claim the crawl, then one gets it, and reports of the former worker are ignored', () => {
    const taken = given(start, claim('r'), report(3), claim('s', 1), claim('t', 1))
    expect(taken).toMatchObject({ status: 'running', counts: { done: 3 }, errors: [] })
    expect(taken).toMatchObject({ work: { claim: { worker: 's', fence: 2 }, lost: 1 } })
    for (const late of [report(1), release(1), finish(1), end('failed')]) expect(decideCrawl(late, taken)).toEqual([])
    expect(decideCrawl(finish(2), taken)).toMatchObject([{ type: 'CrawlFinished' }])
  })

  it('given a crawl whose third worker died, then it fails; workers that released it do not count', () => {
    expect(given(start, claim('r'), release(1), claim('r', 1), release(2))).toMatchObject({
      status: 'running',
      work: { status: 'waiting', lost: 0 },
    })
    expect(given(start, claim('r'), claim('s', 1), claim('t', 2), claim('u', 3))).toMatchObject({
      status: 'failed',
      errors: [{ message: expect.stringContaining('Start the crawl again') }],
    })
  })

  it('given a cancelled crawl, then no worker can claim it', () => {
    for (const cancelled of [given(start, cancel()), given(start, claim('r'), cancel())])
      expect(decideCrawl(claim('s', 1), cancelled)).toEqual([])
  })

  it('given an ended crawl, then late reports of its worker are ignored, and cancelling is an error', () => {
    const ended = given(start, claim('r'), end('aborted'))
    expect(decideCrawl(finish(1), ended)).toEqual([])
    expect(decideCrawl(report(1), ended)).toEqual([])
    expect(() => decideCrawl(cancel(), ended)).toThrow('already finished')
    expect(() => decideCrawl(cancel(), initialCrawl)).toThrow('no such crawl')
  })
})
