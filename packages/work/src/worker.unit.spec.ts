import { createLogger } from '@assay/service-kit'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createShortlist } from './shortlist.ts'
import { type Candidate, createWorker } from './worker.ts'

const startedAt = (second: number) => new Date(Date.UTC(2026, 0, 1) + second * 1000).toISOString()
const many = (tenant: string, count: number, from = 0): Candidate[] =>
  Array.from({ length: count }, (_, n) => ({ tenant, id: String(from + n), startedAt: startedAt(from + n) }))

describe('the shortlist', () => {
  it('given any runs, then it has the oldest of each tenant, within its limits, and reports whether more wait', () => {
    const runs = fc.array(fc.record({ tenant: fc.constantFrom('a', 'b', 'c'), id: fc.nat(50) }), { maxLength: 60 })
    fc.assert(
      fc.property(runs, fc.integer({ min: 1, max: 9 }), fc.integer({ min: 1, max: 20 }), (some, ofTenant, inAll) => {
        const shortlist = createShortlist({ ofTenant, inAll })
        for (const run of some) shortlist.add({ tenant: run.tenant, id: String(run.id), startedAt: startedAt(run.id) })
        const { candidates, isCut } = shortlist.taken()
        expect(isCut).toBe(candidates.length < some.length)
        expect(candidates.length).toBeLessThanOrEqual(inAll)
        for (const tenant of ['a', 'b', 'c']) {
          const ids = (of: readonly { tenant: string; id: string | number }[]) =>
            of.flatMap((each) => (each.tenant === tenant ? [Number(each.id)] : []))
          const shown = ids(candidates)
          expect(shown.length).toBeLessThanOrEqual(ofTenant)
          expect(shown).toEqual(
            ids(some)
              .toSorted((x, y) => x - y)
              .slice(0, shown.length),
          )
        }
      }),
    )
  })
})

describe('a worker', () => {
  /** A worker whose claims all find that the run has ended. */
  function setUp(waiting: readonly Candidate[], isSole = false, now = startedAt(10_000)) {
    const claimed: (Candidate & { isSole: boolean })[] = []
    let sweeps = 0
    let conditions: string[] = []
    let tick = () => {}
    const worker = createWorker({
      documents: {
        find: async (collection, _tenant, { page = 0, size, where = [] }) => {
          if (page === 0) sweeps += 1
          conditions = where.map(({ field }) => field)
          const entries = waiting.map(({ tenant, id, startedAt }) => ({
            ...{ kind: 'run', tenant, id, state: 'waiting' as const },
            ...{ since: Date.parse(startedAt), claimableAt: Date.parse(startedAt) },
          }))
          const shown = entries.slice(page * size, (page + 1) * size)
          return { documents: shown.map((entry) => collection.schema.parse(entry)), count: entries.length }
        },
      },
      work: {
        kind: 'run',
        what: 'run',
        claim: async (candidate, { isSole }) => void claimed.push({ ...candidate, isSole: isSole === true }),
      },
      clock: { now: () => Date.parse(now) },
      timers: {
        sleep: async () => undefined,
        every: (_, work) => {
          tick = work
          return { stop: () => undefined }
        },
      },
      logger: createLogger({ level: 'silent' }),
      workerId: 'w',
      maxAtOnce: 2,
      isSole,
    })
    const rest = async () => {
      for (let turn = 0; turn < 10_000; turn++) await Promise.resolve()
      await new Promise((resolve) => setImmediate(resolve))
    }
    return { worker, claimed, sweeps: () => sweeps, conditions: () => conditions, tick: () => tick(), rest }
  }

  it('given one tenant with very many waiting runs, then other tenants alternate with it, and the queue is limited', async () => {
    const { worker, claimed, rest } = setUp([...many('a', 5_000), ...many('b', 3, 9_000)])
    worker.start()
    await rest()
    expect(claimed.slice(0, 7).map(({ tenant, id }) => `${tenant}${id}`)).toEqual([
      'a0',
      'b9000',
      'a1',
      'b9001',
      'a2',
      'b9002',
      'a3',
    ])
    expect(claimed).toHaveLength(203)
    await worker.stop()
  })

  it('given a sole process, then it claims work of an earlier process before that claim expires', async () => {
    const replica = setUp(many('a', 1))
    const sole = setUp(many('a', 1), true)
    for (const { worker, rest } of [replica, sole]) {
      worker.start()
      await rest()
      await worker.stop()
    }
    expect([replica.conditions(), replica.claimed.map(({ isSole }) => isSole)]).toEqual([
      ['kind', 'claimableAt'],
      [false],
    ])
    expect([sole.conditions(), sole.claimed.map(({ isSole }) => isSole)]).toEqual([['kind'], [true]])
  })

  it('given a sole process, then it does not claim work before the time until which the work waits', async () => {
    const { worker, claimed, rest } = setUp(many('a', 3), true, startedAt(1))
    worker.start()
    await rest()
    expect(claimed.map(({ id }) => id)).toEqual(['0', '1'])
    await worker.stop()
  })

  it('given very many announced runs, then the worker queues as many as a sweep does, and the next sweep reads the remaining runs', async () => {
    const { worker, claimed, rest, sweeps, tick } = setUp([])
    worker.start()
    await rest()
    for (const candidate of many('a', 5_000)) worker.take(candidate)
    await rest()
    expect(claimed.length).toBeGreaterThan(900)
    expect(claimed.length).toBeLessThan(1_100)
    tick()
    await rest()
    expect(sweeps()).toBe(2)
    await worker.stop()
  })
})
