import { describe, expect, it } from 'vitest'
import { createReadYourWrites } from './read-your-writes.ts'

/** A read model that has a state after `checks` checks of it; the sleeps end at once. */
function setUp(checksUntil: Record<string, number> = {}) {
  const asked: string[][] = []
  const sleeps: number[] = []
  const left = new Map(Object.entries(checksUntil))
  const readYourWrites = createReadYourWrites({
    timers: {
      sleep: async (milliseconds) => {
        sleeps.push(milliseconds)
      },
    },
    async missing(tenant, seen) {
      asked.push([tenant, ...seen])
      return seen.filter((state) => {
        const checks = left.get(state) ?? Number.POSITIVE_INFINITY
        left.set(state, checks - 1)
        return checks > 0
      })
    },
  })
  const slept = () => sleeps.reduce((sum, each) => sum + each, 0)
  return { asked, sleeps, slept, readYourWrites }
}

const by = { tenant: 't', caller: 'key' }

describe('waiting for what a caller has seen', () => {
  it('given a caller that has seen nothing, then the request neither checks nor waits', async () => {
    const { readYourWrites, asked, sleeps } = setUp()
    expect(await readYourWrites({ ...by, seen: undefined })).toEqual([])
    expect(await readYourWrites({ ...by, seen: [] })).toEqual([])
    expect([asked, sleeps]).toEqual([[], []])
  })

  it('given states that the read model has, then the request does not wait', async () => {
    const { readYourWrites, sleeps } = setUp({ 'tag-7@3': 0 })
    expect(await readYourWrites({ ...by, seen: ['tag-7@3'] })).toEqual([])
    expect(sleeps).toEqual([])
  })

  it('given a state that arrives, then the request checks at growing pauses, only for what is missing', async () => {
    const { readYourWrites, asked, sleeps } = setUp({ 'tag-7@3': 3, 'tag-8@0': 0 })
    expect(await readYourWrites({ ...by, seen: ['tag-7@3', 'tag-8@0'] })).toEqual([])
    expect(asked).toEqual([['t', 'tag-7@3', 'tag-8@0'], ...Array.from({ length: 3 }, () => ['t', 'tag-7@3'])])
    expect(sleeps).toEqual([5, 10, 20])
  })

  it('given a state that never arrives, then the request gives up after two seconds and returns it, and the caller does not wait for it again', async () => {
    const { readYourWrites, slept } = setUp({ 'tag-8@0': 2 })
    expect(await readYourWrites({ ...by, seen: ['tag-7@0'] })).toEqual(['tag-7@0'])
    const first = slept()
    expect([first >= 2_000, first < 2_250]).toEqual([true, true])
    expect(await readYourWrites({ ...by, seen: ['tag-7@0'] })).toEqual(['tag-7@0'])
    expect(slept()).toBe(first)
    // Other callers and tenants wait for it, because nobody knows whether it was invented, and others are waited for beside it.
    expect(await readYourWrites({ ...by, seen: ['tag-7@0', 'tag-8@0'] })).toEqual(['tag-7@0'])
    expect(slept()).toBe(first + 15)
    await readYourWrites({ ...by, tenant: 'other', seen: ['tag-7@0'] })
    expect(slept()).toBe(first + 15 + first)
  })

  it('given a caller that disconnects, then the wait ends, and others still wait for the state', async () => {
    const { readYourWrites, sleeps } = setUp()
    const signal = AbortSignal.abort()
    expect(await readYourWrites({ ...by, seen: ['tag-7@0'], signal })).toEqual(['tag-7@0'])
    expect(sleeps).toEqual([5])
    await readYourWrites({ ...by, seen: ['tag-7@0'] })
    expect(sleeps.length).toBeGreaterThan(10)
  })
})
