import { describe, expect, it } from 'vitest'
import { decide, evolve, noWatch, type WatchState } from './watch.ts'

const watchAsset = { type: 'WatchAsset', watchId: 5, assetId: 11, user: 'ann', at: '2026-01-02' } as const
const unwatch = { type: 'UnwatchAsset', at: '2026-01-03' } as const
const watching: WatchState = {
  status: 'watching',
  watch: { watchId: 3, assetId: 11, user: 'ann', since: '2026-01-01' },
}
const after = (state: WatchState, command: Parameters<typeof decide>[0]) => decide(command, state).reduce(evolve, state)

describe('a watch', () => {
  it('given no watch, when it begins, then it has the given id', () => {
    expect(after(noWatch, watchAsset)).toMatchObject({ status: 'watching', watch: { watchId: 5, since: '2026-01-02' } })
  })
  it('given an active watch, when it begins again, then nothing happens', () => {
    expect(decide(watchAsset, watching)).toEqual([])
  })
  it('given an ended watch, when it begins again, then it has its old id', () => {
    const again = after(after(watching, unwatch), watchAsset)
    expect(again).toMatchObject({ status: 'watching', watch: { watchId: 3, since: '2026-01-02' } })
  })
  it('given no watch or an ended one, when it ends, then it is not found', () => {
    expect(() => decide(unwatch, noWatch)).toThrow('do not watch')
    expect(() => decide(unwatch, after(watching, unwatch))).toThrow('do not watch')
  })
})
