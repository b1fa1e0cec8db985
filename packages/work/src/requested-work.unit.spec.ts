import { createLogger, isoTime } from '@assay/service-kit'
import { describe, expect, it, vi } from 'vitest'
import { createRequestedWork } from './requested-work.ts'

const minute = 60_000

interface Left {
  id: string
  /** In milliseconds. */
  age: number
  /** A worker had claimed it. */
  isClaimed?: true
}

/** One sample of a tenant at a time, which ends when a spec says so, with a manual clock. `left`: what an earlier process requested. */
function setUp({ isSole = false, left = [], most = 4 }: { isSole?: boolean; left?: Left[]; most?: number } = {}) {
  const clock = { time: Date.parse('2026-11-20T10:00:00.000Z'), now: () => clock.time }
  const beganAt = clock.time
  const looking = { gate: Promise.resolve() }
  const ends = new Map<string, () => void>()
  const expired: string[] = []
  const isGone = (id: string) => expired.includes(id) || ends.has(id)
  const ticks: { milliseconds: number; tick(): void }[] = []
  const work = createRequestedWork({
    documents: {
      find: async (collection, _tenant, { page = 0 }) => {
        await looking.gate
        const open = left.flatMap(({ id, age, isClaimed }) => {
          const [since, state] = [beganAt - age, isClaimed ? ('running' as const) : ('waiting' as const)]
          return isGone(id) ? [] : [{ kind: 'sample', tenant: 't', id, state, since, claimableAt: since }]
        })
        return {
          documents: (page === 0 ? open : []).map((entry) => collection.schema.parse(entry)),
          count: open.length,
        }
      },
    },
    work: {
      kind: 'sample',
      what: 'sample',
      claim: async ({ id }) =>
        isGone(id)
          ? undefined
          : {
              what: 'sample',
              about: { id },
              renew: async () => 'held',
              carryOut: async ({ signal }) => {
                await new Promise<void>((resolve, reject) => {
                  ends.set(id, resolve)
                  signal.addEventListener('abort', () => reject(signal.reason))
                })
                return { succeed: async () => true }
              },
              fail: async () => undefined,
              release: async () => undefined,
            },
      expire: async ({ id }) => {
        if (!left.some((one) => one.id === id && one.isClaimed)) expired.push(id)
      },
      forgetOld: async () => undefined,
    },
    workerId: 'w',
    maxAtOnce: 2,
    perTenant: 1,
    limits: { perKey: 3, perTenant: most },
    clock,
    timers: {
      sleep: async () => undefined,
      every: (milliseconds, tick) => {
        ticks.push({ milliseconds, tick })
        return { stop: () => undefined }
      },
    },
    logger: createLogger({ level: 'silent' }),
    isSole,
  })
  work.start()
  const take = (id: string, accessKey = 'k') => {
    const counted = work.admit({ tenant: 't', accessKey })
    work.take({ tenant: 't', id, startedAt: isoTime(clock.now()) }, counted)
  }
  const begun = (...ids: string[]) => vi.waitFor(() => expect([...ends.keys()]).toEqual(ids))
  const tickEach = (every: number) => {
    for (const { milliseconds, tick } of ticks) if (milliseconds === every) tick()
  }
  const pass = (milliseconds: number) => {
    clock.time += milliseconds
    tickEach(15_000)
  }
  return { work, take, begun, pass, expired, clock, tickEach, looking, end: (id: string) => ends.get(id)?.() }
}

