import { describe, expect, it } from 'vitest'
import { type AssetSamples, evolve, noSamples } from './asset-samples.ts'
import { decide, maxEnded, removable, type SampleCommand } from './decide.ts'

const target = { assetId: 12, tableId: 11, column: 'id' }
const ask = (requestId: string, at: string, invalidateCache = false): SampleCommand => ({
  type: 'RequestSample',
  requestId,
  target,
  at: `2026-01-01T${at}:00.000Z`,
  by: 'ann',
  cachedAfter: invalidateCache ? null : new Date(Date.parse(`2026-01-01T${at}:00Z`) - 3_600_000).toISOString(),
})
const claim = (requestId: string, hour = 10): SampleCommand => ({
  type: 'ClaimSample',
  requestId,
  worker: 'w',
  at: `2026-01-01T${hour}:00:00.000Z`,
  until: `2026-01-01T${hour}:01:00.000Z`,
})
const succeed = (requestId: string, at: string, fence = 1): SampleCommand => ({
  type: 'SucceedSample',
  requestId,
  fence,
  at: `2026-01-01T${at}:00.000Z`,
  rowCount: 3,
  artifact: `t/samples/${requestId}/x`,
})
const fail = (requestId: string, fence = 1): SampleCommand => ({
  type: 'FailSample',
  ...{ requestId, fence, at: 'x', error: 'gone' },
})
const after = (...commands: SampleCommand[]) =>
  commands.reduce<AssetSamples>((state, command) => decide(command, state).reduce(evolve, state), noSamples)

describe('the samples of an asset', () => {
  it('given a running job, when requested again, even without the cache, then they share it', () => {
    const state = after(ask('a', '10:00'))
    expect(decide(ask('b', '10:01', true), state)).toEqual([])
  })
  it('given rows younger than an hour, then they answer the next request, unless the cache is disabled', () => {
    const state = after(ask('a', '10:00'), claim('a'), succeed('a', '10:01'))
    expect(decide(ask('b', '11:00'), state)).toEqual([])
    expect(decide(ask('b', '11:00', true), state)).toHaveLength(1)
    expect(decide(ask('b', '11:01'), state)).toHaveLength(1)
  })
  it('given a failed job, then the next request starts another', () => {
    expect(decide(ask('b', '10:01'), after(ask('a', '10:00'), claim('a'), fail('a')))).toHaveLength(1)
  })
  it('given an ended job, then another end changes nothing', () => {
    const state = after(ask('a', '10:00'), claim('a'), succeed('a', '10:01'))
    expect([...decide(succeed('a', '10:02'), state), ...decide(fail('a'), state)]).toEqual([])
  })
  it('given a worker that has lost its claim, then its commands have no effect', () => {
    const state = after(ask('a', '10:00'), claim('a'), claim('a', 11))
    const expire: SampleCommand = { type: 'ExpireSample', requestId: 'a', at: 'x', error: 'expired' }
    for (const command of [succeed('a', '11:00'), fail('a'), expire]) expect(decide(command, state)).toEqual([])
    expect(decide(succeed('a', '11:00', 2), state)).toMatchObject([{ type: 'SampleSucceeded' }])
    expect(decide(expire, after(ask('a', '10:00')))).toMatchObject([{ type: 'SampleFailed' }])
  })
  it('given more ended jobs than the maximum, then the oldest are dropped', () => {
    const asked = Array.from({ length: maxEnded + 3 }, (_, n) => [
      ask(`r${n}`, '10:00', true),
      claim(`r${n}`),
      fail(`r${n}`),
    ]).flat()
    const state = after(...asked, ask('open', '10:00', true))
    expect(removable(state, '')).toEqual(['r0', 'r1', 'r2'])
    const left = decide({ type: 'RemoveSamples', endedBefore: '', at: 'x' }, state).reduce(evolve, state)
    expect(left.jobs).toHaveLength(maxEnded + 1)
  })
  it('given old jobs, when they are dropped, then open and newer ones stay', () => {
    const state = after(ask('a', '10:00'), claim('a'), succeed('a', '10:01'), ask('b', '12:00'))
    const remove = { type: 'RemoveSamples', endedBefore: '2026-01-01T11:00:00.000Z', at: 'x' } as const
    const left = decide(remove, state).reduce(evolve, state)
    expect(left.jobs.map(({ requestId }) => requestId)).toEqual(['b'])
  })
})
