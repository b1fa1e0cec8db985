import { describe, expect, it } from 'vitest'
import { createJoinWatch } from './join-watch.ts'

describe('join watch', () => {
  it('given no join, when the driver fetches, then no failure is reported', () => {
    const watch = createJoinWatch()
    expect([watch.fetches(0), watch.fetches(1)]).toEqual([false, false])
    watch.fetched(0)
    expect(watch.fetches(0)).toBe(false)
  })

  it('given a join after all fetches ended, when a fetch begins without a successful join, then the join has failed', () => {
    const watch = createJoinWatch()
    watch.fetches(0)
    watch.fetches(1)
    watch.fetched(0)
    watch.rebalancing()
    watch.joins()
    expect(watch.fetches(0)).toBe(true)
  })

  it('given a join after all fetches ended, when it has succeeded, then later fetches report no failure', () => {
    const watch = createJoinWatch()
    watch.fetches(0)
    watch.rebalancing()
    watch.joins()
    watch.joins()
    watch.joined()
    expect(watch.fetches(0)).toBe(false)
  })

  it('given a join within a fetch, when other fetches continue, then the join has failed only once a fetch from the same broker begins', () => {
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
