import { describe, expect, it } from 'vitest'
import { type CrawlState, evolveCrawl, initialCrawl, noCounts } from './crawl.ts'
import { type CrawlCommand, decideCrawl } from './decide.ts'

const at = '2026-01-01T00:00:00.000Z'
const start: CrawlCommand = { type: 'StartCrawl', at, crawlId: 5, assemblyId: 1, by: 'ann', runner: 'r' }
const report = (errors: number): CrawlCommand => ({
  type: 'ReportProgress',
  at,
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

  it('given it has ended, then nothing of a runner that comes late counts, and a cancel is an error', () => {
    const ended = given(start, end('aborted'))
    const finish: CrawlCommand = { type: 'EndCrawlRun', at, errors: [], outcome: { kind: 'finished' } }
    expect(decideCrawl(finish, ended)).toEqual([])
    expect(decideCrawl(report(1), ended)).toEqual([])
    expect(() => decideCrawl({ type: 'CancelCrawl', at, reason: '' }, ended)).toThrow('already finished')
    expect(() => decideCrawl({ type: 'CancelCrawl', at, reason: '' }, initialCrawl)).toThrow('no such crawl')
  })
})
