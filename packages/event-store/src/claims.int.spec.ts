import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createLeases } from './lease.ts'
import { createReservations, holdMilliseconds } from './reservation.ts'
import { createNumberBlocks } from './sequence.ts'
import { openTemporaryStore, type TemporaryStore } from './testing/temporary-store.ts'

let on: TemporaryStore
beforeEach(() => {
  on = openTemporaryStore()
})
afterEach(() => on.close())

describe('given numbers from blocks', () => {
  it('when numbers are taken one by one, then they count from 1, across the end of a block', async () => {
    const blocks = createNumberBlocks({ ...on, blockSizes: { asset: 3 } })
    const taken: number[] = []
    for (let n = 0; n < 8; n++) taken.push(...(await blocks.take('acme', 'asset')))
    expect(taken).toEqual([1, 2, 3, 4, 5, 6, 7, 8])
    expect((await on.store.read('acme/sequence-asset')).revision).toBe(2)
  })

  it('when many numbers are taken concurrently, then the numbers increase, and one block is reserved for them', async () => {
    const blocks = createNumberBlocks(on)
    await blocks.take('acme', 'asset', 10)
    expect(await blocks.take('acme', 'asset', 200)).toEqual(Array.from({ length: 200 }, (_, n) => n + 11))
    expect((await on.store.read('acme/sequence-asset')).revision).toBe(1)
  })

  it('when a caller says that it will take more, then one block is reserved for all of them', async () => {
    const blocks = createNumberBlocks(on)
    const taken: number[] = []
    for (let left = 200; left > 0; left -= 100) taken.push(...(await blocks.take('acme', 'asset', 100, left)))
    expect(taken).toEqual(Array.from({ length: 200 }, (_, n) => n + 1))
    expect((await on.store.read('acme/sequence-asset')).revision).toBe(0)
  })

  it('when three processes take numbers concurrently and one process restarts, then no number is given twice', async () => {
    const all = [1, 2, 3].map(() => createNumberBlocks({ ...on, blockSizes: { asset: 7 } }))
    const taking = all.flatMap((blocks) =>
      Array.from({ length: 100 }, (_, n) => blocks.take('acme', 'asset', (n % 3) + 1)),
    )
    const before = (await Promise.all(taking)).flat()
    const after = await createNumberBlocks(on).take('acme', 'asset', 10)
    expect(new Set([...before, ...after]).size).toBe(before.length + after.length)
    expect(Math.min(...after)).toBeGreaterThan(Math.max(...before))
  })

  it('when tenants or names differ, then each has its own numbers', async () => {
    const blocks = createNumberBlocks(on)
    const taken = [await blocks.take('acme', 'a'), await blocks.take('acme', 'b'), await blocks.take('other', 'a')]
    expect(taken).toEqual([[1], [1], [1]])
  })
})

