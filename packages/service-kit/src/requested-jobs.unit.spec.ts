import { describe, expect, it, vi } from 'vitest'
import { isoTime } from './ambient.ts'
import { createRequestedJobs } from './requested-jobs.ts'

const minute = 60_000

/** One job at a time, which ends when a spec says so, with a manual clock. */
function setUp() {
  const clock = { time: Date.parse('2026-11-20T10:00:00.000Z'), now: () => clock.time }
  const ends = new Map<string, () => void>()
  const expired: string[] = []
  let tick = () => {}
  const jobs = createRequestedJobs<{ tenant: string; requestId: string; requestedAt: string }>({
    what: 'samples',
    othersPoll: true,
    maxAtOnce: 1,
    perTenant: 1,
    limits: { perKey: 3, perTenant: 4 },
    clock,
    timers: {
      every: (_, work) => {
        tick = work
        return { stop: () => undefined }
      },
    },
    work: ({ requestId }) => new Promise((resolve) => ends.set(requestId, () => resolve())),
    expire: async ({ requestId }) => void expired.push(requestId),
    onError: () => undefined,
  })
  jobs.open()
  const take = (requestId: string, requestedAt = clock.now(), accessKey = 'k') => {
    const counted = jobs.admit({ tenant: 't', accessKey })
    jobs.take({ tenant: 't', requestId, requestedAt: isoTime(requestedAt) }, counted)
  }
  const pass = (milliseconds: number) => {
    clock.time += milliseconds
    tick()
  }
  return { jobs, take, pass, expired, clock, ends, end: (requestId: string) => ends.get(requestId)?.() }
}

describe('requested jobs', () => {
  it('given a key with many jobs, then the job of another key of its tenant does not wait for all of them', async () => {
    const { take, clock, ends, end } = setUp()
    for (const id of ['a1', 'a2', 'a3']) take(id)
    take('b1', clock.now(), 'other')
    end('a1')
    await vi.waitFor(() => expect(ends.has('a2')).toBe(true))
    end('a2')
    await vi.waitFor(() => expect([...ends.keys()]).toEqual(['a1', 'a2', 'b1']))
  })
  it('given a job of another replica, where people poll it, then it waits here up to 15 minutes', () => {
    const { jobs, take, pass, expired, clock } = setUp()
    take('a')
    jobs.take({ tenant: 't', requestId: 'b', requestedAt: isoTime(clock.now()) })
    jobs.asked('b')
    pass(14 * minute)
    expect(expired).toEqual([])
    pass(minute + 1)
    expect(expired).toEqual(['b'])
  })
  it('given waiting jobs, when nobody polls one, then it expires and frees its place; a polled one stays', () => {
    const { jobs, take, pass, expired } = setUp()
    for (const id of ['a', 'b', 'c']) take(id)
    expect(() => take('d')).toThrow(/^This key has 3 open samples/)
    pass(minute + 1)
    jobs.asked('c')
    pass(minute)
    expect(expired).toEqual(['b'])
    take('d')
    pass(minute + 1)
    expect(expired).toEqual(['b', 'c'])
  })

  it('given a job that is polled repeatedly, then it expires a quarter of an hour after its request', () => {
    const { jobs, take, pass, expired } = setUp()
    for (const id of ['a', 'b']) take(id)
    for (let passed = 0; passed < 15; passed++) {
      jobs.asked('b')
      pass(minute)
    }
    expect(expired).toEqual([])
    jobs.asked('b')
    pass(1)
    expect(expired).toEqual(['b'])
  })

  it('given jobs of an earlier process, when their time is over, then none is started', async () => {
    const { jobs, expired, clock } = setUp()
    const requestedAt = isoTime(clock.now() - 16 * minute)
    for (let at = 0; at < 300; at++) jobs.take({ tenant: 't', requestId: `old${at}`, requestedAt })
    await vi.waitFor(() => expect(expired).toHaveLength(300))
  })

  it('given a job that ends, then another may be requested', async () => {
    const { take, end } = setUp()
    for (const id of ['a', 'b', 'c']) take(id)
    end('a')
    await vi.waitFor(() => take('d'))
  })
})
