import { describe, expect, it } from 'vitest'
import { createJoinWatch } from './join-watch.ts'

describe('join watch', () => {
  it('given no join, when brokers are fetched from, then nothing has failed', () => {
    const watch = createJoinWatch()
    expect([watch.fetches(0), watch.fetches(1)]).toEqual([false, false])
    watch.fetched(0)
    expect(watch.fetches(0)).toBe(false)
  })

  it('given all fetches ended for a join, when one begins and nobody has joined, then the join has failed', () => {
    const watch = createJoinWatch()
    watch.fetches(0)
    watch.fetches(1)
    watch.fetched(0)
    watch.rebalancing()
    watch.joins()
    expect(watch.fetches(0)).toBe(true)
  })

  it('given all fetches ended for a join, when it has succeeded, then fetches are none of its business', () => {
    const watch = createJoinWatch()
    watch.fetches(0)
    watch.rebalancing()
    watch.joins()
    watch.joins()
    watch.joined()
    expect(watch.fetches(0)).toBe(false)
  })

  it('given a join within a fetch, when others go on meanwhile, then it has not failed until its own begins again', () => {
    const watch = createJoinWatch()
    watch.fetches(0)
    watch.fetches(1)
    watch.joins()
    for (let round = 0; round < 3; round++) {
      watch.fetched(1)
      expect(watch.fetches(1)).toBe(false)
    }
    expect(watch.fetches(0)).toBe(true)
  })
})