describe('given reservations of names', () => {
  const taken = { code: 'taken' }

  it('when a name is held, then another owner is refused, and the same owner can hold it again', async () => {
    const names = createReservations(on)
    await names.hold('acme', 'policy', 'daily', 'p1')
    await names.hold('acme', 'policy', 'daily', 'p1')
    await expect(names.hold('acme', 'policy', 'daily', 'p2')).rejects.toMatchObject(taken)
    await names.hold('acme', 'tag', 'daily', 'p2')
    await names.hold('other', 'policy', 'daily', 'p2')
    expect(await names.ownerOf('acme', 'policy', 'daily')).toBe('p1')
  })

  it('when fifty owners request a name concurrently, then one gets it', async () => {
    const names = createReservations(on)
    const asking = Array.from({ length: 50 }, (_, n) => names.hold('acme', 'policy', 'daily', `p${n}`))
    const outcomes = await Promise.allSettled(asking)
    expect(outcomes.filter((each) => each.status === 'fulfilled')).toHaveLength(1)
  })

  it('when a hold was not confirmed in time, then another owner takes the name, and the first can no longer confirm it', async () => {
    const names = createReservations(on)
    await names.hold('acme', 'policy', 'daily', 'p1')
    on.clock.time += holdMilliseconds - 1
    await expect(names.hold('acme', 'policy', 'daily', 'p2')).rejects.toMatchObject(taken)
    on.clock.time += 1
    await names.hold('acme', 'policy', 'daily', 'p2')
    await expect(names.confirm('acme', 'policy', 'daily', 'p1')).rejects.toMatchObject(taken)
    await names.confirm('acme', 'policy', 'daily', 'p2')
    expect(await names.ownerOf('acme', 'policy', 'daily')).toBe('p2')
  })

  it('when a name was confirmed, then its owner has it until the owner releases it', async () => {
    const names = createReservations(on)
    await names.hold('acme', 'policy', 'daily', 'p1')
    await names.confirm('acme', 'policy', 'daily', 'p1')
    await names.confirm('acme', 'policy', 'daily', 'p1')
    on.clock.time += holdMilliseconds * 1000
    await expect(names.hold('acme', 'policy', 'daily', 'p2')).rejects.toMatchObject(taken)
    await names.release('acme', 'policy', 'daily', 'p2')
    expect(await names.ownerOf('acme', 'policy', 'daily')).toBe('p1')
    await names.release('acme', 'policy', 'daily', 'p1')
    await names.release('acme', 'policy', 'daily', 'p1')
    expect(await names.ownerOf('acme', 'policy', 'daily')).toBeUndefined()
    await names.hold('acme', 'policy', 'daily', 'p2')
  })

  it('when a hold expired and nobody took the name, then its owner can still confirm it', async () => {
    const names = createReservations(on)
    await names.hold('acme', 'policy', 'daily', 'p1')
    on.clock.time += holdMilliseconds
    await names.confirm('acme', 'policy', 'daily', 'p1')
    expect(await names.ownerOf('acme', 'policy', 'daily')).toBe('p1')
  })
})

describe('given leases', () => {
  it('when one owner holds a lease, then another gets none until the first releases it', async () => {
    const leases = createLeases(on)
    const first = await leases.acquire('scheduler', 'a', 1000)
    expect(first?.fence).toBe(1)
    expect(await leases.acquire('scheduler', 'b', 1000)).toBeUndefined()
    expect((await leases.acquire('publisher', 'b', 1000))?.fence).toBe(1)
    await first?.release()
    expect(await first?.renew()).toBe(false)
    expect((await leases.acquire('scheduler', 'b', 1000))?.fence).toBe(2)
  })

  it('when ten owners request a lease concurrently, then one gets it', async () => {
    const asking = Array.from({ length: 10 }, (_, n) => createLeases(on).acquire('scheduler', `o${n}`, 1000))
    expect((await Promise.all(asking)).filter((lease) => lease !== undefined)).toHaveLength(1)
  })

  it('when a holder was paused for too long, then the next one has a higher fence, and the first notices the loss', async () => {
    const leases = createLeases(on)
    const paused = await leases.acquire('scheduler', 'a', 1000)
    on.clock.time += 999
    expect(await leases.acquire('scheduler', 'b', 1000)).toBeUndefined()
    on.clock.time += 1
    const next = await leases.acquire('scheduler', 'b', 1000)
    expect(next?.fence).toBe(2)
    expect(await paused?.renew()).toBe(false)
    await paused?.release()
    expect(await next?.renew()).toBe(true)
  })

  it('when renewals overlap because the store is slow, then the holder keeps the lease', async () => {
    const lease = await createLeases(on).acquire('rebuild', 'a', 1000)
    expect(await Promise.all([lease?.renew(), lease?.renew(), lease?.renew()])).toEqual([true, true, true])
    expect(await lease?.renew()).toBe(true)
  })

  it('when a lease is renewed in time, or after it expired but before another owner takes it, then the holder keeps it', async () => {
    const leases = createLeases(on)
    const lease = await leases.acquire('scheduler', 'a', 1000)
    on.clock.time += 900
    expect(await lease?.renew()).toBe(true)
    on.clock.time += 900
    expect(await leases.acquire('scheduler', 'b', 1000)).toBeUndefined()
    on.clock.time += 5000
    expect(await lease?.renew()).toBe(true)
  })
})
