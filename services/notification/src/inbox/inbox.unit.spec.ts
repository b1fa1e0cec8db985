import { describe, expect, it } from 'vitest'
import { decide, evolve, type InboxState, maxReadTimes, readWithAll } from './inbox.ts'

const readAll = (until: string) => ({ type: 'ReadAll', recipient: 'ann', until, at: `${until}!` }) as const
const after = (...times: string[]) =>
  times.reduce<InboxState>((state, until) => decide(readAll(until), state).reduce(evolve, state), null)

describe('an inbox', () => {
  it('given all was marked as read twice, then each notification has the first time after its creation', () => {
    const readTimes = after('2026-01', '2026-03')?.readTimes ?? []
    expect(['2026-01', '2026-02', '2026-03', '2026-04'].map((createdAt) => readWithAll(readTimes, createdAt))).toEqual([
      '2026-01!',
      '2026-03!',
      '2026-03!',
      null,
    ])
  })
  it('given no later time, then there is no event', () => {
    expect(decide(readAll('2026-01'), after('2026-01'))).toEqual([])
  })
  it('given more times than the maximum, then the oldest are dropped', () => {
    const times = Array.from({ length: maxReadTimes + 5 }, (_, n) => `2026-${String(n).padStart(4, '0')}`)
    expect(after(...times)?.readTimes).toHaveLength(maxReadTimes)
  })
})