describe('requested work', () => {
  it('given a key with much of it, then that of another key of its tenant does not wait for all, also after a look', async () => {
    const left: Left[] = []
    const { take, begun, end, tickEach } = setUp({ left, most: 9 })
    for (const [id, key] of [
      ['a1', 'a'],
      ['a2', 'a'],
      ['a3', 'a'],
      ['b1', 'b'],
      ['b2', 'b'],
    ] as const) {
      left.push({ id, age: 0 })
      take(id, key)
    }
    await begun('a1')
    end('a1')
    await begun('a1', 'b1')
    tickEach(5_000)
    end('b1')
    await begun('a1', 'b1', 'a2')
    tickEach(5_000)
    end('a2')
    await begun('a1', 'b1', 'a2', 'b2')
  })

  it('given what a worker left that died, when it is found after its expiry, then it is taken up', async () => {
    const { begun, expired } = setUp({ isSole: true, left: [{ id: 'a', age: 16 * minute, isClaimed: true }] })
    await begun('a')
    expect(expired).toEqual([])
  })

  it('given what another replica was asked for, where people poll it, then it waits here up to 15 minutes', async () => {
    const { work, take, begun, pass, expired, clock } = setUp()
    take('a')
    await begun('a')
    work.take({ tenant: 't', id: 'b', startedAt: isoTime(clock.now()) })
    work.asked('b')
    pass(14 * minute)
    expect(expired).toEqual([])
    pass(minute + 1)
    expect(expired).toEqual(['b'])
  })

  it('given some that waits, when nobody polls one, then it expires and frees its place; a polled one stays', async () => {
    const left: Left[] = []
    const { work, take, begun, pass, expired, tickEach } = setUp({ left, isSole: true })
    for (const id of ['a', 'b', 'c']) {
      left.push({ id, age: 0 })
      take(id)
    }
    await begun('a')
    expect(() => take('d')).toThrow(/^This key has 3 open samples/)
    pass(minute + 1)
    work.asked('c')
    tickEach(5_000)
    pass(minute)
    expect(expired).toEqual(['b'])
    take('d')
    pass(minute + 1)
    expect(expired).toEqual(['b', 'c'])
  })

  it('given some that is polled and a look under way, when more is requested, then it is still known when it was polled', async () => {
    const left: Left[] = []
    const { work, take, begun, pass, expired, tickEach, looking } = setUp({ left, isSole: true })
    for (const id of ['a', 'b']) {
      left.push({ id, age: 0 })
      take(id)
    }
    await begun('a')
    pass(2 * minute)
    work.asked('b')
    const { promise, resolve } = Promise.withResolvers<void>()
    looking.gate = promise
    tickEach(5_000)
    take('c')
    resolve()
    await new Promise((turn) => setImmediate(turn))
    pass(minute / 2)
    expect(expired).toEqual([])
  })

  it('given some that is polled repeatedly, then it expires a quarter of an hour after its request', async () => {
    const { work, take, begun, pass, expired } = setUp()
    for (const id of ['a', 'b']) take(id)
    await begun('a')
    for (let passed = 0; passed < 15; passed++) {
      work.asked('b')
      pass(minute)
    }
    expect(expired).toEqual([])
    work.asked('b')
    pass(1)
    expect(expired).toEqual(['b'])
  })

  it('given what an earlier process was asked for, when its time is over, then none is begun', async () => {
    const left = Array.from({ length: 150 }, (_, at) => ({ id: `old${at}`, age: 16 * minute }))
    const { expired } = setUp({ left, most: 9 })
    await vi.waitFor(() => expect(expired).toHaveLength(150))
  })

  it('given what an earlier process was asked for, then it counts for the tenant, and expires unless it is polled', async () => {
    const left = ['a', 'b', 'c'].map((id) => ({ id, age: 0 }))
    const { take, begun, pass, expired } = setUp({ left, isSole: true })
    await begun('a')
    take('d')
    expect(() => take('e', 'other')).toThrow(/^This tenant has 4 open samples/)
    pass(2 * minute + 1)
    expect(expired).toEqual(['b', 'c', 'd'])
  })

  it('given one that is cancelled, waiting or at work, then the next begins', async () => {
    const { work, take, begun } = setUp()
    for (const id of ['a', 'b', 'c']) take(id)
    await begun('a')
    work.cancel('t', 'b')
    work.cancel('t', 'a')
    await begun('a', 'c')
  })

  it('given one that ends, then another may be requested', async () => {
    const { take, begun, end } = setUp()
    for (const id of ['a', 'b', 'c']) take(id)
    await begun('a')
    end('a')
    await vi.waitFor(() => take('d'))
  })
})
