import { createLogger, isoTime } from '@assay/service-kit'
import { describe, expect, it, vi } from 'vitest'
import { createRequestedWork } from './requested-work.ts'

const minute = 60_000

interface Earlier {
  id: string
  /** In milliseconds. */
  age: number
  /** Whether a worker had claimed it. */
  isClaimed?: true
}

/** At most one running sample, which ends when a test calls `end`; a manual clock. `earlier`: requests of an earlier process. */
function setUp({
  isSole = false,
  earlier = [],
  most = 4,
}: {
  isSole?: boolean
  earlier?: Earlier[]
  most?: number
} = {}) {
  const clock = { time: Date.parse('2026-11-20T10:00:00.000Z'), now: () => clock.time }
  const beganAt = clock.time
  const sweep = { gate: Promise.resolve() }
  const ends = new Map<string, () => void>()
  const expired: string[] = []
  const isGone = (id: string) => expired.includes(id) || ends.has(id)
  const ticks: { milliseconds: number; tick(): void }[] = []
  const work = createRequestedWork({
    documents: {
      find: async (collection, _tenant, { page = 0 }) => {
        await sweep.gate
        const open = earlier.flatMap(({ id, age, isClaimed }) => {
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
        if (!earlier.some((one) => one.id === id && one.isClaimed)) expired.push(id)
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
  return { work, take, begun, pass, expired, clock, tickEach, sweep, end: (id: string) => ends.get(id)?.() }
}

describe('requested work', () => {
  it('given many requests of one key, then another key of the tenant gets every second slot, also after a sweep', async () => {
    const earlier: Earlier[] = []
    const { take, begun, end, tickEach } = setUp({ earlier, most: 9 })
    for (const [id, key] of [
      ['a1', 'a'],
      ['a2', 'a'],
      ['a3', 'a'],
      ['b1', 'b'],
      ['b2', 'b'],
    ] as const) {
      earlier.push({ id, age: 0 })
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

  it('given work of a dead worker, when it is found only after the expiry time of waiting work, then it is claimed', async () => {
    const { begun, expired } = setUp({ isSole: true, earlier: [{ id: 'a', age: 16 * minute, isClaimed: true }] })
    await begun('a')
    expect(expired).toEqual([])
  })

  it('given work that was requested at another replica, then it waits here for up to 15 minutes without polls', async () => {
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

  it('given waiting work, when nobody polls it, then it expires and no longer counts, and polled work stays', async () => {
    const earlier: Earlier[] = []
    const { work, take, begun, pass, expired, tickEach } = setUp({ earlier, isSole: true })
    for (const id of ['a', 'b', 'c']) {
      earlier.push({ id, age: 0 })
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

  it('given polled work and a sweep in progress, when more is requested, then the polled work does not expire', async () => {
    const earlier: Earlier[] = []
    const { work, take, begun, pass, expired, tickEach, sweep } = setUp({ earlier, isSole: true })
    for (const id of ['a', 'b']) {
      earlier.push({ id, age: 0 })
      take(id)
    }
    await begun('a')
    pass(2 * minute)
    work.asked('b')
    const { promise, resolve } = Promise.withResolvers<void>()
    sweep.gate = promise
    tickEach(5_000)
    take('c')
    resolve()
    await new Promise((turn) => setImmediate(turn))
    pass(minute / 2)
    expect(expired).toEqual([])
  })

  it('given waiting work that is polled all the time, then it expires 15 minutes after its request', async () => {
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

  it('given requests of an earlier process, when they are older than 15 minutes, then they expire', async () => {
    const earlier = Array.from({ length: 150 }, (_, at) => ({ id: `old${at}`, age: 16 * minute }))
    const { expired } = setUp({ earlier, most: 9 })
    await vi.waitFor(() => expect(expired).toHaveLength(150))
  })

  it('given requests of an earlier process, then they count for the tenant, and expire unless they are polled', async () => {
    const earlier = ['a', 'b', 'c'].map((id) => ({ id, age: 0 }))
    const { take, begun, pass, expired } = setUp({ earlier, isSole: true })
    await begun('a')
    take('d')
    expect(() => take('e', 'other')).toThrow(/^This tenant has 4 open samples/)
    pass(2 * minute + 1)
    expect(expired).toEqual(['b', 'c', 'd'])
  })

  it('given waiting and running work, when both pieces are cancelled, then the next piece begins', async () => {
    const { work, take, begun } = setUp()
    for (const id of ['a', 'b', 'c']) take(id)
    await begun('a')
    work.cancel('t', 'b')
    work.cancel('t', 'a')
    await begun('a', 'c')
  })

  it('given work at the limit, when one ends, then another may be requested', async () => {
    const { take, begun, end } = setUp()
    for (const id of ['a', 'b', 'c']) take(id)
    await begun('a')
    end('a')
    await vi.waitFor(() => take('d'))
  })
})
