import { describe, expect, it } from 'vitest'
import { type CrawlState, evolveCrawl, initialCrawl, noCounts } from './crawl.ts'
import { type CrawlCommand, decideCrawl } from './decide.ts'

const at = '2026-01-01T00:00:00.000Z'
const until = '2026-01-01T00:01:00.000Z'
const start: CrawlCommand = { type: 'StartCrawl', at, until, crawlId: 5, assemblyId: 1, by: 'ann', worker: 'r' }
const report = (errors: number): CrawlCommand => ({
  type: 'ReportProgress',
  at,
  until,
  fence: 1,
  counts: { ...noCounts, done: 3 },
  tablePosition: null,
  errors: Array.from({ length: errors }, (_, index) => ({ path: `p${index}`, message: 'm' })),
})
const end = (kind: 'failed' | 'aborted'): CrawlCommand => ({
  type: 'EndCrawlRun',
  at,
  fence: 1,
  errors: [],
  outcome: { kind, reason: 'why' },
})
const given = (...commands: CrawlCommand[]): CrawlState =>
  commands.reduce(
    (state, command) => decideCrawl(command, state).reduce(evolveCrawl, state),
    initialCrawl as CrawlState,
  )

describe('a crawl', () => {
  it('given it runs, when it ends without figures, then the last ones stand', () => {
    expect(given(start, report(1), end('failed'))).toMatchObject({
      status: 'failed',
      finishedAt: at,
      counts: { done: 3 },
      errors: [
        { path: '', message: 'why' },
        { path: 'p0', message: 'm' },
      ],
    })
  })

  it('given very many errors, then a hundred are kept and the reason is among them', () => {
    const state = given(start, report(80), report(80), end('aborted'))
    if (state.status === 'absent') throw new Error('absent')
    expect(state.errors).toHaveLength(100)
    expect(state.errors[0]).toEqual({ path: '', message: 'why' })
  })

  const takeUp = (worker: string, hour: number): CrawlCommand => ({
    type: 'TakeUpCrawl',
    worker,
    at: `2026-01-01T0${hour}:00:00.000Z`,
    until: `2026-01-01T0${hour}:01:00.000Z`,
  })
  const finish = (fence: number): CrawlCommand => ({
    type: 'EndCrawlRun',
    ...{ at, fence, errors: [], outcome: { kind: 'finished' } },
  })

  it('given its worker is gone, when two take it up, then one has it, and what the first says late counts for nothing', () => {
    const taken = given(start, report(3), takeUp('s', 1), takeUp('t', 1))
    expect(taken).toMatchObject({ status: 'running', counts: { done: 3 }, errors: [] })
    expect(taken).toMatchObject({ work: { claim: { worker: 's', fence: 2 }, lost: 1 } })
    for (const late of [report(1), finish(1), end('failed')]) expect(decideCrawl(late, taken)).toEqual([])
    expect(decideCrawl(finish(2), taken)).toMatchObject([{ type: 'CrawlFinished' }])
  })

  it('given three workers died of it, then it fails; those that gave it back do not count', () => {
    const counts = { counts: noCounts, errors: [], tablePosition: null }
    const giveBack = (fence: number): CrawlCommand => ({ type: 'GiveBackCrawl', at, until, fence, ...counts })
    expect(given(start, giveBack(1), takeUp('r', 1), giveBack(2))).toMatchObject({
      status: 'running',
      work: { status: 'waiting', lost: 0 },
    })
    expect(given(start, takeUp('s', 1), takeUp('t', 2), takeUp('u', 3))).toMatchObject({
      status: 'failed',
      errors: [{ message: expect.stringContaining('Start it again') }],
    })
  })

  it('given nobody may go on with it, then it fails, unless a worker has it', () => {
    const fail = (worker: string, more: object = {}): CrawlCommand => ({
      type: 'FailLeftCrawl',
      ...{ worker, at, until, reason: 'gone', ...more },
    })
    expect(decideCrawl(fail('s'), given(start))).toEqual([])
    expect(decideCrawl(fail('s', { isSole: true }), given(start))).toMatchObject([{ data: { reason: 'gone' } }])
  })

  it('given it was cancelled, then nobody takes it up', () => {
    const cancelled = given(start, { type: 'CancelCrawl', at, reason: 'why' })
    expect(decideCrawl(takeUp('s', 1), cancelled)).toEqual([])
  })

  it('given it has ended, then nothing of a runner that comes late counts, and a cancel is an error', () => {
    const ended = given(start, end('aborted'))
    expect(decideCrawl(finish(1), ended)).toEqual([])
    expect(decideCrawl(report(1), ended)).toEqual([])
    expect(() => decideCrawl({ type: 'CancelCrawl', at, reason: '' }, ended)).toThrow('already finished')
    expect(() => decideCrawl({ type: 'CancelCrawl', at, reason: '' }, initialCrawl)).toThrow('no such crawl')
  })
})
