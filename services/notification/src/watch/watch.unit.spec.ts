import { describe, expect, it } from 'vitest'
import { decide, evolve, lets, noWatch, type WatchState } from './watch.ts'

const watchAsset = {
  type: 'Watch',
  watchId: 5,
  target: { assetId: 11 },
  user: 'ann',
  narrowing: {},
  at: '2026-01-02',
} as const
const unwatch = { type: 'Unwatch', at: '2026-01-03' } as const
const watching: WatchState = {
  status: 'watching',
  watch: {
    ...{ watchId: 3, assetId: 11, policyId: null, assemblyId: null, tagId: null, search: null, user: 'ann' },
    ...{ since: '2026-01-01', updatedAt: '2026-01-01', kinds: null, minSeverity: null },
  },
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
  it('given a narrowing, then absent fields stay, and repeating it changes nothing', () => {
    const narrow = { ...watchAsset, narrowing: { kinds: ['ASSET_DELETED' as const] } }
    const narrowed = after(watching, narrow)
    expect(narrowed).toMatchObject({ watch: { kinds: ['ASSET_DELETED'], minSeverity: null, since: '2026-01-01' } })
    expect(decide(narrow, narrowed)).toEqual([])
    expect(after(narrowed, { type: 'NarrowWatch', narrowing: { minSeverity: 'ERROR' }, at: 'x' })).toMatchObject({
      watch: { kinds: ['ASSET_DELETED'], minSeverity: 'ERROR' },
    })
  })
  it('given kinds and a severity, then only events that fit both pass, and incidents only by name', () => {
    const failed = { kind: 'EXECUTION_FAILED', severity: 'ERROR' } as const
    const opened = { kind: 'INCIDENT_OPENED', severity: 'ERROR' } as const
    expect(lets({ kinds: null, minSeverity: null }, failed)).toBe(true)
    expect(lets({ kinds: null, minSeverity: null }, opened)).toBe(false)
    expect(lets({ kinds: ['INCIDENT_OPENED'], minSeverity: 'ERROR' }, opened)).toBe(true)
    expect(lets({ kinds: ['INCIDENT_OPENED'], minSeverity: null }, failed)).toBe(false)
    expect(lets({ kinds: null, minSeverity: 'CRITICAL' }, failed)).toBe(false)
  })
  it('given no watch or an ended one, when it ends, then it is not found', () => {
    expect(() => decide(unwatch, noWatch)).toThrow('do not watch')
    expect(() => decide(unwatch, after(watching, unwatch))).toThrow('do not watch')
  })
})
