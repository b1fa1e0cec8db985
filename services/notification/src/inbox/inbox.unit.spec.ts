import { describe, expect, it } from 'vitest'
import { decide, evolve, type InboxState, mostMarks, readWithAll } from './inbox.ts'

const readAll = (until: string) => ({ type: 'ReadAll', recipient: 'ann', until, at: `${until}!` }) as const
const after = (...times: string[]) =>
  times.reduce<InboxState>((state, until) => decide(readAll(until), state).reduce(evolve, state), null)

describe('an inbox', () => {
  it('given all was marked as read twice, then each notification has the first time', () => {
    const marks = after('2026-01', '2026-03')?.marks ?? []
    expect(['2026-01', '2026-02', '2026-03', '2026-04'].map((madeAt) => readWithAll(marks, madeAt))).toEqual([
      '2026-01!',
      '2026-03!',
      '2026-03!',
      null,
    ])
  })
  it('given nothing newer, then no event is made', () => {
    expect(decide(readAll('2026-01'), after('2026-01'))).toEqual([])
  })
  it('given very many times, then the inbox does not grow', () => {
    const times = Array.from({ length: mostMarks + 5 }, (_, n) => `2026-${String(n).padStart(4, '0')}`)
    expect(after(...times)?.marks).toHaveLength(mostMarks)
  })
})
