import { describe, expect, it } from 'vitest'
import { type CrawlState, evolveCrawl, initialCrawl, noCounts } from './crawl.ts'
import { type CrawlCommand, decideCrawl } from './decide.ts'

const at = '2026-01-01T00:00:00.000Z'
const start: CrawlCommand = { type: 'StartCrawl', at, crawlId: 5, assemblyId: 1, by: 'ann', runner: 'r' }
const report = (errors: number): CrawlCommand => ({
  type: 'ReportProgress',
  at,
  runner: 'r',
  counts: { ...noCounts, done: 3 },
  tablePosition: null,
  errors: Array.from({ length: errors }, (_, index) => ({ path: `p${index}`, message: 'm' })),
})
const end = (kind: 'failed' | 'aborted'): CrawlCommand => ({
  type: 'EndCrawlRun',
  at,
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

  const takeUp = (runner: string, before: { runner: string | null; seenAt: string }): CrawlCommand => ({
    type: 'TakeUpCrawl',
    at,
    runner,
    before,
  })

  it('given its instance is gone, when two take it up, then one has it, and what the first says late counts for nothing', () => {
    const taken = given(
      start,
      report(3),
      takeUp('s', { runner: 'r', seenAt: at }),
      takeUp('t', { runner: 'r', seenAt: at }),
    )
    expect(taken).toMatchObject({ status: 'running', runner: 's', lost: 1, counts: { done: 3 }, errors: [] })
    expect(decideCrawl(report(1), taken)).toEqual([])
    const finish: CrawlCommand = { type: 'EndCrawlRun', at, runner: 'r', errors: [], outcome: { kind: 'finished' } }
    expect(decideCrawl(finish, taken)).toEqual([])
    expect(decideCrawl({ ...finish, runner: 's' }, taken)).toMatchObject([{ type: 'CrawlFinished' }])
  })

  it('given three instances died of it, then it is not taken up again; those that gave it back do not count', () => {
    const giveBack: CrawlCommand = {
      type: 'GiveBackCrawl',
      at,
      runner: 'r',
      counts: noCounts,
      errors: [],
      tablePosition: null,
    }
    const given_ = given(start, giveBack, takeUp('r', { runner: null, seenAt: at }), giveBack)
    expect(given_).toMatchObject({ status: 'running', runner: null, lost: 0 })
    const twice = given(start, takeUp('s', { runner: 'r', seenAt: at }), takeUp('t', { runner: 's', seenAt: at }))
    expect(() => decideCrawl(takeUp('u', { runner: 't', seenAt: at }), twice)).toThrow('Start it again')
  })

  it('given it was cancelled, then nobody takes it up', () => {
    const cancelled = given(start, { type: 'CancelCrawl', at, reason: 'why' })
    expect(decideCrawl(takeUp('s', { runner: 'r', seenAt: at }), cancelled)).toEqual([])
  })

  it('given it has ended, then nothing of a runner that comes late counts, and a cancel is an error', () => {
    const ended = given(start, end('aborted'))
    const finish: CrawlCommand = { type: 'EndCrawlRun', at, errors: [], outcome: { kind: 'finished' } }
    expect(decideCrawl(finish, ended)).toEqual([])
    expect(decideCrawl(report(1), ended)).toEqual([])
    expect(() => decideCrawl({ type: 'CancelCrawl', at, reason: '' }, ended)).toThrow('already finished')
    expect(() => decideCrawl({ type: 'CancelCrawl', at, reason: '' }, initialCrawl)).toThrow('no such crawl')
  })
})
