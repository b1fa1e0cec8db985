import { createSqliteDocuments } from '@assay/documents/sqlite'
import { systemClock } from '@assay/service-kit/node'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { checkpointCollections, createDocumentCheckpoints } from './document-checkpoints.ts'
import { createLeaderElection } from './leader-election.ts'
import { createLeases, type Leases } from './lease.ts'
import { createLeasedProcessors } from './leased-processor.ts'
import type { EventStore } from './port.ts'
import type { Processor } from './processor.ts'
import { systemEvent } from './system-event.ts'
import { fastTimers, openTemporaryStore, type TemporaryStore } from './testing/temporary-store.ts'

let temporary: TemporaryStore
let leases: Leases
/** One adapter for all replicas, like a server: several on one file would each have their own cache. */
let documents: ReturnType<typeof createSqliteDocuments>
const running: Processor[] = []

beforeEach(() => {
  temporary = openTemporaryStore()
  documents = createSqliteDocuments({ database: temporary.database, collections: checkpointCollections })
  leases = createLeases({ store: temporary.store, clock: systemClock, newId: temporary.newId })
})
afterEach(async () => {
  for (const processor of running.splice(0)) await processor.stop()
  await temporary.close()
})

/** A replica whose processor records what it handles; the lease duration is in real milliseconds. */
function replica(owner: string, options: { leases?: Leases; ttlMs?: number; isPoison?: () => boolean } = {}) {
  const handled: number[] = []
  const election = createLeaderElection({
    leases: options.leases ?? leases,
    name: 'test',
    owner,
    // Sleeps are a hundred times shorter, so renewals are more frequent.
    timers: fastTimers,
    clock: systemClock,
    onError: () => undefined,
    ttlMs: options.ttlMs ?? 2_000,
  })
  const processor = createLeasedProcessors(election)({
    name: 'follower',
    store: temporary.store,
    checkpoints: createDocumentCheckpoints(documents),
    categories: ['thing'],
    async handle(events) {
      if (options.isPoison?.()) throw new TypeError('cannot be read')
      handled.push(...events.map((event) => Number(event.data.number)))
    },
    onError: () => undefined,
    timers: fastTimers,
    clock: systemClock,
  })
  running.push(processor)
  return { processor, handled, election, checkpoints: createDocumentCheckpoints(documents) }
}

async function happen(store: EventStore, number: number): Promise<void> {
  const event = systemEvent({ clock: systemClock, newId: temporary.newId }, 't', 'Happened', { number })
  await store.append(`t/thing-${number}`, [event], 'none')
}

const eventually = (check: () => void | Promise<void>) => vi.waitFor(check, { timeout: 20_000, interval: 5 })

describe('given two replicas of a processor', () => {
  test('when both are started, then one handles events, and after it stops the other continues', async () => {
    // A lease that expires in a pause of a slow machine would let the other replica handle events again.
    const ttlMs = 60_000
    const [a, b] = [replica('a', { ttlMs }), replica('b', { ttlMs })]
    await a.processor.start()
    await eventually(() => expect(a.election.isLeader()).toBe(true))
    await b.processor.start()
    for (const number of [1, 2, 3]) await happen(temporary.store, number)
    await eventually(() => expect(a.handled).toEqual([1, 2, 3]))
    expect([b.handled, b.election.isLeader()]).toEqual([[], false])
    await a.processor.stop()
    await happen(temporary.store, 4)
    await eventually(() => expect(b.handled).toEqual([4]))
    expect(a.handled).toEqual([1, 2, 3])
  })

  test('when a replica does not hold the lease, then it reports the lag of the shared checkpoint', async () => {
    const [a, b] = [replica('a'), replica('b')]
    await happen(temporary.store, 1)
    await a.processor.start()
    await eventually(() => expect(a.handled).toEqual([1]))
    await eventually(async () => expect(await b.processor.lag()).toBe(0))
  })
})

describe('given a stream that the holder has parked', () => {
  test('when another process requests a retry after the fix, then the holder resumes it', async () => {
    let isPoison = true
    const ttlMs = 60_000
    const [a, b] = [replica('a', { isPoison: () => isPoison, ttlMs }), replica('b', { ttlMs })]
    await a.processor.start()
    await eventually(() => expect(a.election.isLeader()).toBe(true))
    await b.processor.start()
    await happen(temporary.store, 1)
    await eventually(async () => expect(await b.processor.parked()).toHaveLength(1))
    isPoison = false
    expect(await b.checkpoints.requestRetry('follower', 't/thing-1')).toBe(true)
    await eventually(async () => expect(await b.processor.parked()).toEqual([]))
    expect([a.handled, b.handled]).toEqual([[1], []])
  })

  test('when the next holder has the fix, then it resumes the stream by itself', async () => {
    const [a, b] = [replica('a', { isPoison: () => true }), replica('b')]
    await a.processor.start()
    await happen(temporary.store, 1)
    await eventually(async () => expect(await a.processor.parked()).toHaveLength(1))
    await a.processor.stop()
    await b.processor.start()
    await eventually(async () => expect(await b.processor.parked()).toEqual([]))
    expect(b.handled).toEqual([1])
  })
})

describe('given a holder that has died', () => {
  test('when its lease expires, then the next holder continues', async () => {
    // This lease is never renewed or released.
    await leases.acquire('test', 'dead', 300)
    const { processor, handled } = replica('next')
    await happen(temporary.store, 1)
    await processor.start()
    await eventually(() => expect(handled).toEqual([1]))
  })
})

describe('given a holder that is cut off from the store', () => {
  test('when its lease expires, then it stops by itself, and acquires the lease again when the store answers', async () => {
    let isCut = false
    const cut: Leases = {
      async acquire(name, owner, ttlMs) {
        if (isCut) throw new Error('cut')
        const lease = await leases.acquire(name, owner, ttlMs)
        return (
          lease && {
            ...lease,
            renew: async () => {
              // The call never settles.
              if (isCut) await new Promise(() => undefined)
              return lease.renew()
            },
          }
        )
      },
    }
    const { processor, election, handled } = replica('a', { leases: cut, ttlMs: 500 })
    await processor.start()
    await eventually(() => expect(election.isLeader()).toBe(true))
    isCut = true
    await eventually(() => expect(election.isLeader()).toBe(false))
    await happen(temporary.store, 1)
    expect(handled).toEqual([])
    isCut = false
    await eventually(() => expect(handled).toEqual([1]))
  })
})
